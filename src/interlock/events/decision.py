"""What was decided for one event, and why."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from interlock.events.names import refusal_word
from interlock.events.tool import JsonObject
from interlock.events.verdict import Evidence, Outcome, Vote

OUTCOMES: Final = ("allow", "allow", "ask", "deny")  # what people call each of the four votes


def needs_approval(approval: object, reason: object) -> bool:
    """Whether a deny with that approval and reason stands only until somebody answers."""
    if not isinstance(approval, str) or not isinstance(reason, str):
        return False
    # The last is how versions before 0.2 began it; ledgers keep those.
    return f"`interlock approve {approval}`" in reason or reason.startswith(f"approval {approval} requested")


class TraceRow(msgspec.Struct, frozen=True, gc=False):
    """What one hook did for this event."""

    hook: str
    type: str
    matcher: str
    source: str
    vote: Vote
    outcome: Outcome
    reason: str | None = None
    duration_ms: float = 0.0
    shadow: bool = False  # recorded, changes nothing
    rejudged: bool = False  # a second run, on the final input
    passed_open: bool = False  # it failed, and policy let that pass
    updated_input: JsonObject | None = None
    evidence: Evidence | None = None  # what the hook wants kept
    gave: tuple[str, ...] = ()  # what else it gave or changed: context, message, prompt, output


class Decision(msgspec.Struct, frozen=True, gc=False):
    """The strictest vote, everything the hooks want said or changed, and the trace."""

    vote: Vote
    reason: str | None = None
    decided_by: str | None = None  # the hook whose vote it is
    updated_input: JsonObject | None = None
    updated_prompt: str | None = None
    updated_output: Any = msgspec.UNSET
    context: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    approvers: tuple[tuple[str, ...], ...] = ()  # of an ask: whoever says yes stands in each of these lists
    approval: str | None = None  # the request (`ap_7`) or grant (`gr_3`) an ask was settled by
    auto_approve: bool = False  # a trusted entry lets the host skip its own prompt
    trace: tuple[TraceRow, ...] = ()
    degraded: tuple[str, ...] = ()  # what the host could not carry out
    revision: str = ""  # the policy this was decided under
    unread: str | None = None  # why the call's text could not be accounted for
    open_passes: int = 0  # hooks that failed while the call went on
    event: str = ""  # the moment that was decided

    @property
    def outcome(self) -> str:
        """The decision in the word people use: allow, ask or deny."""
        return OUTCOMES[self.vote]

    @property
    def denied(self) -> bool:
        return self.vote is Vote.DENY

    @property
    def feedback(self) -> str | None:
        """What the agent is told when it may not go on."""
        if self.vote < Vote.ASK:
            return None
        told = f"{refusal_word(self.event)}: {self.reason}{self._by_rule}"
        return told if self.denied else self.reason

    @property
    def _by_rule(self) -> str:
        """The rule of a pack, by which a person finds and changes it; a reason of their own they know."""
        return f" (rule {self.decided_by})" if self.decided_by and "/" in self.decided_by else ""

    def let_be(self, why: str) -> Decision:
        """The same where its block is not carried out; the trace says so."""
        rows = tuple(
            not_carried_out(row, why) if row.hook == self.decided_by and row.vote is self.vote else row
            for row in self.trace
        )
        return msgspec.structs.replace(
            self,
            vote=Vote.ABSTAIN,
            reason=None,
            decided_by=None,
            trace=rows,
            degraded=(*self.degraded, why),
        )


def not_carried_out(row: TraceRow, why: str) -> TraceRow:
    """The row of a hook whose block sends nobody back."""
    said = f"; it said: {row.reason}" if row.reason else ""
    return msgspec.structs.replace(row, reason=f"not carried out: {why}{said}")
