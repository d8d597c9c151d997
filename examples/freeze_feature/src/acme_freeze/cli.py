"""`interlock freeze`, and what `interlock doctor` checks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from acme_freeze.service import FILE
from interlock.cli.daemon_client import ask_daemon
from interlock.hosts.host import Check, ok, warn

if TYPE_CHECKING:
    from interlock.cli.setup.doctor_checks import DoctorContext


def freeze(switch: Annotated[Literal["on", "off", "show"], typer.Argument()] = "show") -> int:
    """Switch the code freeze on or off, or show whether it is on."""
    if switch == "show":
        found = ask_daemon("acme_freeze.get")
    else:
        found = ask_daemon("acme_freeze.set", {"on": switch == "on"}, as_person=True)
    typer.echo(f"the freeze is {'on' if found['on'] else 'off'}")
    return 0


def add(app: typer.Typer) -> None:
    """Give the program its command."""
    app.command("freeze", epilog="Example: interlock freeze on")(freeze)


def check(context: DoctorContext) -> Iterator[Check]:
    """A freeze is easily forgotten."""
    if (context.places.state / FILE).exists():
        yield warn("freeze", "a code freeze is on", "interlock freeze off")
    else:
        yield ok("freeze", "off")
