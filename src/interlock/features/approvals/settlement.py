"""What becomes of an ask: the host's own prompt, a ticket, or a call that is held for an answer."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sized
from typing import Any, Final

import msgspec

from interlock.daemon.call_intake import ParsedCall
from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.names import CLOSED, EventName
from interlock.events.verdict import Vote
from interlock.features.approvals.settings import APPROVAL
from interlock.features.approvals.standing_grants import standing_answer
from interlock.features.approvals.tickets import Tickets

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


class WaitingCalls:
    """Who waits for the answer to which request."""

    def __init__(self) -> None:
        self._waiting: Final[dict[asyncio.Future[bool], tuple[str, object]]] = {}

    async def wait(self, name: str, seconds: float) -> bool:
        """Wait for a request to be answered; False when whoever asked has gone."""
        future: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting[future] = (name, asyncio.current_task())
        try:
            return await asyncio.wait_for(future, max(0.0, seconds))
        except TimeoutError:
            return True
        finally:
            del self._waiting[future]

    def answered(self, name: str) -> None:
        """A person has said something about a request."""
        self._end([future for future, (waited, _) in self._waiting.items() if waited == name])

    def gone(self, task: Any) -> None:
        """Nobody takes what a task would answer."""
        self._end([future for future, (_, by) in self._waiting.items() if by is task], still_there=False)

    def let_go(self) -> None:
        """The daemon ends: whoever waits gets the ticket."""
        self._end(list(self._waiting))

    @staticmethod
    def _end(futures: list[asyncio.Future[bool]], *, still_there: bool = True) -> None:
        for future in futures:
            if not future.done():
                future.set_result(still_there)


_TOLD: Final = frozenset({EventName.USER_PROMPT_SUBMIT, EventName.STOP})


class AskSettlement:
    """Settles asks; silence is not consent."""

    def __init__(
        self,
        tickets: Tickets,
        held: WaitingCalls | None = None,
        *,
        commit_soon: Callable[[], object] = lambda: None,
    ) -> None:
        self._tickets: Final = tickets
        self._held: Final = held or WaitingCalls()
        self._prompts: Final = HostPrompts()
        self._commit_soon: Final = commit_soon  # a request must be there for people to see

    def settle(self, opened: ParsedCall, decision: Decision) -> Decision:
        """The decision with its ask answered, or left to a person who sits at the host."""
        if decision.vote is not Vote.ASK:
            return decision
        if (granted := _granted(opened, decision)) is not None:
            return granted
        rules, root = APPROVAL.of(opened.loaded), opened.loaded.root
        if self._to_host(opened, decision):
            if (given := self._tickets.granted(opened.event, decision, root=root, rules=rules)) is not None:
                return given
            self._prompts.asked(opened.event, decision)
            return decision
        return self._tickets.settle(opened.event, decision, root=root, rules=rules)

    def at_turn(self, opened: ParsedCall, decision: Decision) -> Decision:
        """With what a person refused meanwhile: at the next prompt, or else before the turn ends."""
        event = opened.event
        if event.name not in _TOLD or decision.vote is Vote.DENY:
            return decision
        ends = event.name == EventName.STOP
        if (ends and not opened.host.most_rounds) or not (refused := self._tickets.untold(event.session_id)):
            return decision
        if not ends:
            return msgspec.structs.replace(decision, context=(*decision.context, *refused))
        reason = f"{'; '.join(refused)}. Take this into account, then end your turn again."
        return msgspec.structs.replace(decision, vote=Vote.DENY, reason=reason, decided_by="approvals")

    def holds(self, opened: ParsedCall, decision: Decision) -> bool:
        """Whether a call waits here for its answer instead of being sent away."""
        return (
            decision.vote is Vote.ASK
            and APPROVAL.of(opened.loaded).wait_s > 0
            and opened.event.name in CLOSED
            and not self._to_host(opened, decision)
            and _granted(opened, decision) is None
        )

    async def hold(self, opened: ParsedCall, decision: Decision, seconds: float) -> Decision:
        """The decision after a person had some time to answer; raises as `settle` does."""
        asked = self.settle(opened, decision)
        name = asked.approval or ""
        if not self._tickets.waits(name):
            return asked
        self._commit_soon()
        if await self._held.wait(name, min(APPROVAL.of(opened.loaded).wait_s, seconds)):
            return self.settle(opened, decision)
        self._tickets.abandon(name)
        return msgspec.structs.replace(asked, reason=f"the agent that asked for {name} is gone")

    @staticmethod
    def _to_host(opened: ParsedCall, decision: Decision) -> bool:
        # Whoever sits at the host need not be the one who is named.
        return not decision.approvers and opened.host.attended(opened.event)

    def observed(self, event: Event) -> Iterable[dict[str, object]]:
        """What an event tells about questions that went to the host's prompt; mostly there are none."""
        return self._prompts.inferred(event) if self._prompts.waiting else ()

    def answered(self, name: str) -> None:
        """A person has answered, and that is on the disk."""
        self._held.answered(name)

    def abandon(self, answer: Any) -> None:
        """Nobody waits any more for an answer that is being made."""
        self._held.gone(answer)

    def let_go(self) -> None:
        """Hold nothing any longer."""
        self._held.let_go()


def _granted(opened: ParsedCall, decision: Decision) -> Decision | None:
    """The answer the policy itself has for an ask."""
    loaded = opened.loaded
    return standing_answer(opened.event, decision, loaded, opened.host.tools)
