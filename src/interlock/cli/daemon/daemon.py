"""`interlock daemon`: the process behind every hook call."""

from __future__ import annotations

import os
import time
from typing import Annotated, Any

import typer

from interlock.cli.groups import group
from interlock.cli.json_output import print_json
from interlock.cli.output import columns
from interlock.cli.people_only import require_person, standing_here
from interlock.cli.policy_source import here
from interlock.cli.setup.hook_variables import keep_variables
from interlock.daemon.caller_kind import Kind
from interlock.daemon.launcher import daemon_environment, start, status, stop
from interlock.daemon.paths import Places, places_of
from interlock.daemon.service_file import install_service

daemon = group("Run, start and stop the process behind every hook call.")
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


def _places() -> Places:
    return places_of(here())


@daemon.command("run", epilog="Example: interlock daemon run")
def run_() -> int:
    """Run it in the foreground, until Ctrl-C.

    Exit 3 when one is running already.
    """
    require_person("daemon run")
    from interlock.daemon.process import run

    return run(_places())


@daemon.command("start", epilog="Example: interlock daemon start")
def start_(as_json: Json = False) -> int:
    """Start it in the background.

    A daemon of another version finishes its calls and is replaced.
    """
    keep_variables(quiet=as_json)
    places = _places()
    by_person = standing_here(os.environ, places).kind is Kind.PERSON
    _print(start(places, daemon_environment() if by_person else None), as_json=as_json)
    return 0


@daemon.command("stop", epilog="Example: interlock daemon stop")
def stop_(as_json: Json = False) -> int:
    """Stop it once it has finished its calls."""
    require_person("daemon stop", passphrase=True)
    stopped = stop(_places())
    if as_json:
        print_json({"stopped": stopped})
    else:
        typer.echo("stopped" if stopped else "not running")
    return 0


@daemon.command("restart", epilog="Example: interlock daemon restart")
def restart_(as_json: Json = False) -> int:
    """Stop it if it runs, and start it."""
    require_person("daemon restart", passphrase=True)
    places = _places()
    stop(places)
    keep_variables(quiet=as_json)
    _print(start(places, daemon_environment()), as_json=as_json)
    return 0


@daemon.command("status", epilog="Example: interlock daemon status --json")
def status_(as_json: Json = False) -> int:
    """Say whether it runs; exit 1 when it does not."""
    found = status(_places())
    if found is None:
        if as_json:
            print_json({"running": False})
        else:
            typer.echo("not running; `interlock daemon start` starts it, and so does the next hook call")
        return 1
    _print(found, as_json=as_json)
    return 0


@daemon.command("install-service", epilog="Example: interlock daemon install-service --dry-run")
def install_service_(
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the service file; write nothing.")
    ] = False,
    as_json: Json = False,
) -> int:
    """Start it at login, as a systemd or launchd service."""
    if not dry_run:
        require_person("daemon install-service")
    written = install_service(_places(), dry_run=dry_run)
    if as_json:
        print_json({"file": str(written.file), "next": written.next_step, "text": written.text})
    else:
        typer.echo(written.text if dry_run else f"wrote {written.file}")
        typer.echo(f"next: {written.next_step}")
    return 0


def _print(found: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json({"running": True, **found})
        return
    shown = {**found, "uptime": time.strftime("%H:%M:%S", time.gmtime(found["uptime"]))}
    rows = [(name, _text(value)) for name, value in shown.items() if value is not None]
    typer.echo("\n".join(columns(rows)))


def _text(value: Any) -> str:
    """A value in a line; of what a feature tells in several fields, its summary."""
    return str(value.get("summary", value)) if isinstance(value, dict) else str(value)
