"""What becomes of an ask: the host's own prompt, a ticket, or a call that is held for an answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

import msgspec

from interlock.daemon.answer import Opened
from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.names import CLOSED, EventName
from interlock.events.verdict import Vote
from interlock.features.approvals.host_prompts import HostPrompts
from interlock.features.approvals.rules import APPROVAL
from interlock.features.approvals.standing import standing_answer
from interlock.features.approvals.tickets import Tickets
from interlock.features.approvals.waiting_calls import Held

_TOLD: Final = frozenset({EventName.USER_PROMPT_SUBMIT, EventName.STOP})


class AskSettlement:
    """Settles asks; silence is not consent."""

    def __init__(
        self,
        tickets: Tickets,
        held: Held | None = None,
        *,
        commit_soon: Callable[[], object] = lambda: None,
    ) -> None:
        self._tickets: Final = tickets
        self._held: Final = held or Held()
        self._prompts: Final = HostPrompts()
        self._commit_soon: Final = commit_soon  # a request must be there for people to see

    def settle(self, opened: Opened, decision: Decision) -> Decision:
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

    def at_turn(self, opened: Opened, decision: Decision) -> Decision:
        """With what a person refused meanwhile: at the next prompt, or else before the turn ends."""
        event = opened.event
        if event.name not in _TOLD or decision.vote is Vote.DENY:
            return decision
        ends = event.name == EventName.STOP
        if (ends and not opened.host.most_rounds) or not (refused := self._tickets.untold(event.session_id)):
            return decision
        if not ends:
            return msgspec.structs.replace(decision, context=(*decision.context, *refused))
        reason = f"{'; '.join(refused)}; take that into account, or say so and end your turn again"
        return msgspec.structs.replace(decision, vote=Vote.DENY, reason=reason, decided_by="approvals")

    def holds(self, opened: Opened, decision: Decision) -> bool:
        """Whether a call waits here for its answer instead of being sent away."""
        return (
            decision.vote is Vote.ASK
            and APPROVAL.of(opened.loaded).wait_s > 0
            and opened.event.name in CLOSED
            and not self._to_host(opened, decision)
            and _granted(opened, decision) is None
        )

    async def hold(self, opened: Opened, decision: Decision, seconds: float) -> Decision:
        """The decision after a person had some time to answer; raises as `settle` does."""
        asked = self.settle(opened, decision)
        name = asked.approval or ""
        if not self._tickets.waits(name):
            return asked
        self._commit_soon()
        if await self._held.wait(name, min(APPROVAL.of(opened.loaded).wait_s, seconds)):
            return self.settle(opened, decision)
        self._tickets.abandon(name)
        return msgspec.structs.replace(asked, reason=f"whoever asked for {name} has gone")

    @staticmethod
    def _to_host(opened: Opened, decision: Decision) -> bool:
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


def _granted(opened: Opened, decision: Decision) -> Decision | None:
    """The answer the policy itself has for an ask."""
    loaded = opened.loaded
    return standing_answer(opened.event, decision, loaded, opened.host.tools)
