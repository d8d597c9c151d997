"""The person's side of a request: approve, deny, grant more, revoke."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from interlock.errors import ApprovalError, UnknownIdError
from interlock.events.actor import in_words, wanted_of
from interlock.features.approvals.grants import PREFIX as GRANT
from interlock.features.approvals.grants import Grant, NewGrant, check_breadth, objection
from interlock.features.approvals.requests import ApprovalStore, Request, number_of, redact_text
from interlock.features.approvals.settings import ApprovalRules
from interlock.features.approvals.work_requests import WorkRequests

_LONGEST_NOTE: Final = 2_000
_TIME: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z"
)  # as it is compared


class InForce(msgspec.Struct, frozen=True, kw_only=True):
    """The policy that applies now where a request was made."""

    revision: str
    rules: ApprovalRules


class Answers:
    """Takes answers from people whom the kernel has identified."""

    def __init__(
        self, store: ApprovalStore, in_force: Callable[[Request], InForce], work: WorkRequests | None = None
    ) -> None:
        self._work: Final = work
        self._store: Final = store
        self._in_force: Final = in_force

    def get(self, name: str) -> Request:
        self._store.expire()
        request = self._store.requests.get(number_of(name))
        if request is None:
            raise UnknownIdError(
                f"there is no request `{name}`; run `interlock approvals list --all` to see all of them"
            )
        return request

    def approve(
        self,
        name: str,
        by: str,
        *,
        note: str | None = None,
        want: NewGrant | None = None,
        project_content: str | None = None,
        how: str | None = None,
    ) -> tuple[Request, Grant | None]:
        """Approve exactly this call, once, and perhaps grant more.

        An approval of work says what the project contains; a request about work that has expired is opened
        again with it.
        """
        request, note = self.get(name), redact_text(note, self._store.redact)
        in_force = self._in_force(request)
        self._check_approver(request, by, in_force)
        request = self._reopen(request, in_force, project_content)
        if request.revision != in_force.revision:
            raise ApprovalError(
                f"the policy changed after {name} was opened; "
                "ask the agent to try again, then answer the new request"
            )
        with self._store.step():
            values = self._values(request, by, note, in_force.rules)
            approvers = [*(request.decided_by or "").split(", "), by] if request.decided_by else [by]
            values["by"] = ", ".join(dict.fromkeys(approvers))
            if len(set(approvers)) < wanted_of(request.approvers):
                if not self._store.requests.change("second", values):
                    raise ApprovalError(_why_not(request))
                waiting = self._reload(request)
                self._store.record(waiting, "seconded", by, note=note, authenticated_by=how)
                return waiting, None
            if not self._store.requests.change("approve", {**values, "seen": project_content}):
                raise ApprovalError(_why_not(request))
            grant = self._grant(request, by, note, want) if want else None
            approved = self._reload(request)
            self._store.record(approved, "approved", by, note=note, authenticated_by=how)
            if grant is not None:
                self._store.record_grant(grant, "granted", by, authenticated_by=how)
        return approved, grant

    def _reopen(self, request: Request, in_force: InForce, project_content: str | None) -> Request:
        """The request. One about work whose time or policy is over is opened again."""
        old = request.state == "pending" and request.revision != in_force.revision
        if self._work is None or not request.of_work or not (old or request.state == "expired"):
            return request
        newest = self._work.newest(request)
        if newest.id != request.id:
            raise ApprovalError(
                f"{request.name} was replaced by {newest.name}, which is {newest.state}; "
                f"run `interlock approvals show {newest.name}`"
            )
        return self._work.reopen(request, in_force.revision, in_force.rules, project_content)

    def deny(self, name: str, by: str, *, note: str | None = None, how: str | None = None) -> Request:
        """Deny, even after an approval that has not been used."""
        request, note = self.get(name), redact_text(note, self._store.redact)
        values = self._values(request, by, note, self._in_force(request).rules)
        with self._store.step():
            if not self._store.requests.change("deny", values):
                raise ApprovalError(_why_not(request))
            denied = self._reload(request)
            state = "revoked" if request.state == "approved" else "denied"
            self._store.record(denied, state, by, note=note, authenticated_by=how)
        return denied

    def get_grant(self, name: str) -> Grant:
        grant = self._store.grants.get(number_of(name, GRANT))
        if grant is None:
            raise UnknownIdError(
                f"there is no grant `{name}`; run `interlock grants list --all` to see all of them"
            )
        return grant

    def revoke(self, name: str, by: str) -> Grant:
        with self._store.step():
            grant = self.get_grant(name)
            if not self._store.grants.revoke(grant.id, by, self._store.now()):
                raise ApprovalError(f"{name} was already revoked by {grant.revoked_by}")
            self._store.record_grant(grant, "revoked", by)
        return grant

    def _check_approver(self, request: Request, by: str, in_force: InForce) -> None:
        event = request.content.as_event(request.project or None)
        if by == request.actor:
            next_step = _who_else(request, in_force.rules)
            raise ApprovalError(f"{by} opened {request.name} and cannot approve it; {next_step}")
        fault = objection(by, event, request.approvers, in_force.rules, self._store.tools)
        if fault is not None:
            raise ApprovalError(f"{request.name}: {fault}")

    def _values(self, request: Request, by: str, note: str | None, rules: ApprovalRules) -> dict[str, object]:
        if note is not None and len(note) > _LONGEST_NOTE:
            raise ApprovalError(f"a note can have at most {_LONGEST_NOTE} characters; shorten it")
        seconds = rules.work_expires if request.of_work else rules.expires
        times = self._store.times(seconds)
        return {"id": request.id, "by": by, "note": note, **times}

    def _grant(self, request: Request, by: str, note: str | None, want: NewGrant) -> Grant:
        now = self._store.now()
        if want.until is not None and not _TIME.fullmatch(want.until):
            raise ApprovalError(f"`{want.until}` is not a time; write it like `{now}`")
        if want.pattern is not None:
            if not want.until:
                raise ApprovalError("a pattern needs an end; add --until, for example `--until 7d`")
            if want.until <= now:
                raise ApprovalError(f"`{want.until}` is in the past; give a later time")
            if not request.root:
                raise ApprovalError("this call is not in a project; grant it for the session instead")
            event = request.content.as_event(request.project or None)
            check_breadth(want.pattern, event, self._store.tools, broad=want.broad)
        exact = want.pattern is None
        return self._store.grants.add(
            {
                "kind": "call" if exact else "pattern",
                "digest": request.digest if exact else None,
                "pattern": want.pattern,
                "session_id": request.session_id if exact else None,
                "project": request.root or None,
                "actor": request.actor,
                "until": want.until,
                "approval": request.id,
                "by": by,
                "now": now,
                "note": note,
            }
        )

    def _reload(self, request: Request) -> Request:
        return self._store.requests.get(request.id) or request


def _who_else(request: Request, rules: ApprovalRules) -> str:
    """Who can approve what this actor opened, or who can name somebody."""
    of_settings = [tuple(scopes) for scopes in rules.scopes]
    short = [
        names for names in (*request.approvers, *of_settings) if not _others_suffice(names, request.actor)
    ]
    if not short:
        names = next(iter([*request.approvers, *of_settings]), ())
        others = in_words([name for name in names if name != request.actor]) or "another person"
        return f"ask {others} to run `interlock approve {request.name}`"
    hook = "the `approval_gate` hook" if request.of_work else f"the rule `{request.rule}`"
    where = f"`approvers` of {hook}" if short[0] in request.approvers else "`settings.approval.approvers`"
    return (
        f"not enough other people may, so whoever maintains the policy has to add another person to {where}"
    )


def _others_suffice(names: Sequence[str], actor: str) -> bool:
    wanted = wanted_of([names])
    people = len(names) - (wanted > 1)  # the first of the names says how many are wanted
    return people - (actor in names) >= wanted


def _why_not(request: Request) -> str:
    """Why a request can no longer be answered like this, and what to do."""
    name = request.name
    match request.state:
        case "approved":
            return f"{name} was already approved by {request.decided_by}; ask the agent to try again"
        case "denied":
            return f"{name} was denied by {request.decided_by}; ask the agent to open a new request"
        case "used":
            return f"{name} was approved by {request.decided_by} and used; an approval covers one call"
        case _:
            why = f" ({request.note})" if request.note else f" (at {request.expires_at})"
            return f"{name} has expired{why}; ask the agent to try again, which opens a new request"
