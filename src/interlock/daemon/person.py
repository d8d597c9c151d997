"""Requests that only a person may make: the kernel says which process asks, and whose child it is."""

from __future__ import annotations

import os
import pwd
from collections.abc import Callable, Mapping
from typing import Any, Final

from interlock.daemon.agents import Agents
from interlock.daemon.rpc import PEER, Method, Methods

_LONGEST: Final = 400
_OPEN: Final = frozenset({"status"})  # what an agent may ask too; what is new stays closed to it

Note = Callable[[str, dict[str, object]], object]


def person_name() -> str:
    """Who connects: the socket takes nobody but the user the daemon runs as, by the kernel's word."""
    try:
        return f"human:{pwd.getpwuid(os.getuid()).pw_name}"
    except KeyError:  # a user without an entry, as in some containers
        return f"human:{os.getuid()}"


def guarded_methods(methods: Mapping[str, Method], agents: Agents, note: Note) -> Methods:
    """The methods, nearly all for people only, and two by which the command line asks and reports."""

    def check(params: dict[str, Any]) -> dict[str, object]:
        session = agents.above(params[PEER])
        return {"agent": session is not None, "session": session}

    def refused(params: dict[str, Any]) -> dict[str, object]:
        session = agents.above(params[PEER])
        command, reason = (str(params[name])[:_LONGEST] for name in ("command", "reason"))
        body: dict[str, object] = {
            "command": command,
            "reason": reason,
            "decision": "deny",
            "session_id": session or "",
        }
        note("refused", body)
        return {"recorded": True}

    def for_people(name: str, method: Method) -> Method:
        def guarded(params: dict[str, Any]) -> Any:
            if agents.above(params[PEER]) is not None:
                refused({**params, "command": name, "reason": "asked on the socket by an agent's process"})
                deed = "stop the daemon" if name == "stop" else f"ask for `{name}`"
                raise ValueError(f"only a person may {deed}, and this process belongs to an agent")
            return method(params)

        return guarded

    guarded = {
        name: method if name in _OPEN else for_people(name, method) for name, method in methods.items()
    }
    return {**guarded, "person.check": check, "person.refused": refused}
