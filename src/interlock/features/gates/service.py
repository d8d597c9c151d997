"""Gates in the daemon: the reviews of commitments, the state of projects, and cancelled sessions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from interlock.daemon.extension import DaemonContext
from interlock.daemon.policy_loader import Loaded, Policies
from interlock.engine.engine import Engine
from interlock.errors import ConditionError
from interlock.events.event import Event
from interlock.events.hook import Hook
from interlock.events.names import EventName
from interlock.events.tool import ToolCall
from interlock.events.verdict import Vote
from interlock.features.approvals.service import ApprovalService
from interlock.features.approvals.settings import APPROVAL
from interlock.features.commitments.checks import CommitmentReviews, Review
from interlock.features.commitments.compile import COMMITMENTS
from interlock.features.commitments.records import Commitment, RefusedError
from interlock.features.commitments.service import Caller, Commitments, CommitmentService, facts_of
from interlock.features.gates.approval_gate import ApprovalGate, explain_wait
from interlock.features.gates.cancellations import CancelledSessions
from interlock.features.gates.reviews import Gate, WorkReviews
from interlock.hosts.claude_code.tools import CLAUDE_CODE_TOOLS
from interlock.policy.compile.context import judging_hooks
from interlock.policy.trust import TrustList


class GateReviews:
    """What the gates of a policy say about a commitment, when somebody operates on it."""

    def __init__(self, reviews: WorkReviews, commitments: Commitments) -> None:
        self._reviews: Final = reviews
        self._commitments: Final = commitments

    def any_wanted(self, loaded: Loaded) -> bool:
        return any(gates_of(loaded))

    def of_commitment(self, commitment: Commitment, loaded: Loaded, caller: Caller) -> Review | None:
        """The first review that waits, else an approval; None if no gate applies.

        `note` says why it waits. Only `look` finds out whether an approval is about the present content.
        """
        found: Review | None = None
        for event, gate, review in self._reviews_of(commitment, loaded, caller):
            if review is None or not review.approved:
                name, state = (review.name, review.state) if review else ("", "pending")
                return Review(name=name, state=state, note=explain_wait(review, gate, event.commitment_id))
            found = review
        return found

    def sent_back(self, commitment: str, loaded: Loaded, by: str, note: str | None) -> None:
        self._reviews.requests.sent_back(commitment, by, note, APPROVAL.get(loaded))

    async def look(self, commitment: Commitment, loaded: Loaded, caller: Caller) -> None:
        for _, gate, review in list(self._reviews_of(commitment, loaded, caller)):
            found = self._reviews.requests.get(review.name) if review else None
            if found is not None and gate.approved(found):
                await self._reviews.check_content(found)

    async def ask_about(
        self, commitment: Commitment, loaded: Loaded, caller: Caller, *, submitted: bool
    ) -> list[Review]:
        waits = []
        for event, gate, review in list(self._reviews_of(commitment, loaded, caller)):
            if review is None:
                wanted = submitted or caller.person
            else:
                wanted = not review.approved and (submitted or review.state != "denied")
            if wanted:
                waits.append(await self._reviews.ask_again(event, gate))
        return waits

    def _reviews_of(
        self, commitment: Commitment, loaded: Loaded, caller: Caller
    ) -> Iterator[tuple[Event, Gate, Review | None]]:
        """The gates that apply to a commitment, or did, and the state of each request."""
        facts = facts_of(commitment, self._commitments.state(caller.workspace), COMMITMENTS.get(loaded))
        event = Event(  # as at the end of a turn that works on this commitment
            name=EventName.STOP,
            session_id=commitment.session or caller.session_id or "",
            cwd=caller.workspace,
            project=caller.workspace,
            actor=commitment.owner or caller.actor,
            commitment_id=commitment.id,
            commitment=facts,
        )
        for handler in gates_of(loaded, event):
            review = self._reviews.standing(event, handler.gate)
            if review is not None or handler.applies(event):
                yield event, handler.gate, review


def gates_of(loaded: Loaded, event: Event | None = None) -> Iterator[ApprovalGate]:
    """The gates of a policy at the end of a turn; with an event, those whose `if` holds for it."""
    for hook in loaded.engine.hooks:
        handler = hook.handler
        if not isinstance(handler, ApprovalGate) or EventName.STOP not in hook.events:
            continue
        if not hook.shadow and not hook.observe and (event is None or _holds(hook, event)):
            yield handler


def _holds(hook: Hook, event: Event) -> bool:
    try:
        return hook.condition is None or hook.condition.holds(event)
    except ConditionError:
        return True


_SECONDS: Final = 10.0  # for all rules together


class ProjectState:
    """What a completion contract asks about a project: trust, its commitments, its policy."""

    def __init__(
        self, trust: TrustList, policies: Policies, commitments: Commitments, reviews: CommitmentReviews
    ) -> None:
        self._trust: Final = trust
        self._policies: Final = policies
        self._commitments: Final = commitments
        self._reviews: Final = reviews

    def trusted_folder(self, event: Event) -> str | None:
        """The real folder of the event's project if a person trusts it as it is now."""
        root = self._root(event)
        return root if root and self._trust.trusts(root) else None

    def commitments(self, event: Event, names: Sequence[str] | None) -> list[Commitment]:
        """The commitments with these names that exist; without names, those the session made or claimed."""
        root = self._root(event)
        if root is None:
            return []
        known = self._commitments.state(root).commitments
        if names is not None:
            return [known[name] for name in names if name in known]
        session = event.session_id
        return [row for row in known.values() if session and session in {row.session, row.made_in}]

    async def objection(self, event: Event, command: str) -> str | None:
        """Why the actor may not run a command itself, or None."""
        loaded = self._policies.for_folder(event.cwd, event.project)
        # Only rules that judge, so that a question leaves no trace of a call.
        engine = Engine(judging_hooks(loaded.engine.hooks), tools=CLAUDE_CODE_TOOLS)
        call = ToolCall(name="Bash", input={"command": command})
        event_of_call = Event(
            name=EventName.PRE_TOOL_USE,
            session_id=event.session_id,
            cwd=event.cwd,
            project=event.project,
            actor=event.actor,
            tool=call,
            commitment_id=event.commitment_id,
            commitment=event.commitment,
        )
        decision = await engine.decide(event_of_call, budget=_SECONDS)
        return decision.reason or str(decision.vote) if decision.vote >= Vote.ASK else None

    async def submit(self, event: Event, summary: str) -> str | None:
        """Submit what the session has claimed, if anything, and say what became of it."""
        name = event.commitment_id
        place = self._commitments.place_of(name) if name else None
        if name is None or place is None:
            return None
        loaded = self._policies.for_folder(event.cwd, event.project)
        caller = Caller(actor=event.actor, workspace=place, person=False, session_id=event.session_id)
        reviews = self._reviews
        await reviews.look(self._commitments.state(place).commitments[name], loaded, caller)
        try:
            self._commitments.perform(
                "submit",
                {"commitment": name, "summary": summary},
                caller,
                COMMITMENTS.get(loaded),
                review=lambda commitment: reviews.of_commitment(commitment, loaded, caller),
            )
        except RefusedError as error:
            return f"{name} was not submitted: {error.sentence}"
        return f"{name} is {self._commitments.state(place).commitments[name].state}"

    def _root(self, event: Event) -> str | None:
        folder = event.project or event.cwd
        return self._policies.marked(folder) if folder else None


class GateService:
    def __init__(self, context: DaemonContext) -> None:
        commitments = context.need(CommitmentService).commitments
        requests = context.need(ApprovalService).work
        self._reviews: Final = WorkReviews(context.policies, requests, commitments)
        self._of_commitments: Final = GateReviews(self._reviews, commitments)
        self._state: Final = ProjectState(context.trust, context.policies, commitments, self._of_commitments)
        self._cancelled: Final = CancelledSessions(
            context.connection, context.ledger, context.committer.commit
        )

    @property
    def parts(self) -> tuple[CancelledSessions]:
        return (self._cancelled,)

    def standing_hooks(self) -> Sequence[Hook]:
        return self._cancelled.standing_hooks()

    def hook_services(self) -> Mapping[type[Any], object]:
        return {
            WorkReviews: self._reviews,
            CommitmentReviews: self._of_commitments,
            ProjectState: self._state,
        }
