"""`interlock claim`, `release`, `submit`, `approve`, `reject`, `reopen`, `close`, `cancel`: the work."""

from __future__ import annotations

from typing import Annotated

import typer

from interlock.cli.agent_request import Json
from interlock.features.approvals.cli_answer import answer_of, approve_requests, deny_requests
from interlock.features.commitments.cli_request import (
    Actor,
    Audit,
    AuthorType,
    Key,
    Reason,
    Session,
    meta_of,
    perform,
)
from interlock.features.commitments.cli_text import said

Answered = Annotated[
    str, typer.Argument(metavar="ID", help="A commitment, as in cmt_1a2b3c4d, or a request, as in ap_7.")
]
Commitment = Annotated[str, typer.Argument(metavar="COMMITMENT", help="As in cmt_1a2b3c4d.")]
Domain = Annotated[
    str | None, typer.Option(help="Where it failed: intent, safety or technical.", show_default=False)
]


def claim(
    commitment: Commitment,
    session: Session = None,
    source_key: Key = None,
    author_type: AuthorType = None,
    audit: Audit = None,
    actor: Actor = None,
    as_json: Json = False,
) -> int:
    """Take a commitment on: it is yours until you release it or it is closed.

    Claimed in an agent's session, the events of that session carry it from then on.
    """
    return perform(
        "claim",
        {"commitment": commitment},
        said,
        as_json=as_json,
        actor=actor,
        session=session,
        source_key=source_key,
        meta=meta_of(author_type, audit),
    )


def release(
    commitment: Commitment,
    reason: Reason = None,
    source_key: Key = None,
    actor: Actor = None,
    as_json: Json = False,
) -> int:
    """Give a commitment back, for others to claim."""
    return perform(
        "release",
        {"commitment": commitment, "reason": reason},
        said,
        as_json=as_json,
        actor=actor,
        source_key=source_key,
    )


def submit(
    commitment: Commitment,
    evidence: Annotated[
        list[str] | None,
        typer.Option("--evidence", "-e", help="A memory that shows it is done; may be repeated."),
    ] = None,
    summary: Annotated[
        str | None, typer.Option("--summary", "-s", help="What was done; the evidence when none is named.")
    ] = None,
    tier: Annotated[str | None, typer.Option(help="A stricter tier than the tags say.")] = None,
    source_key: Key = None,
    author_type: AuthorType = None,
    audit: Audit = None,
    actor: Actor = None,
    as_json: Json = False,
) -> int:
    """Hand a claimed commitment in. Its tier says who closes it.

    Tier 1 is closed at once, tier 2 at once with a time to reopen it, tier 3 waits for a person.
    """
    return perform(
        "submit",
        {"commitment": commitment, "evidence": evidence, "summary": summary, "tier": tier},
        said,
        as_json=as_json,
        actor=actor,
        source_key=source_key,
        meta=meta_of(author_type, audit),
    )


def approve(
    name: Answered,
    comment: Annotated[str | None, typer.Option("--comment", "-c", help="What you looked at.")] = None,
    author_type: AuthorType = None,
    source_key: Key = None,
    actor: Actor = None,
    as_json: Json = False,
) -> int:
    """Approve a request of an agent, or a commitment in review, which closes it; never one's own.

    Where a gate has asked about the commitment, that request is answered too. `interlock approvals approve`
    shows a request first, and can grant more than one call.
    """
    answer = answer_of(name)
    code = approve_requests(answer, comment, as_json=as_json)
    if code or answer.commitment is None:
        return code
    return perform(
        "approve",
        {"commitment": answer.commitment, "comment": comment},
        said,
        as_json=as_json,
        actor=actor,
        source_key=source_key,
        meta=meta_of(author_type),
    )


def reject(
    name: Answered,
    reason: Reason = None,
    domain: Domain = None,
    author_type: AuthorType = None,
    source_key: Key = None,
    actor: Actor = None,
    as_json: Json = False,
) -> int:
    """Refuse a request of an agent, or send a submission back to its owner, with a reason."""
    answer = answer_of(name)
    code = deny_requests(answer, reason, as_json=as_json)
    if code or answer.commitment is None:
        return code
    return perform(
        "reject",
        {"commitment": answer.commitment, "reason": reason, "domain": domain},
        said,
        as_json=as_json,
        actor=actor,
        source_key=source_key,
        meta=meta_of(author_type),
    )


def reopen(
    commitment: Commitment,
    reason: Reason = None,
    domain: Domain = None,
    author_type: AuthorType = None,
    source_key: Key = None,
    actor: Actor = None,
    as_json: Json = False,
) -> int:
    """Open what is in review or closed again; its owner stays its owner."""
    return perform(
        "reopen",
        {"commitment": commitment, "reason": reason, "domain": domain},
        said,
        as_json=as_json,
        actor=actor,
        source_key=source_key,
        meta=meta_of(author_type),
    )


def close(
    commitment: Commitment,
    evidence: Annotated[
        str | None, typer.Option("--evidence", "-e", help="The memory that shows it is done.")
    ] = None,
    duplicate_of: Annotated[
        str | None, typer.Option("--duplicate-of", help="The commitment that asks for the same.")
    ] = None,
    source_key: Key = None,
    author_type: AuthorType = None,
    audit: Audit = None,
    actor: Actor = None,
    as_json: Json = False,
) -> int:
    """Close a commitment without a review: with evidence, or as the duplicate of another."""
    return perform(
        "close",
        {"commitment": commitment, "evidence": evidence, "duplicate_of": duplicate_of},
        said,
        as_json=as_json,
        actor=actor,
        source_key=source_key,
        meta=meta_of(author_type, audit),
    )


def cancel(
    commitment: Commitment,
    reason: Reason = None,
    source_key: Key = None,
    actor: Actor = None,
    as_json: Json = False,
) -> int:
    """Give a commitment up for good; for whoever made or owns it."""
    return perform(
        "cancel",
        {"commitment": commitment, "reason": reason},
        said,
        as_json=as_json,
        actor=actor,
        source_key=source_key,
    )
