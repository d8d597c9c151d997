"""Requests about a piece of work: bound to the words a person reads about it, and to nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import msgspec

from interlock.events.event import Event
from interlock.events.names import EventName
from interlock.features.approvals.project_content import WorkContent, content_of
from interlock.features.approvals.requests import (
    WORK,
    Redact,
    Request,
    digest_of,
    number_of,
    redact_name,
    redact_text,
    redacted_call_bytes,
)
from interlock.features.approvals.settings import ApprovalRules
from interlock.features.approvals.store import SYSTEM, ApprovalStore

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
        store: ApprovalStore,
        *,
        redact: Redact | None = None,
        announce: Callable[[Request, ApprovalRules], object] | None = None,
        contents: WorkContent | None = None,
    ) -> None:
        self._contents: Final = contents
        self._store: Final = store
        self._redact: Final = redact
        self._announce: Final = announce

    def find(self, work: Work) -> Request | None:
        """The newest request about this work; one whose time is over is told as such."""
        found = self._store.requests.of_work(digest_of(self._call_bytes(work)))
        return None if found is None else self._timely(found)

    def _timely(self, found: Request) -> Request:
        if found.state not in {"pending", "denied"}:
            return found
        over = found.expires_at <= self._store.now()
        return msgspec.structs.replace(found, state=_OVER) if over else found

    def of_session(self, work: Work, session_id: str) -> Request | None:
        """The newest request of a session to the same people, about whatever work."""
        found = self._store.requests.of_session(session_id, _encode_approvers(work))
        return None if found is None else self._timely(found)

    def open(self, work: Work, event: Event, reason: str, seen: str | None = None) -> Request:
        """Ask again, in place of what still waits; `seen` is what the project holds."""
        call = self._call_bytes(work)
        about = {
            "digest": digest_of(call),
            "session_id": event.session_id,
            "actor": redact_name(event.actor, self._redact),
            "revision": work.revision,
            "call": call,
            "reason": redact_text(reason, self._redact),
            "approvers": _encode_approvers(work),
            "root": (place := redact_name(work.root, self._redact)),
            "project": place,
            "commitment": event.commitment_id,
            "seen": seen,
        }
        return self._opened(about, work.rules)

    def again(self, before: Request, revision: str, rules: ApprovalRules, seen: str | None = None) -> Request:
        """Ask the same in the same words, where what was asked came to nothing."""
        same = ("digest", "session_id", "actor", "call", "reason", "root", "project", "commitment")
        about = {name: getattr(before, name) for name in same}
        approvers = msgspec.json.encode(before.approvers).decode()
        return self._opened({**about, "approvers": approvers, "revision": revision, "seen": seen}, rules)

    def _opened(self, about: dict[str, Any], rules: ApprovalRules) -> Request:
        times = {"now": self._store.now(), "expires_at": self._store.now(rules.work_expires)}
        self._store.expire()
        with self._store.step():
            self._end(self._store.requests.of_work(about["digest"]))
            request = self._store.requests.open({**about, **times, "tool": None, "rule": WORK})
            self._store.record(request, "requested", request.actor)
        announce = self._announce
        if announce is not None:
            self._store.after_commit(lambda: announce(request, rules))
        return request

    def sent_back(self, commitment: str, by: str, note: str | None, rules: ApprovalRules) -> None:
        """Take the sending back of somebody else's commitment for a no to what was asked about it."""
        now, over = self._store.now(), self._store.now(rules.work_expires)
        note = redact_text(note, self._redact)
        with self._store.step():
            for request in self._store.requests.of_commitment(commitment):
                values = {"id": request.id, "by": by, "note": note, "now": now, "expires_at": over}
                if request.actor != by and self._store.requests.deny(values):
                    state = "revoked" if request.state == "approved" else "denied"
                    self._store.record(request, state, by, note=note)

    async def seen(self, root: str) -> str | None:
        """What a project holds now; None when nobody can tell."""
        found = await self._contents.now(root) if self._contents is not None else None
        return None if found is None else found.text

    async def changed(self, request: Request) -> tuple[str, ...] | None:
        """The files that changed since a request was asked or answered; None when nobody can tell."""
        before = content_of(request.seen) if request.seen else None
        if before is None or self._contents is None:
            return ()
        return await self._contents.changed(request.content.cwd, before)

    def get(self, name: str) -> Request | None:
        """One request, as it is now."""
        found = self._store.requests.get(number_of(name))
        return None if found is None else self._timely(found)

    def newest(self, request: Request) -> Request:
        """The last that was asked in the same words."""
        return self._store.requests.of_work(request.digest) or request

    def note_told(self, name: str) -> None:
        """The agent has heard of a no."""
        with self._store.step():
            self._store.requests.tell(number_of(name))

    def _end(self, before: Request | None) -> None:
        """A request under an older policy takes no answer any more."""
        note = "replaced by a newer request"
        if before is not None and self._store.requests.end(before.id, note):
            self._store.record(before, _OVER, SYSTEM, note=note)

    def _call_bytes(self, work: Work) -> bytes:
        event = Event(name=EventName.STOP, cwd=work.root, project=work.root, prompt=work.text)
        return redacted_call_bytes(event, self._store.tools, self._redact)


def _encode_approvers(work: Work) -> str:
    return msgspec.json.encode((work.approvers,) if work.approvers else ()).decode()
