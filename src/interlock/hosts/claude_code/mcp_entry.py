"""Our server among the user's MCP servers: told apart from others, put in, taken out, looked at."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from interlock.events.tool import JsonObject
from interlock.hosts.claude_code.install import Plan
from interlock.hosts.claude_code.settings import (
    MCP_SERVERS,
    SettingsError,
    SettingsPlaces,
    read_settings,
)
from interlock.hosts.host import Check, fail, ok, warn
from interlock.hosts.launching import Installation

NAME: Final = "interlock"  # so that its tools are `mcp__interlock__…`
MODULE: Final = "interlock.mcp_server"
_HOME: Final = "INTERLOCK_HOME"
_INSTALL: Final = "interlock install claude-code --mcp"
_WHAT: Final = "mcp server"


def our_server(python: str, installed: Installation) -> JsonObject:
    """How the client starts our server; `-I` keeps a `json.py` of the project from running."""
    env = {_HOME: str(installed.home)} if installed.home else {}
    return {"type": "stdio", "command": python, "args": ["-I", "-m", MODULE], "env": env}


def is_ours(server: object) -> bool:
    """Whether an entry starts our server, of whichever installation."""
    return isinstance(server, dict) and isinstance(server.get("args"), list) and MODULE in server["args"]


def plan_server(places: SettingsPlaces, server: JsonObject) -> Plan:
    """What registering our server makes of the client's file."""
    before = read_settings(places.servers)
    servers = before.require_object(MCP_SERVERS)
    if NAME in servers and not is_ours(servers[NAME]):
        raise SettingsError(
            f"`{before.path}` has another MCP server called `{NAME}`; rename or remove it first"
        )
    return Plan(before=before, after=before.with_member(MCP_SERVERS, {**servers, NAME: server}))


def plan_no_server(places: SettingsPlaces) -> Plan:
    """What is left of the client's file without our server; a file nobody else has written goes."""
    before = read_settings(places.servers)
    servers = before.require_object(MCP_SERVERS)
    if not is_ours(servers.get(NAME)):
        return Plan(before=before, after=before)
    others = {name: server for name, server in servers.items() if name != NAME}
    return Plan(before=before, after=before.with_member(MCP_SERVERS, others or None).unless_empty())


def find_our_server(places: SettingsPlaces) -> JsonObject | None:
    """Our entry, if there is one; raise SettingsError when the file cannot be read."""
    server = read_settings(places.servers).require_object(MCP_SERVERS).get(NAME)
    return server if is_ours(server) else None


def check_server(places: SettingsPlaces, installed: Installation) -> Iterator[Check]:
    """Everything that can keep the client from starting our server; nothing where it was not asked for."""
    try:
        server = find_our_server(places)
    except SettingsError as error:
        yield warn(_WHAT, str(error), f"edit {places.servers}")
        return
    if server is None:
        return
    yield from _shadows(places)
    wrong = _fault(server, installed)
    yield fail(_WHAT, wrong, _INSTALL) if wrong else ok(_WHAT, f"registered in {places.servers}")


def _fault(server: JsonObject, installed: Installation) -> str:
    command, env = server.get("command"), server.get("env")
    if not isinstance(command, str) or not Path(command).is_absolute() or not os.access(command, os.X_OK):
        return f"`{command}` cannot be run"
    home = env.get(_HOME) if isinstance(env, dict) else None
    wanted = str(installed.home) if installed.home else None
    return "" if home == wanted else f"it uses the home `{home or 'of the user'}`, not this one"


def _shadows(places: SettingsPlaces) -> Iterator[Check]:
    """A project's file may put another program behind the same names."""
    file = places.project / ".mcp.json"
    try:
        servers = read_settings(file).require_object(MCP_SERVERS)
    except SettingsError:
        return
    if NAME in servers and not is_ours(servers[NAME]):
        yield warn(
            _WHAT,
            f"`{file}` has another server called `{NAME}`, which takes precedence",
            f"rename it in {file}",
        )
