"""What the doctor looks at of the MCP server: is it registered as it should be, and does it answer?"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from typing import Final

import msgspec

from interlock.cli.policy_source import folder
from interlock.cli.setup.doctor_checks import DoctorContext
from interlock.cli.setup.mcp_sdk import INSTALL
from interlock.events.tool import JsonObject
from interlock.files.system_programs import run_program
from interlock.hosts.claude_code.mcp_entry import check_server, find_our_server
from interlock.hosts.host import Check, State, fail, ok

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
    """The entry, and the server started as the client would start it."""
    found = list(check_server(context.settings, context.installed))
    yield from found
    if found and all(check.state is State.OK for check in found):
        server = find_our_server(context.settings)
        if server is not None:
            yield _answering(server)


def _answering(server: JsonObject) -> Check:
    command = [str(server["command"]), *map(str, server["args"])]
    said = _greeted(command, {**os.environ, **server.get("env", {})})
    try:
        found = msgspec.json.decode(said)["result"]["serverInfo"]
        return ok("mcp server", f"answers, {found['name']} {found['version']}")
    except (msgspec.DecodeError, KeyError, TypeError):
        text = said.decode("utf-8", "replace").strip() or "no answer"
        return fail("mcp server", f"it does not answer ({text.splitlines()[-1]})", INSTALL)


def _greeted(command: list[str], env: dict[str, str]) -> bytes:
    """What the server says to a greeting; what it complains of where it says nothing."""
    try:
        given = msgspec.json.encode(_HELLO) + b"\n"
        done = run_program(command, seconds=_SECONDS, given=given, env=env, cwd=folder())
    except subprocess.TimeoutExpired:
        return b"not within %d seconds" % _SECONDS
    except OSError as error:
        return str(error.strerror or error).encode()
    return done.stdout or done.stderr
