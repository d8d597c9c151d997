"""What holds work back until a person or a contract lets it go, in the daemon."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from interlock.daemon.call_intake import ParsedCall
from interlock.daemon.extension import DaemonContext
from interlock.daemon.jsonrpc import Methods
from interlock.daemon.people_only import person_name
from interlock.events.decision import Decision
from interlock.events.hook import Hook
from interlock.features.approvals.service import ApprovalService
from interlock.features.commitments.reviews import CommitmentReviews
from interlock.features.commitments.service import CommitmentService
from interlock.features.gates.cancellations import (
    CancellationsInStore,
    CancelledSessions,
    cancellation,
)
from interlock.features.gates.project_state import ProjectState
from interlock.features.gates.project_state_api import Ground, Reviews
from interlock.features.gates.review_requests import ReviewRequests


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
            Ground: self._state,
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
