"""What a host's own prompt decided, as far as what happens next tells it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sized
from typing import Final

import msgspec

from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.names import EventName

_REMEMBERED: Final = 4_096
_RAN: Final = frozenset({EventName.POST_TOOL_USE, EventName.POST_TOOL_USE_FAILURE})
# By now the person has answered: the turn is over, or another one begins.
_OVER: Final = frozenset({EventName.STOP, EventName.STOP_FAILURE, EventName.USER_PROMPT_SUBMIT})
_BY: Final = "host prompt"


class Prompted(msgspec.Struct, frozen=True, kw_only=True):
    """A question that went to the host's prompt."""

    actor: str
    agent_id: str | None
    tool: str
    rule: str | None
    revision: str


class HostPrompts:
    """Remembers questions until what follows tells the answer; one that was forgotten tells nothing."""

    def __init__(self) -> None:
        self._asked: Final[OrderedDict[tuple[str, str], Prompted]] = OrderedDict()
        self.waiting: Final[Sized] = self._asked  # questions whose answer nobody knows yet

    def asked(self, event: Event, decision: Decision) -> None:
        """A question was left to the host."""
        if event.name != EventName.PRE_TOOL_USE or event.tool is None or not event.tool.use_id:
            return
        self._asked[event.session_id, event.tool.use_id] = Prompted(
            actor=event.actor,
            agent_id=event.agent_id,
            tool=event.tool.name,
            rule=decision.decided_by,
            revision=decision.revision,
        )
        while len(self._asked) > _REMEMBERED:
            self._asked.popitem(last=False)

    def inferred(self, event: Event) -> Iterator[dict[str, object]]:
        """What an event tells about earlier questions, as bodies for the ledger."""
        if event.name in _RAN and event.tool is not None and event.tool.use_id:
            key = (event.session_id, event.tool.use_id)
            if (found := self._asked.pop(key, None)) is not None:
                yield _body(key, found, "approved")
            return
        for key in [key for key, one in self._asked.items() if _over(event, key[0], one)]:
            yield _body(key, self._asked.pop(key), "not run")


def _over(event: Event, session_id: str, one: Prompted) -> bool:
    if event.session_id != session_id:
        return False
    if event.name == EventName.SESSION_END:
        return True
    if event.name == EventName.SUBAGENT_STOP:
        return one.agent_id is not None and one.agent_id == event.agent_id
    # A sub-agent may still be asking when the turn of the main agent is over.
    return event.name in _OVER and one.agent_id is None


def _body(key: tuple[str, str], one: Prompted, state: str) -> dict[str, object]:
    session_id, use_id = key
    return {
        "state": state,
        "inferred": True,
        "by": _BY,
        "session_id": session_id,
        "tool_use_id": use_id,
        "actor": one.actor,
        "tool": one.tool,
        "decided_by": one.rule,
        "revision": one.revision,
    }
