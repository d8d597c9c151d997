"""What gates ask of people, kept in the store: requests about work, and commitments put into review."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Final

import msgspec

from interlock.daemon.policy_loader import Loaded, Policies
from interlock.errors import ApprovalError, ConditionError, FailureKind, HookFailedError, StoreError
from interlock.events.actor import are_all_named
from interlock.events.event import Event
from interlock.events.hook import Hook
from interlock.events.names import EventName
from interlock.events.text import first_few
from interlock.features.approvals.requests import Request
from interlock.features.approvals.settings import APPROVAL
from interlock.features.approvals.work_requests import WorkRequests, WorkUnderReview
from interlock.features.commitments.checks import Review
from interlock.features.commitments.compile import COMMITMENTS
from interlock.features.commitments.records import Commitment, RefusedError, Status
from interlock.features.commitments.service import Caller, Commitments, facts_of
from interlock.features.gates.approval_gate import ApprovalGate, held
from interlock.features.gates.project_state_api import Gate, names_of, subject_of

_log: Final = logging.getLogger(__name__)
_SUMMARY: Final = 500
_UNSAID: Final = "Submitted at the end of a turn. The agent did not say what was done."
_LISTED: Final = 10  # files
_LAST: Final = "last_assistant_message"


class ReviewRequests:
    """Asks for gates and answers them."""

    def __init__(self, policies: Policies, requests: WorkRequests, commitments: Commitments) -> None:
        self._policies: Final = policies
        self._requests: Final = requests
        self._commitments: Final = commitments
        self._stale: Final[dict[str, str]] = {}  # request → how the content differs from what was approved

    def any_wanted(self, loaded: Loaded) -> bool:
        """Whether a policy lets work wait for people at all."""
        return any(gates_of(loaded))

    async def ask(self, event: Event, gate: Gate) -> Review:
        """Find the request for the work of this session, or open it and put the commitment into review."""
        try:
            return await self._ask(event, gate)
        except (StoreError, ApprovalError) as error:
            raise HookFailedError(FailureKind.CRASH, str(error)) from error

    async def _ask(self, event: Event, gate: Gate) -> Review:
        requests, work = self._at(event, gate)
        found = requests.find(work)
        if found is not None and found.state == "denied" and not found.told:
            requests.mark_denial_delivered(found.name)
            return _review(found, gate)
        why = await self._over(found, work, gate)
        if found is not None and why is None:
            note = self._into_review(event) if found.state == "pending" else None
            return msgspec.structs.replace(_review(found, gate), note=note)
        seen = await requests.seen(work.root)
        newest = requests.find(work)
        if newest is not None and (found is None or newest.id != found.id):
            return _review(newest, gate)  # asked by another meanwhile
        note = self._into_review(event)
        opened = requests.open(work, event, _reason(gate), seen)
        return msgspec.structs.replace(_review(opened, gate), new=True, note=note, before=why)

    async def renewed(self, review: Review, event: Event, gate: Gate) -> Review:
        """A yes, if it is about the content there is now; what is over is asked again, in the same words."""
        requests, work = self._at(event, gate)
        try:
            found = requests.get(review.name)
            why = await self._over(found, work, gate)
            if found is None or why is None:
                return review
            seen = await requests.seen(work.root)
            newest = requests.newest(found)
            if newest.id == found.id:
                newest = requests.again(found, work.revision, work.rules, seen)
        except (StoreError, ApprovalError) as error:
            raise HookFailedError(FailureKind.CRASH, str(error)) from error
        return msgspec.structs.replace(_review(newest, gate), before=why)

    async def _over(self, found: Request | None, work: WorkUnderReview, gate: Gate) -> str | None:
        """Why a request has to be asked again; None where it need not be."""
        if found is None:
            return None
        if found.state == "pending":
            return None if found.revision == work.revision else f"the policy changed since {found.name}"
        if found.state == "denied":
            return f"{found.name} was denied by {found.decided_by}{f': {found.note}' if found.note else ''}"
        if found.state != "approved":
            return f"nobody answered {found.name} in time"
        if not _said_yes(found, gate):
            return f"{found.decided_by}, who approved {found.name}, is no longer an approver"
        return await self._look(found)

    async def _look(self, approved: Request) -> str | None:
        """How the content differs from what a yes is about; kept for those who cannot wait for it."""
        requests = self._requests
        changed = await requests.changed(approved)
        self._stale.pop(approved.name, None)
        if changed == ():
            return None
        since = f"since {approved.decided_by} approved it ({approved.name})"
        if changed is None:
            why = f"git cannot tell whether anything changed {since}"
        else:
            why = f"{first_few(changed, _LISTED)} changed {since}"
        self._stale[approved.name] = why
        return why

    def mark_denial_delivered(self, review: Review) -> None:
        """Tell the agent that the request was denied."""
        self._requests.mark_denial_delivered(review.name)

    def sent_back(self, commitment: str, loaded: Loaded, by: str, note: str | None) -> None:
        """Whoever sends work back says no to it: the agent hears why where it is told about every no."""
        self._requests.sent_back(commitment, by, note, APPROVAL.get(loaded))

    def standing(self, event: Event, gate: Gate) -> Review | None:
        """How the request stands; None when nobody was asked."""
        requests, work = self._at(event, gate)
        found = requests.find(work)
        return None if found is None else self._with_staleness(_review(found, gate))

    def _with_staleness(self, review: Review) -> Review:
        """With what the last look at the content gave."""
        why = self._stale.get(review.name) if review.approved else None
        return review if why is None else msgspec.structs.replace(review, state="stale", note=why)

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

        `note` of one that waits is the reason. Whether a yes is about the content there is now is for `look`.
        """
        found: Review | None = None
        for event, gate, review in self._of_gates(commitment, loaded, caller):
            if review is None or not review.approved:
                name = review.name if review else ""
                reason = held(review, gate, event.commitment_id)
                return Review(name=name, state=review.state if review else "pending", note=reason)
            found = review
        return found

    def _of_gates(
        self, commitment: Commitment, loaded: Loaded, caller: Caller
    ) -> Iterator[tuple[Event, Gate, Review | None]]:
        """The gates that mean a commitment, or meant it, and how the request of each stands."""
        event = self._event_of(commitment, loaded, caller)
        for handler in gates_of(loaded, event):
            review = self.standing(event, handler.gate)
            if review is not None or handler.means(event):
                yield event, handler.gate, review

    async def look(self, commitment: Commitment, loaded: Loaded, caller: Caller) -> None:
        """Find out whether what was approved of a commitment is what there is now."""
        requests = self._requests
        for _, gate, review in list(self._of_gates(commitment, loaded, caller)):
            found = requests.get(review.name) if review else None
            if found is not None and _said_yes(found, gate):
                await self._look(found)

    async def ask_about(
        self, commitment: Commitment, loaded: Loaded, caller: Caller, *, after_no: bool, unasked: bool
    ) -> list[Review]:
        """Ask what gates have still to ask about a commitment; gives what waits.

        `after_no` asks again what was refused, `unasked` also what nobody was asked yet.
        """
        found = []
        for event, gate, review in list(self._of_gates(commitment, loaded, caller)):
            state = review.state if review else "unasked"
            passed_over = {"approved": True, "denied": not after_no, "unasked": not unasked}
            if passed_over.get(state, False):
                continue
            requests, work = self._at(event, gate)
            before = requests.find(work)
            why = await self._over(before, work, gate)
            if before is None or why is not None:
                before = requests.open(work, event, _reason(gate), await requests.seen(work.root))
            found.append(msgspec.structs.replace(_review(before, gate), before=why))
        return found

    def _event_of(self, commitment: Commitment, loaded: Loaded, caller: Caller) -> Event:
        """The end of a turn in which this commitment is worked on, for the gates to look at."""
        commitments = self._commitments
        facts = facts_of(commitment, commitments.state(caller.workspace), COMMITMENTS.get(loaded))
        return Event(
            name=EventName.STOP,
            session_id=commitment.session or caller.session_id or "",
            cwd=caller.workspace,
            project=caller.workspace,
            actor=commitment.owner or caller.actor,
            commitment_id=commitment.id,
            commitment=facts,
        )

    def _at(self, event: Event, gate: Gate) -> tuple[WorkRequests, WorkUnderReview]:
        policies, requests = self._policies, self._requests
        root = policies.for_folder(event.cwd, event.project).root
        # The policy that an answer is checked against: the project's own, wherever the session stands now.
        loaded = policies.for_folder(root, root or None)
        work = WorkUnderReview(
            text=subject_of(event, gate),
            root=root,
            revision=loaded.revision,
            rules=APPROVAL.get(loaded),
            approvers=gate.approvers,
        )
        return requests, work

    def _into_review(self, event: Event) -> str | None:
        """Submit what the session has claimed; why not, when it stays as it is."""
        policies, commitments = self._policies, self._commitments
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
        policy = COMMITMENTS.get(policies.for_folder(event.cwd, event.project))
        try:
            if commitment.state is Status.REOPENED:  # sent back, and this turn was about that
                commitments.perform("claim", {"commitment": name}, caller, policy)
            payload = {"commitment": name, "summary": summary}
            waiting = Review(name="", state="pending")
            commitments.perform("submit", payload, caller, policy, review=lambda _: waiting)
        except RefusedError as error:
            _log.info("%s is not in review: %s", name, error)
            return f"it is still {commitments.state(place).commitments[name].state}: {error.sentence}"
        return None


def gates_of(loaded: Loaded, event: Event | None = None) -> Iterator[ApprovalGate]:
    """The gates of a policy at the end of a turn; of an event, those whose `if` means this work."""
    for hook in loaded.engine.hooks:
        handler = hook.handler
        if not isinstance(handler, ApprovalGate) or EventName.STOP not in hook.events:
            continue
        if not hook.shadow and not hook.observe and (event is None or _applies(hook, event)):
            yield handler


def _applies(hook: Hook, event: Event) -> bool:
    try:
        return hook.condition is None or hook.condition.holds(event)
    except ConditionError:
        return True


def _reason(gate: Gate) -> str:
    return f"this work needs approval by {names_of(gate)}"


def _said_yes(request: Request, gate: Gate) -> bool:
    """Whether somebody said yes who still may."""
    return request.state == "approved" and (
        not gate.approvers or are_all_named(request.decided_by, gate.approvers)
    )


def _review(request: Request, gate: Gate) -> Review:
    state = request.state
    if state == "approved" and not _said_yes(request, gate):
        state = "expired"  # whoever said yes is not an approver any more
    return Review(name=request.name, state=state, by=request.decided_by, note=request.note)
