"""`interlock daemon`, `rpc`, `ui` and `pause`: the process behind every hook call."""

from __future__ import annotations

import os
import re
import sys
import time
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
import typer

from interlock.cli.daemon_client import REFUSED, ask_daemon
from interlock.cli.help import group
from interlock.cli.output import Json, columns, print_json, printable
from interlock.cli.people_only import require_person, standing_here
from interlock.cli.policy_source import here
from interlock.cli.setup.hook_variables import keep_variables
from interlock.daemon.caller_kind import Kind
from interlock.daemon.client import DaemonError, request
from interlock.daemon.launcher import daemon_environment, start, status, stop
from interlock.daemon.offline_files import LONGEST_SECONDS, begin_pause, end_pause
from interlock.daemon.paths import places_of
from interlock.daemon.service_file import install_service
from interlock.errors import InterlockError

_SECONDS: Final = 30.0
_LONGEST: Final = 1024 * 1024 - 4096  # bytes of a request, which is one line on the socket
_EXAMPLE: Final = 'write an object like {"a": 1}'
_LENGTH: Final = re.compile(r"([0-9]{1,6})([smh])")
_SCALE: Final = {"s": 1, "m": 60, "h": 3600}

daemon = group("Run, start and stop the process behind every hook call.")


@daemon.command("run", epilog="Example: interlock daemon run")
def run_() -> int:
    """Run it in the foreground, until Ctrl-C.

    Exit 3 when one is running already.
    """
    require_person("daemon run")
    from interlock.daemon.process import run

    return run(places_of(here()))


@daemon.command("start", epilog="Example: interlock daemon start")
def start_(as_json: Json = False) -> int:
    """Start it in the background.

    A daemon of another version finishes its calls and is replaced.
    """
    keep_variables(quiet=as_json)
    places = places_of(here())
    by_person = standing_here(os.environ, places).kind is Kind.PERSON
    _print(start(places, daemon_environment() if by_person else None), as_json=as_json)
    return 0


@daemon.command("stop", epilog="Example: interlock daemon stop")
def stop_(as_json: Json = False) -> int:
    """Stop it once it has finished its calls."""
    require_person("daemon stop", passphrase=True)
    stopped = stop(places_of(here()))
    if as_json:
        print_json({"stopped": stopped})
    else:
        typer.echo("stopped" if stopped else "not running")
    return 0


@daemon.command("restart", epilog="Example: interlock daemon restart")
def restart_(as_json: Json = False) -> int:
    """Stop it if it runs, and start it."""
    require_person("daemon restart", passphrase=True)
    places = places_of(here())
    stop(places)
    keep_variables(quiet=as_json)
    _print(start(places, daemon_environment()), as_json=as_json)
    return 0


@daemon.command("status", epilog="Example: interlock daemon status --json")
def status_(as_json: Json = False) -> int:
    """Say whether it runs; exit 1 when it does not."""
    found = status(places_of(here()))
    if found is not None:
        _print(found, as_json=as_json)
        return 0
    if as_json:
        print_json({"running": False})
    else:
        typer.echo("not running; `interlock daemon start` starts it, and so does the next hook call")
    return 1


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
    written = install_service(places_of(here()), dry_run=dry_run)
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
    rows: list[tuple[str, object]] = []
    for name, value in shown.items():
        # A feature may report several fields; here there is room for its summary.
        if isinstance(value, dict) and "summary" not in value:
            rows += [(f"{name}.{key}", part) for key, part in value.items()]
        else:
            rows.append((name, value["summary"] if isinstance(value, dict) else value))
    typer.echo("\n".join(columns([(name, str(value)) for name, value in rows if value not in {None, ""}])))


def rpc(
    method: Annotated[
        str, typer.Argument(metavar="METHOD", help="A method, such as status or hooks.preToolUse.")
    ],
    params: Annotated[
        str, typer.Argument(metavar="JSON", help="Its parameters, a JSON object; `-` reads them from stdin.")
    ] = "{}",
) -> int:
    """Send a request to the daemon, and print the answer as JSON.

    Exit 1 when it refuses.
    """
    given = _object(sys.stdin.buffer.read(_LONGEST + 1) if params == "-" else params.encode())
    if method.startswith("hooks.") and "env" not in given and os.environ.get("AGENT_ID"):
        given["env"] = {"AGENT_ID": os.environ["AGENT_ID"]}
    places = places_of(here())
    start(places)
    try:
        print_json(request(places.socket, method, given, seconds=_SECONDS))
    except DaemonError as error:
        typer.echo(printable(f"interlock: {error}"), err=True)
        return REFUSED
    return 0


def _object(text: bytes) -> dict[str, Any]:
    if len(text) > _LONGEST:
        raise InterlockError(f"the parameters are longer than {_LONGEST:,} bytes; send less")
    try:
        found = msgspec.json.decode(text or b"{}")
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InterlockError(f"the parameters are not JSON ({error}); {_EXAMPLE}") from error
    if not isinstance(found, dict):
        shown = text[:40].decode(errors="replace")
        raise InterlockError(f"the parameters must be an object, not `{shown}`; {_EXAMPLE}")
    return found


def ui(
    port: Annotated[int, typer.Option(help="The local port; 0: any free port.")] = 0,
    open_: Annotated[bool, typer.Option("--open", help="Open the link in your browser too.")] = False,
    key: Annotated[
        bool,
        typer.Option("--key", help="Print a key instead, for programs that use the JSON API or /metrics."),
    ] = False,
    stop: Annotated[bool, typer.Option("--stop", help="Stop the dashboard and end every login.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> int:
    """Print a link to the dashboard.

    This starts the dashboard if it is not running.

    The link works once and expires in 5 minutes. A key lasts 30 days. Keys and logins end when the dashboard
    stops.
    """
    require_person("ui")
    found = (
        ask_daemon("ui.close") if stop else ask_daemon("ui.open", {"port": port, "key": key}, as_person=True)
    )
    if as_json:
        print_json(found)
    elif stop:
        typer.echo("the dashboard has stopped" if found["closed"] else "the dashboard is not running")
    else:
        typer.echo(found["key"] if key else found["url"])
    if open_ and not stop and not key:
        import webbrowser

        if not webbrowser.open(found["url"]):
            typer.echo("interlock: no browser could be started; open the link yourself", err=True)
    return 0


def pause(
    length: Annotated[str, typer.Argument(help="How long: 15m, 90s or 1h; at most 8h.", metavar="TIME")] = "",
    end: Annotated[bool, typer.Option("--end", help="End the current pause.")] = False,
    as_json: Json = False,
) -> int:
    """Let calls pass while the daemon cannot be reached.

    Nothing is checked during that time. You are asked on the terminal first.
    """
    if end:
        ended = end_pause(here().state)
        if as_json:
            print_json({"ended": ended})
        else:
            typer.echo("the pause has ended" if ended else "there was no pause")
        return 0
    seconds = _seconds(length)
    require_person("pause", terminal=True, passphrase=True)
    if not _confirmed(f"Type yes to let calls run without a decision for {length}: "):
        typer.echo("nothing was changed", err=True)
        return 1
    until = int(time.time()) + seconds
    begin_pause(here().state, until)
    if as_json:
        print_json({"until": until})
    else:
        typer.echo(f"For {length}, calls run without a decision while Interlock cannot be reached.")
    return 0


def _seconds(text: str) -> int:
    found = _LENGTH.fullmatch(text)
    seconds = int(found[1]) * _SCALE[found[2]] if found else 0
    if not 0 < seconds <= LONGEST_SECONDS:
        raise InterlockError(f"`{text}` is not a duration from 1s to 8h; write it like 90s, 15m or 1h")
    return seconds


def _confirmed(question: str) -> bool:
    """Ask on the terminal itself: a pipe cannot answer."""
    with Path("/dev/tty").open("r+b", buffering=0) as terminal:
        terminal.write(question.encode())
        return terminal.readline(16).rstrip(b"\r\n") == b"yes"
