"""Requests for approval of work: found, opened and asked again, with the commitment put into review."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import msgspec

from interlock.daemon.policy_loader import Policies
from interlock.errors import ApprovalError, FailureKind, HookFailedError, StoreError
from interlock.events.actor import are_all_named, in_words
from interlock.events.event import Event
from interlock.events.text import first_few
from interlock.features.approvals.requests import Request
from interlock.features.approvals.settings import APPROVAL
from interlock.features.approvals.work_requests import WorkRequests, WorkUnderReview
from interlock.features.commitments.checks import Review
from interlock.features.commitments.compile import COMMITMENTS
from interlock.features.commitments.records import RefusedError, Status
from interlock.features.commitments.service import Caller, Commitments

_log: Final = logging.getLogger(__name__)
_SUMMARY: Final = 500
_NO_SUMMARY: Final = "Submitted at the end of a turn. The agent did not say what was done."
_LISTED: Final = 10  # files
LAST_MESSAGE: Final = "last_assistant_message"


class Gate(msgspec.Struct, frozen=True, kw_only=True):
    """Who must approve, and what waits for them."""

    approvers: tuple[str, ...] = ()  # empty: any person
    guards: tuple[str, ...] = ()  # patterns of calls

    @property
    def names(self) -> str:
        return in_words(self.approvers) or "any person"

    def approved(self, request: Request) -> bool:
        """Whether somebody approved who still may."""
        return request.state == "approved" and (
            not self.approvers or are_all_named(request.decided_by, self.approvers)
        )

    def review(self, request: Request) -> Review:
        lapsed = request.state == "approved" and not self.approved(request)
        state = "expired" if lapsed else request.state
        return Review(name=request.name, state=state, by=request.decided_by, note=request.note)


class WorkReviews:
    """Requests bound to a commitment, or to a session that has claimed none."""

    def __init__(self, policies: Policies, requests: WorkRequests, commitments: Commitments) -> None:
        self._policies: Final = policies
        self._commitments: Final = commitments
        self._stale: Final[dict[str, str]] = {}  # request → how the content differs from what was approved
        self.requests: Final = requests

    async def ask(self, event: Event, gate: Gate) -> Review:
        """Find the request for the work of this session, or open it and put the commitment into review.

        A denial that the agent has not heard of is returned first, and nothing is opened.
        """
        requests, work = self.requests, self._work(event, gate)
        with _crash_on_error():
            request = requests.find(work)
            if request is not None and request.state == "denied" and not request.told:
                requests.mark_denial_delivered(request.name)
                return gate.review(request)
            why = await self._why_again(request, work, gate)
            if request is not None and why is None:
                note = self._put_into_review(event) if request.state == "pending" else None
                return msgspec.structs.replace(gate.review(request), note=note)
            content = await requests.project_content(work.root)
            newest = requests.find(work)
            if newest is not None and (request is None or newest.id != request.id):
                return gate.review(newest)  # somebody else asked meanwhile
            note = self._put_into_review(event)
            opened = requests.open(work, event, _reason(gate), content)
        return msgspec.structs.replace(gate.review(opened), new=True, note=note, before=why)

    async def renew(self, review: Review, event: Event, gate: Gate) -> Review:
        """An approval of the present content; what has lapsed is asked again, in the same words."""
        requests, work = self.requests, self._work(event, gate)
        with _crash_on_error():
            request = requests.get(review.name)
            why = await self._why_again(request, work, gate)
            if request is None or why is None:
                return review
            content = await requests.project_content(work.root)
            newest = requests.newest(request)
            if newest.id == request.id:
                newest = requests.reopen(request, work.revision, work.rules, content)
        return msgspec.structs.replace(gate.review(newest), before=why)

    async def ask_again(self, event: Event, gate: Gate) -> Review:
        """The request for the work of this event; a new one if there is none or it has lapsed."""
        work = self._work(event, gate)
        request = self.requests.find(work)
        why = await self._why_again(request, work, gate)
        if request is None or why is not None:
            request = self.requests.open(
                work, event, _reason(gate), await self.requests.project_content(work.root)
            )
        return msgspec.structs.replace(gate.review(request), before=why)

    async def _why_again(self, found: Request | None, work: WorkUnderReview, gate: Gate) -> str | None:
        """Why a request has to be asked again, or None."""
        if found is None:
            return None
        if found.state == "pending":
            return None if found.revision == work.revision else f"the policy changed since {found.name}"
        if found.state == "denied":
            return f"{found.name} was denied by {found.decided_by}{f': {found.note}' if found.note else ''}"
        if found.state != "approved":
            return f"nobody answered {found.name} in time"
        if not gate.approved(found):
            return f"{found.decided_by}, who approved {found.name}, is no longer an approver"
        return await self.check_content(found)

    async def check_content(self, approved: Request) -> str | None:
        """How the content differs from what was approved. It is kept for those who cannot wait for git."""
        changed = await self.requests.changed(approved)
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

    def standing(self, event: Event, gate: Gate) -> Review | None:
        """The state of the request as of the last look at the content; None if nobody was asked."""
        request = self.requests.find(self._work(event, gate))
        if request is None:
            return None
        review = gate.review(request)
        why = self._stale.get(review.name) if review.approved else None
        return review if why is None else msgspec.structs.replace(review, state="stale", note=why)

    def holding(self, event: Event, gate: Gate) -> Review | None:
        """The same, or an unapproved request of the session for other work: claiming anew is no way out."""
        found = self.standing(event, gate)
        if found is not None or not event.session_id:
            return found
        other = self.requests.of_session(self._work(event, gate), event.session_id)
        review = None if other is None else gate.review(other)
        return None if review is None or review.approved else review

    def _work(self, event: Event, gate: Gate) -> WorkUnderReview:
        root = self._policies.for_folder(event.cwd, event.project).root
        # The policy that an answer is checked against: the project's own, wherever the session stands now.
        loaded = self._policies.for_folder(root, root or None)
        return WorkUnderReview(
            text=_describe(event, gate),
            root=root,
            revision=loaded.revision,
            rules=APPROVAL.get(loaded),
            approvers=gate.approvers,
        )

    def _put_into_review(self, event: Event) -> str | None:
        """Submit what the session has claimed; why not, if it stays as it is."""
        commitments, name = self._commitments, event.commitment_id
        place = commitments.place_of(name) if name else None
        if name is None or place is None:
            return None
        commitment = commitments.state(place).commitments[name]
        if commitment.state is Status.IN_REVIEW:
            return None
        last = event.extra.get(LAST_MESSAGE)
        summary = last.strip()[:_SUMMARY] if isinstance(last, str) and last.strip() else _NO_SUMMARY
        caller = Caller(actor=event.actor, workspace=place, person=False, session_id=event.session_id)
        policy = COMMITMENTS.get(self._policies.for_folder(event.cwd, event.project))
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


@contextmanager
def _crash_on_error() -> Iterator[None]:
    """A gate whose store fails is a hook that crashes."""
    try:
        yield
    except (StoreError, ApprovalError) as error:
        raise HookFailedError(FailureKind.CRASH, str(error)) from error


def _reason(gate: Gate) -> str:
    return f"this work needs approval by {gate.names}"


def _describe(event: Event, gate: Gate) -> str:
    """What a person is asked about, in words that stay the same until the work is sent back."""
    if event.commitment_id is None:
        lines = [f"the work of session {event.session_id}, which has claimed no commitment"]
    else:
        facts = event.commitment or {}
        lines = [f"commitment {event.commitment_id}: {facts.get('body', '')}"]
        if facts.get("tags"):
            lines.append(f"tags: {', '.join(map(str, facts['tags']))}")
        if facts.get("sent_back"):
            lines.append(f"sent back before: {facts['sent_back']}")
        lines.append(f"see `interlock commitment show {event.commitment_id}`")
    guards = f"until it is approved: no close, no {', no '.join(gate.guards)}"
    return "\n".join([*lines, f"approvers: {gate.names}", guards])
