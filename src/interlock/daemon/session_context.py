"""Who and where: what features know of an event's session, and what its host said of it."""

from __future__ import annotations

import hashlib
from typing import Final

import msgspec

from interlock.daemon.extension import Extensions
from interlock.daemon.policy_loader import Loaded
from interlock.events.actor import ActorMap
from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.names import EventName
from interlock.events.tool import JsonObject
from interlock.events.tool_table import OWN

_MOST_CALLS: Final = 1_024  # calls remembered; one is forgotten when it is taken
_KEPT_MEMBERS: Final = ("entrypoint",)  # of what the host says besides: whether a person is there


class Reported(msgspec.Struct, frozen=True, kw_only=True):
    """A call of one of our tools, without what it was given."""

    event: Event  # who and where; its tool is left out
    digest: str  # of the tool and its input


class Callers:
    """Remembers calls between the moment their host reports them and the moment our server gets them.

    A server of tools is started once for a session and hears of no sub-agent; the report says which calls.
    """

    def __init__(self) -> None:
        self._calls: Final[dict[tuple[str, str], Reported]] = {}

    def decided(self, event: Event, decision: Decision) -> None:
        """Take notice of a call of one of our tools that may be made, with the input it will have."""
        tool = event.tool
        if (
            tool is None
            or not tool.name.startswith(OWN)
            or event.name != EventName.PRE_TOOL_USE
            or not tool.use_id
        ):
            return
        if decision.denied:
            return  # nobody may make it, under whichever name
        extra = {name: event.extra[name] for name in _KEPT_MEMBERS if name in event.extra}
        lean = msgspec.structs.replace(event, tool=None, extra=extra)
        given = tool.input if decision.updated_input is None else decision.updated_input
        digest = _call_digest(tool.name.removeprefix(OWN), given)
        self._calls[event.session_id, tool.use_id] = Reported(event=lean, digest=digest)
        if len(self._calls) > _MOST_CALLS:
            del self._calls[next(iter(self._calls))]

    def take(self, session: str | None, use_id: object, tool: str, arguments: JsonObject) -> Event | None:
        """Who made exactly this call; None when nobody did, or it was taken before."""
        if session is None or not isinstance(use_id, str):
            return None
        found = self._calls.get((session, use_id))
        if found is None or found.digest != _call_digest(tool, arguments):
            return None
        del self._calls[session, use_id]
        return found.event


def _call_digest(tool: str, arguments: JsonObject) -> str:
    return hashlib.sha256(msgspec.json.encode([tool, arguments], order="sorted")).hexdigest()


_KIND_UNKNOWN: Final = "subagent"  # a sub-agent whose kind the host does not tell


def with_actor(event: Event, actors: ActorMap, chosen: str | None = None) -> Event:
    """The event with its actor; a sub-agent also has the main agent as its parent."""
    main = actors.main if chosen is None else actors.of_main(chosen)
    # A kind without an id is the main agent, started in that role.
    if event.agent_id is None:
        if event.actor == main and event.parent_actor is None:
            return event
        return msgspec.structs.replace(event, actor=main, parent_actor=None)
    actor = actors.of_subagent(event.agent_type or _KIND_UNKNOWN)
    return msgspec.structs.replace(event, actor=actor, parent_actor=main)


_MOST: Final = 4_096  # sessions remembered


class SessionContext:
    """Looks a session up at each of its events; also remembers what its host said of it."""

    def __init__(self, extensions: Extensions) -> None:
        self._enrichers: Final = extensions.enrichers
        self._chosen: Final[dict[str, str]] = {}
        self._projects: Final[dict[str, str]] = {}
        self.callers: Final = Callers()

    def enrich(self, event: Event, loaded: Loaded, chosen: str | None = None) -> Event:
        """The event with what it is about; `chosen` is the actor its host's environment asks for."""
        if chosen is not None:
            _remember(self._chosen, event.session_id, chosen)
        if event.project is not None:
            _remember(self._projects, event.session_id, event.project)
        for enrich in self._enrichers:
            event = enrich(event, loaded)
        return event

    def chosen(self, session: str) -> str | None:
        """The actor a session's host asked for when it last reported something."""
        return self._chosen.get(session)

    def project(self, session: str) -> str | None:
        """The project a session is in, as its host told when it last reported something."""
        return self._projects.get(session)


def _remember(memory: dict[str, str], session: str, told: str) -> None:
    if len(memory) >= _MOST and session not in memory:
        memory.clear()
    memory[session] = told
