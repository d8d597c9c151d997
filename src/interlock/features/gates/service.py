"""Gates in the daemon: who may pass, and what a completion contract knows of its project."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from interlock.daemon.call_intake import ParsedCall
from interlock.daemon.extension import DaemonContext
from interlock.daemon.jsonrpc import Methods
from interlock.daemon.people_only import person_name
from interlock.daemon.policy_loader import Policies
from interlock.engine.engine import Engine
from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.hook import Hook
from interlock.events.names import EventName
from interlock.events.tool import ToolCall
from interlock.events.verdict import Vote
from interlock.features.approvals.service import ApprovalService
from interlock.features.commitments.checks import CommitmentReviews
from interlock.features.commitments.compile import COMMITMENTS
from interlock.features.commitments.records import Commitment, RefusedError
from interlock.features.commitments.service import Caller, Commitments, CommitmentService
from interlock.features.gates.cancellations import (
    CancellationsInStore,
    CancelledSessions,
    cancellation,
)
from interlock.features.gates.project_state_api import Owed, ProjectStateApi, Reviews
from interlock.features.gates.review_requests import ReviewRequests
from interlock.hosts.claude_code.tools import CLAUDE_CODE_TOOLS
from interlock.policy.compile.context import judging
from interlock.policy.trust import TrustList

_SECONDS: Final = 10.0  # for all rules together


class ProjectState:
    """Answers the questions of contracts."""

    def __init__(
        self, trust: TrustList, policies: Policies, commitments: Commitments, reviews: ReviewRequests
    ) -> None:
        self._trust: Final = trust
        self._policies: Final = policies
        self._commitments: Final = commitments
        self._reviews: Final = reviews

    def trusted(self, event: Event) -> str | None:
        """The real folder of the project of this event when a person trusts it as it is now, else None."""
        root = self._root(event)
        return root if root and self._trust.trusts(root) else None

    def owed(self, event: Event, names: Sequence[str] | None) -> list[Owed]:
        """The commitments the session made or claimed, or those of these names; unknown ones are left out."""
        root = self._root(event)
        if root is None:
            return []
        known = self._commitments.state(root).commitments
        session = event.session_id
        if names is not None:
            found = [known[name] for name in names if name in known]
        else:
            found = [one for one in known.values() if session and session in {one.session, one.made_in}]
        return [_to_owed(one) for one in found]

    async def objection(self, event: Event, command: str) -> str | None:
        """Why the actor could not run a command itself, None when it could."""
        loaded = self._policies.for_folder(event.cwd, event.project)
        # Only rules that judge: asking must leave no trace of a call that is none.
        engine = Engine(judging(loaded.engine.hooks), tools=CLAUDE_CODE_TOOLS)
        call = ToolCall(name="Bash", input={"command": command})
        asked = Event(
            name=EventName.PRE_TOOL_USE,
            session_id=event.session_id,
            cwd=event.cwd,
            project=event.project,
            actor=event.actor,
            tool=call,
            commitment_id=event.commitment_id,
            commitment=event.commitment,
        )
        decision = await engine.decide(asked, budget=_SECONDS)
        return decision.reason or str(decision.vote) if decision.vote >= Vote.ASK else None

    async def hand_in(self, event: Event, summary: str) -> str | None:
        """Submit what the session has claimed; gives what became of it, None when there was nothing."""
        name = event.commitment_id
        if name is None:
            return None
        place = self._commitments.place_of(name)
        if place is None:
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
                review=lambda one: reviews.of_commitment(one, loaded, caller),
            )
        except RefusedError as error:
            return f"{name} was not submitted: {error.sentence}"
        return f"{name} is {self._commitments.state(place).commitments[name].state}"

    def _root(self, event: Event) -> str | None:
        folder = event.project or event.cwd
        return self._policies.marked(folder) if folder else None


def _to_owed(one: Commitment) -> Owed:
    return Owed(id=one.id, state=str(one.state), ended=one.ended, evidence=len(one.evidence))


class GateService:
    """Requests about work, the state of projects, and sessions that a person has cancelled."""

    def __init__(self, context: DaemonContext) -> None:
        commitments = context.need(CommitmentService).commitments
        self._context: Final = context
        self._cancelled: Final = CancelledSessions(CancellationsInStore(context.connection), context.ledger)
        self._reviews: Final = ReviewRequests(
            context.policies, context.need(ApprovalService).work, commitments
        )
        self._state: Final = ProjectState(context.trust, context.policies, commitments, self._reviews)

    def hook_services(self) -> Mapping[type[Any], object]:
        """What gates ask; operations on commitments ask about their reviews here, too."""
        return {
            Reviews: self._reviews,
            CommitmentReviews: self._reviews,
            ProjectStateApi: self._state,
        }

    def standing_hooks(self) -> Sequence[Hook]:
        """A cancelled session makes no calls, whatever a policy says."""
        return (cancellation(self._cancelled),)

    def at_turn(self, opened: ParsedCall, decision: Decision) -> Decision:
        """A cancelled session may end its turn."""
        return self._cancelled.settled(opened.event, decision)

    def people_methods(self) -> Methods:
        """Cancelling sessions."""
        return self._cancelled.methods(person_name(), self._context.committer.commit)
