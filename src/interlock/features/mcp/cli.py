"""`interlock mcp`: a server of tools for agents, and how the doctor checks it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import msgspec
import typer

from interlock.cli.policy_source import folder, here
from interlock.cli.setup.mcp_sdk import INSTALL
from interlock.daemon.paths import places_of
from interlock.features.mcp.start import run
from interlock.files.system_programs import run_program
from interlock.hosts.claude_code.mcp_entry import check_server, find_our_server
from interlock.hosts.host import Check, State, fail, ok

if TYPE_CHECKING:
    from interlock.cli.setup.doctor_checks import DoctorContext


def mcp() -> int:
    """Serve tools to agents over MCP.

    The tools make commitments, search, explain calls and request approvals.

    Started by the agent; `interlock install claude-code --mcp` tells it how.
    """
    run(places_of(here()))
    return 0


def add(app: typer.Typer) -> None:
    example = "Example: interlock mcp; agents start it, after `interlock install claude-code --mcp`"
    app.command(epilog=example)(mcp)


_SECONDS: Final = 20.0
_HELLO: Final = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "interlock doctor", "version": "1"},
    },
}


def checks(context: DoctorContext) -> Iterator[Check]:
    """Check the entry in the client's settings, then start the server as the client would."""
    found = list(check_server(context.settings, context.installed))
    yield from found
    if not found or any(check.state is not State.OK for check in found):
        return
    server = find_our_server(context.settings)
    if server is None:
        return
    command = [str(server["command"]), *map(str, server["args"])]
    said = _greet(command, {**os.environ, **server.get("env", {})})
    try:
        about = msgspec.json.decode(said)["result"]["serverInfo"]
        yield ok("mcp server", f"answers, {about['name']} {about['version']}")
    except (msgspec.DecodeError, KeyError, TypeError):
        text = said.decode("utf-8", "replace").strip() or "no answer"
        yield fail("mcp server", f"it does not answer ({text.splitlines()[-1]})", INSTALL)


def _greet(command: list[str], env: dict[str, str]) -> bytes:
    """Send the server a greeting and return its answer, or its complaint if it gives none."""
    try:
        given = msgspec.json.encode(_HELLO) + b"\n"
        done = run_program(command, seconds=_SECONDS, given=given, env=env, cwd=folder())
    except subprocess.TimeoutExpired:
        return b"not within %d seconds" % _SECONDS
    except OSError as error:
        return str(error.strerror or error).encode()
    return done.stdout or done.stderr
