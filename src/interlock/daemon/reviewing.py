"""What gates ask of people, kept in the store: requests about work, and commitments put into review."""

from __future__ import annotations

import logging
from typing import Final

import msgspec

from interlock.approvals.request import Request
from interlock.approvals.work import Work, WorkRequests
from interlock.builtin.approval_gate import ApprovalGate, held
from interlock.builtin.reviews import Gate, Review, subject_of
from interlock.commitments.commitments import Caller, Commitments, facts_of
from interlock.commitments.records import Commitment, Status
from interlock.commitments.refusal import RefusedError
from interlock.daemon.policies import Loaded, Policies
from interlock.errors import ApprovalError, ConditionError, FailureKind, HookFailedError, StoreError
from interlock.event import Event
from interlock.hooks import Hook
from interlock.moment import EventName

_log: Final = logging.getLogger(__name__)
_SUMMARY: Final = 500
_UNSAID: Final = "Handed in at the end of a turn; the agent did not say what was done."
_LAST: Final = "last_assistant_message"


class Reviewing:
    """Asks for gates and answers them; nothing can be asked before `begin`."""

    def __init__(self) -> None:
        self._policies: Policies | None = None
        self._requests: WorkRequests | None = None
        self._commitments: Commitments | None = None

    def begin(self, policies: Policies, requests: WorkRequests, commitments: Commitments) -> None:
        """From now on there is a store to keep requests in."""
        self._policies, self._requests, self._commitments = policies, requests, commitments

    def ask(self, event: Event, gate: Gate) -> Review:
        """Find the request for the work of this session, or open it and put the commitment into review."""
        requests, work = self._at(event, gate)
        try:
            found = requests.find(work)
            waits = found is not None and found.state == "pending" and found.revision == work.revision
            if found is not None and (waits or _said_yes(found, gate)):
                return _review(found, gate)
            note = self._into_review(event)
            opened = requests.open(work, event, f"work that waits for {' or '.join(gate.approvers)}")
        except (StoreError, ApprovalError) as error:
            raise HookFailedError(FailureKind.CRASH, str(error)) from error
        return msgspec.structs.replace(_review(opened, gate), new=True, note=note)

    def standing(self, event: Event, gate: Gate) -> Review | None:
        """How the request stands; None when nobody was asked."""
        requests, work = self._at(event, gate)
        found = requests.find(work)
        return None if found is None else _review(found, gate)

    def holding(self, event: Event, gate: Gate) -> Review | None:
        """The same; else what the session asked for other work and got no yes to: it cannot be let go of."""
        found = self.standing(event, gate)
        if found is not None:
            return found
        requests, work = self._at(event, gate)
        other = requests.of_session(work, event.session_id) if event.session_id else None
        review = None if other is None else _review(other, gate)
        return None if review is None or review.approved else review

    def of_commitment(self, commitment: Commitment, loaded: Loaded, caller: Caller) -> Review | None:
        """What the gates of a policy say of a commitment: the first that waits, else a yes, else nothing.

        `note` of one that waits is the reason.
        """
        event = self._event_of(commitment, loaded, caller)
        found: Review | None = None
        for hook in loaded.engine.hooks:
            handler = _gate_of(hook, event)
            if handler is None:
                continue
            gate = handler.gate
            review = self.standing(event, gate)
            if review is None and not handler.means(event):
                continue
            if review is None or not review.approved:
                name = review.name if review else ""
                reason = held(review, gate, commitment.id)
                return Review(name=name, state=review.state if review else "pending", note=reason)
            found = review
        return found

    def _event_of(self, commitment: Commitment, loaded: Loaded, caller: Caller) -> Event:
        """The end of a turn in which this commitment is worked on, for the gates to look at."""
        _, _, commitments = self._begun()
        facts = facts_of(commitment, commitments.state(caller.workspace), loaded.charter)
        return Event(
            name=EventName.STOP,
            session_id=commitment.session or caller.session_id or "",
            cwd=caller.workspace,
            project=caller.workspace,
            actor=commitment.owner or caller.actor,
            commitment_id=commitment.id,
            commitment=facts,
        )

    def _at(self, event: Event, gate: Gate) -> tuple[WorkRequests, Work]:
        policies, requests, _ = self._begun()
        root = policies.for_folder(event.cwd, event.project).root
        # The policy that an answer is checked against: the project's own, wherever the session stands now.
        loaded = policies.for_folder(root, root or None)
        work = Work(
            text=subject_of(event, gate),
            root=root,
            revision=loaded.revision,
            rules=loaded.approval,
            approvers=gate.approvers,
        )
        return requests, work

    def _into_review(self, event: Event) -> str | None:
        """Submit what the session has claimed; why not, when it stays as it is."""
        policies, _, commitments = self._begun()
        name = event.commitment_id
        place = commitments.place_of(name) if name else None
        if name is None or place is None:
            return None
        commitment = commitments.state(place).commitments[name]
        if commitment.state is Status.IN_REVIEW:
            return None
        said = event.extra.get(_LAST)
        summary = said.strip()[:_SUMMARY] if isinstance(said, str) and said.strip() else _UNSAID
        caller = Caller(actor=event.actor, workspace=place, person=False, session_id=event.session_id)
        charter = policies.for_folder(event.cwd, event.project).charter
        try:
            payload = {"commitment": name, "summary": summary}
            waiting = Review(name="", state="pending")
            commitments.perform("submit", payload, caller, charter, review=lambda _: waiting)
        except RefusedError as error:
            _log.info("%s is not in review: %s", name, error)
            return f"it stays {commitment.state}: {error.sentence}"
        return None

    def _begun(self) -> tuple[Policies, WorkRequests, Commitments]:
        if self._policies is None or self._requests is None or self._commitments is None:
            raise HookFailedError(FailureKind.CRASH, "nobody can be asked yet; try again")
        return self._policies, self._requests, self._commitments


def _gate_of(hook: Hook, event: Event) -> ApprovalGate | None:
    """The gate of a hook at the end of a turn, if its `if` means this work."""
    handler = hook.handler
    if (
        not isinstance(handler, ApprovalGate)
        or EventName.STOP not in hook.events
        or hook.shadow
        or hook.observe
    ):
        return None
    try:
        applies = hook.condition is None or hook.condition.holds(event)
    except ConditionError:
        applies = True
    return handler if applies else None


def _said_yes(request: Request, gate: Gate) -> bool:
    """Whether somebody said yes who still may."""
    return request.state == "approved" and (not gate.approvers or request.decided_by in gate.approvers)


def _review(request: Request, gate: Gate) -> Review:
    state = request.state
    if state == "approved" and not _said_yes(request, gate):
        state = "expired"  # whoever said yes is no approver any more
    return Review(name=request.name, state=state, by=request.decided_by, note=request.note)
