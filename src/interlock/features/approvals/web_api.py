"""Requests for approval, and the answers to them, for programs."""

from __future__ import annotations

from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from interlock.errors import ApprovalError
from interlock.features.approvals.page import answered, check_seen, state_of, waiting
from interlock.features.approvals.render import RenderedCall, render_request
from interlock.features.approvals.requests import Request
from interlock.hosts.claude_code.tools import CLAUDE_CODE_TOOLS
from interlock.web.api.endpoint import Asked, endpoint
from interlock.web.site import RefusedError

Note = Annotated[str, Meta(max_length=2_000)]
Digest = Annotated[str, Meta(pattern="^[0-9a-f]{64}$", description="The digest of the call you saw.")]


class AskedCall(msgspec.Struct, frozen=True, kw_only=True):
    """A request with the exact call it is about."""

    name: str
    state: str
    digest: str
    session: str
    actor: str
    tool: str | None
    reason: str | None
    rule: str | None
    project: str
    approvers: tuple[tuple[str, ...], ...]
    requested_at: str
    expires_at: str
    decided_by: str | None
    decided_at: str | None
    note: str | None
    call: RenderedCall | None
    problem: str | None  # why the call cannot be shown; it cannot be approved either


class ApprovalsFound(msgspec.Struct, frozen=True, kw_only=True):
    """Waiting requests, oldest first, and the latest answered or expired ones, newest first."""

    waiting: tuple[AskedCall, ...]
    answered: tuple[AskedCall, ...]


class Grant(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What an approval covers: this call in its session or, with both fields, a pattern until a time."""

    pattern: Annotated[str, Meta(max_length=2_000)] | None = None
    until: Annotated[str, Meta(max_length=100)] | None = None


class Approve(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An approval; without a grant it allows one call."""

    digest: Digest
    note: Note | None = None
    grant: Grant | None = None
    passphrase: Annotated[str, Meta(max_length=1_000)] | None = None


class Deny(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A denial."""

    digest: Digest
    note: Note | None = None


class Answered(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a request."""

    name: str
    state: str


@endpoint("/approvals")
def approvals(asked: Asked) -> ApprovalsFound:
    """Requests that wait for a person, and the latest ones that were answered or have expired."""
    with asked.site.reading() as connection:
        waits, over = waiting(connection), answered(connection)
    return ApprovalsFound(
        waiting=tuple(map(_to_asked_call, waits)), answered=tuple(map(_to_asked_call, over))
    )


@endpoint("/approvals/{name}/approve", body=Approve)
def approve(asked: Asked) -> Answered:
    """Approve a request."""
    body: Approve = asked.body
    grant = None
    if body.grant is not None:
        given = {"pattern": body.grant.pattern, "until": body.grant.until}
        grant = {name: value for name, value in given.items() if value is not None}
    params = {"note": body.note, "grant": grant, "passphrase": body.passphrase}
    return _answer(asked, "approvals.approve", params, "approved")


@endpoint("/approvals/{name}/deny", body=Deny)
def deny(asked: Asked) -> Answered:
    """Deny a request."""
    return _answer(asked, "approvals.deny", {"note": asked.body.note}, "denied")


def _answer(asked: Asked, method: str, params: dict[str, Any], state: str) -> Answered:
    check_seen(asked.site, asked.name, asked.body.digest)
    (result,) = asked.site.ask(method, {"ids": [asked.name], "person": asked.person, **params})["results"]
    if "error" in result:
        raise RefusedError(result["error"])
    return Answered(name=asked.name, state=state)


def _to_asked_call(request: Request) -> AskedCall:
    call, problem = None, None
    try:
        call = render_request(request, CLAUDE_CODE_TOOLS)
    except ApprovalError as error:
        problem = str(error)
    return AskedCall(
        name=request.name,
        state=state_of(request),
        digest=request.digest,
        session=request.session_id,
        actor=request.actor,
        tool=request.tool,
        reason=request.reason,
        rule=request.rule,
        project=request.project,
        approvers=request.approvers,
        requested_at=request.requested_at,
        expires_at=request.expires_at,
        decided_by=request.decided_by,
        decided_at=request.decided_at,
        note=request.note,
        call=call,
        problem=problem,
    )


ENDPOINTS: Final = (approvals, approve, deny)
