"""Requests that only a person may make: the kernel says which process asks, and whose child it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from interlock.daemon.agents import Agents
from interlock.daemon.rpc import PEER, Method, Methods

_LONGEST: Final = 400

Note = Callable[[str, dict[str, object]], object]


def guarded_methods(methods: Mapping[str, Method], agents: Agents, note: Note) -> Methods:
    """The methods, `stop` for people only, and two by which the command line asks and reports."""

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

    def stop(params: dict[str, Any]) -> Any:
        if agents.above(params[PEER]) is not None:
            refused({**params, "command": "stop", "reason": "asked on the socket by an agent's process"})
            raise ValueError("only a person may stop the daemon, and this process belongs to an agent")
        return methods["stop"](params)

    return {**methods, "stop": stop, "person.check": check, "person.refused": refused}
