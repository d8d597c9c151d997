"""Requests about a piece of work: bound to the words a person reads about it, and to nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import msgspec

from interlock.approvals.book import SYSTEM, Book
from interlock.approvals.call import Redact, digest_of, named, shown_bytes, told
from interlock.approvals.request import Request
from interlock.config.approval_rules import ApprovalRules
from interlock.event import Event
from interlock.moment import EventName

WORK: Final = "approval_gate:work"  # stands where other requests name the hook that asked
_OVER: Final = "expired"


class Work(msgspec.Struct, frozen=True, kw_only=True):
    """What a person is asked about, and under which policy."""

    text: str
    root: str  # the project: the same work is the same request wherever in it the agent stands
    revision: str
    rules: ApprovalRules
    approvers: tuple[str, ...] = ()


class WorkRequests:
    """Finds and opens them; an answer is given like any other."""

    def __init__(
        self,
        book: Book,
        *,
        redact: Redact | None = None,
        announce: Callable[[Request, ApprovalRules], object] | None = None,
    ) -> None:
        self._book: Final = book
        self._redact: Final = redact
        self._announce: Final = announce

    def find(self, work: Work) -> Request | None:
        """The newest request about this work; one whose time is over is told as such."""
        found = self._book.requests.of_work(digest_of(self._written(work)))
        return None if found is None else self._timely(found)

    def _timely(self, found: Request) -> Request:
        if found.state not in {"pending", "denied"}:
            return found
        over = found.expires_at <= self._book.now()
        return msgspec.structs.replace(found, state=_OVER) if over else found

    def of_session(self, work: Work, session_id: str) -> Request | None:
        """The newest request of a session to the same people, about whatever work."""
        found = self._book.requests.of_session(session_id, _listed(work))
        return None if found is None else self._timely(found)

    def open(self, work: Work, event: Event, reason: str) -> Request:
        """Ask anew, in place of what still waits."""
        call = self._written(work)
        digest = digest_of(call)
        about = {
            "digest": digest,
            "session_id": event.session_id,
            "actor": named(event.actor, self._redact),
            "revision": work.revision,
            "call": call,
            "reason": told(reason, self._redact),
            "approvers": _listed(work),
            "now": self._book.now(),
            "expires_at": self._book.now(work.rules.expires),
            "root": (place := named(work.root, self._redact)),
            "project": place,
            "tool": None,
            "rule": WORK,
            "commitment": event.commitment_id,
        }
        self._book.expire()
        with self._book.step():
            self._end(self._book.requests.of_work(digest))
            request = self._book.requests.open(about)
            self._book.record(request, "requested", request.actor)
        announce = self._announce
        if announce is not None:
            self._book.after_commit(lambda: announce(request, work.rules))
        return request

    def _end(self, before: Request | None) -> None:
        """A request under an older policy takes no answer any more."""
        note = "asked anew"
        if before is not None and self._book.requests.end(before.id, note):
            self._book.record(before, _OVER, SYSTEM, note=note)

    def _written(self, work: Work) -> bytes:
        event = Event(name=EventName.STOP, cwd=work.root, project=work.root, prompt=work.text)
        return shown_bytes(event, self._book.tools, self._redact)


def _listed(work: Work) -> str:
    return msgspec.json.encode((work.approvers,) if work.approvers else ()).decode()
