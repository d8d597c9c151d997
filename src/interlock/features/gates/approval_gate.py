"""`approval_gate`: holds work back until a person approves it."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from typing import Annotated, Any, Final, final

import msgspec
from msgspec import UNSET, UnsetType

from interlock.errors import ConditionError
from interlock.events.event import Event
from interlock.events.hook import CallView, Condition, Handler, Hook, Matcher, Pattern
from interlock.events.names import EventName
from interlock.events.rule import Rule
from interlock.events.verdict import NO_OPINION, Verdict, Vote, allow, deny
from interlock.features.commitments.checks import Review
from interlock.features.gates.reviews import Gate, WorkReviews
from interlock.patterns.matcher import parse_matcher
from interlock.policy.format.entry import Approvers, Text, about
from interlock.policy.hook_kind import BuildContext, Builtin

GUARDS: Final = ("Bash(git push *)",)
_ASKS: Final = "the policy wants a person to approve this call"


@final
class ApprovalGate(Rule):
    """At the end of a turn asks for approval of the work; until then denies what it guards.

    Anywhere else it asks about the call itself. Without reviews to keep, as in a Python agent's own engine,
    it cannot ask at the end of a turn, and asks about every guarded call.
    """

    kind: Final = "approval_gate"
    judges_carried = True

    def __init__(
        self,
        condition: Condition | None,
        approvers: Sequence[str] = (),
        *,
        guards: Sequence[str] = GUARDS,
        at_stop: bool = True,
        reviews: WorkReviews | None = None,
    ) -> None:
        self._condition: Final = condition
        self._at_stop: Final = at_stop
        self._reviews: Final = reviews
        self.gate: Final = Gate(approvers=tuple(approvers), guards=tuple(guards))

    def fingerprint(self) -> Any:
        known = [self._condition.text if self._condition else None, list(self.gate.approvers)]
        return known if self.gate.guards == GUARDS else [*known, list(self.gate.guards)]

    def run(self, view: CallView, seconds: float) -> Verdict | Awaitable[Verdict]:
        event, reviews = view.event, self._reviews
        if self._at_stop and reviews is not None:
            if event.name != EventName.STOP:
                return self._guard(event, reviews)
            if not self.applies(event):
                before = reviews.standing(event, self.gate)
                if before is None or before.approved:
                    return NO_OPINION
            return self._request(event, reviews)
        if not self.applies(event):
            return NO_OPINION
        if self._at_stop and event.tool is None:
            return Verdict(reason="a gate at the end of a turn needs the daemon")
        return Verdict(vote=Vote.ASK, reason=_ASKS, approvers=self.gate.approvers)

    def applies(self, event: Event) -> bool:
        """Whether the work of this event needs approval; if its condition fails, it does."""
        try:
            return self._condition is None or self._condition.holds(event)
        except ConditionError:
            return True

    async def _request(self, event: Event, reviews: WorkReviews) -> Verdict:
        """Open the request and let the turn end; it stays open until it is approved."""
        review = await reviews.ask(event, self.gate)
        if review.approved:
            return _approve(review)
        if review.state == "denied":
            return deny(explain_wait(review, self.gate, event.commitment_id))
        what = event.commitment_id or "this session's work"
        reason = f"{what} needs approval {review.name} by {self.gate.names}"
        if more := "; ".join(filter(None, (review.before, review.note))):
            reason += f" ({more})"
        message = f"{reason}. Run `interlock approve {review.name}` to approve it."
        return Verdict(reason=reason, message=message if review.new else None)

    def _guard(self, event: Event, reviews: WorkReviews) -> Verdict | Awaitable[Verdict]:
        applies = self.applies(event)
        review = reviews.holding(event, self.gate)
        if review is None and not applies:
            return NO_OPINION
        if review is None or review.state in {"pending", "denied"}:
            if review is not None and review.state == "denied":
                reviews.requests.mark_denial_delivered(review.name)
            return deny(explain_wait(review, self.gate, event.commitment_id))
        return self._renew(review, event, reviews, applies=applies)

    async def _renew(self, before: Review, event: Event, reviews: WorkReviews, *, applies: bool) -> Verdict:
        review = await reviews.renew(before, event, self.gate)
        if not review.approved:
            return deny(explain_wait(review, self.gate, event.commitment_id))
        return _approve(review) if applies else NO_OPINION


def _approve(review: Review) -> Verdict:
    return allow(f"approved by {review.by} ({review.name})")


def explain_wait(review: Review | None, gate: Gate, commitment: str | None) -> str:
    """Why something waits, for which approval, and what to do."""
    what, names = commitment or "this session's work", gate.names
    if review is None:
        return f"{what} needs approval by {names} first. End your turn to ask for it."
    if review.state == "pending":
        why = f" ({review.before})" if review.before else ""
        ask = f"Ask {' or '.join(gate.approvers) or 'the user'} to run `interlock approve {review.name}`"
        return f"{what} needs approval by {names} first{why}. {ask}, then try again."
    if review.state == "denied":
        why = f": {review.note}" if review.note else ""
        return f"{review.by} denied {review.name} for {what}{why}. Fix it, then end your turn to ask again."
    if review.state == "stale":
        why = review.note or "its content changed"
        return f"{what} needs another approval by {names}, because {why}. End your turn to ask for it."
    return f"{review.name} for {what} ended without an approval. End your turn to ask again."


@final
class GuardMatcher:
    """Matches the end of a turn, and the calls that wait for an approval."""

    needs_tool: Final = False
    by_patterns_alone: Final = False
    text: Final = "*"

    def __init__(self, guards: Matcher | None) -> None:
        self._guards: Final = guards
        self.patterns: Final[Sequence[Pattern]] = guards.patterns if guards else ()

    def fires(self, view: CallView, *, every_part: bool) -> bool:
        if view.event.tool is None:
            return True
        return self._guards is not None and self._guards.fires(view, every_part=every_part)


class ApprovalConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """When a person is needed, and who."""

    condition: Annotated[Text, about("A CEL expression.")] | UnsetType = UNSET
    approvers: Approvers = []
    guards: Annotated[list[Text], about("Patterns of calls that wait too. Default: `Bash(git push *)`.")] = (
        msgspec.field(default_factory=lambda: list(GUARDS))
    )


def _make(options: ApprovalConfig, context: BuildContext) -> Handler | None:
    """At the end of a turn the gate holds work back, at other events it asks about the call."""
    approvers = context.approvers(options.approvers)
    condition = context.condition("condition", options.condition) if options.condition else None
    if options.condition and condition is None:
        return None
    return ApprovalGate(
        condition,
        approvers,
        guards=options.guards,
        at_stop=context.event is EventName.STOP,
        # In a trial it must not open requests.
        reviews=None if context.trial else context.services.find(WorkReviews),
    )


def _finish(made: Hook, options: ApprovalConfig, context: BuildContext) -> Hook | None:
    """A gate at the end of a turn also guards calls."""
    if context.event is not EventName.STOP:
        return made
    guards = context.attempt("guards", parse_matcher, options.guards or None)
    if guards is None:
        return None
    if options.guards and not guards.needs_tool:
        message = "this guards every call, including those that do the work; name the calls that should wait"
        context.problem("guards", message)
        return None
    events = (EventName.STOP, EventName.PRE_TOOL_USE)
    matcher = GuardMatcher(guards if options.guards else None)
    return msgspec.structs.replace(made, events=events, matcher=matcher, quiet=True)


BUILTIN: Final = Builtin(
    kind="approval_gate",
    about="Holds work back until a person approves.",
    options=ApprovalConfig,
    make=_make,
    votes=True,
    tightens=True,
    finish=_finish,
)
