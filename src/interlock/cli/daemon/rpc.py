"""`interlock rpc METHOD JSON`: any method of the daemon, for scripts and for trying one out."""

from __future__ import annotations

import os
import sys
from typing import Annotated, Any, Final

import msgspec
import typer

from interlock.cli.json_output import print_json
from interlock.cli.output import printable
from interlock.cli.policy_source import here
from interlock.daemon.client import DaemonError, request
from interlock.daemon.launcher import start
from interlock.daemon.paths import places_of
from interlock.errors import InterlockError

REFUSED: Final = 1
_SECONDS: Final = 30.0
_LONGEST: Final = 1024 * 1024 - 4096  # of a request, which is one line on the socket
_HOOKS: Final = "hooks."
_STDIN: Final = "-"
_EXAMPLE: Final = 'write an object like {"a": 1}'


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
    given = _object(sys.stdin.buffer.read(_LONGEST + 1) if params == _STDIN else params.encode())
    if method.startswith(_HOOKS) and "env" not in given and os.environ.get("AGENT_ID"):
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
