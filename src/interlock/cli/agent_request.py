"""Requests that agents may type too: sent for whoever runs the command, from where it was typed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Final

import typer

from interlock.cli.daemon_client import say_who
from interlock.cli.json_output import print_json
from interlock.cli.output import printable
from interlock.cli.people_only import ask_who_it_is
from interlock.cli.policy_source import folder, here
from interlock.cli.program_name import as_typed_here
from interlock.daemon.client import DaemonError, request
from interlock.daemon.launcher import start
from interlock.daemon.paths import places_of
from interlock.errors import InterlockError

REFUSED: Final = 1
SECONDS: Final = 10.0

Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Say = Callable[[dict[str, Any]], str]


def answered(
    method: str,
    params: dict[str, Any],
    say: Say,
    *,
    as_json: bool,
    rows: str | None = None,
    seconds: float = SECONDS,
) -> int:
    """Send a request, print its result or its refusal, and give the exit code.

    As JSON it is one document, or where `rows` names a list in it, one row a line.
    """
    places = places_of(here())
    check_text(params)
    start(places)
    ask_who_it_is(places)
    if "payload" in params:
        say_who(places.socket)
    try:
        found = request(places.socket, method, params, seconds=seconds)
    except DaemonError as error:
        if error.data is None:
            raise InterlockError(str(error).removeprefix(f"`{method}`: ")) from error
        if as_json:
            print_json(error.data)
        else:
            typer.echo(printable(as_typed_here(f"interlock: {error}")), err=True)
        return REFUSED
    if as_json:
        for document in found[rows] if rows else (found,):
            print_json(document)
    else:
        typer.echo(say(found))
    return 0


def place() -> dict[str, Any]:
    """Where the command was typed."""
    return {"cwd": str(folder())}


def check_text(value: Any) -> None:
    """What is not text in any language cannot be sent."""
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            raise InterlockError(f"`{printable(value)}` is not UTF-8; type it as text") from None
    elif isinstance(value, dict):
        for one in value.values():
            check_text(one)
    elif isinstance(value, list):
        for one in value:
            check_text(one)
