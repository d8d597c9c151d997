"""`interlock capture`, `commit`, `annotate`, `link`, `dismiss`, `triage`, `publish`: what is known."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from interlock.cli.agent_request import Json
from interlock.errors import InterlockError
from interlock.features.commitments.cli_request import (
    Actor,
    Audit,
    AuthorType,
    Intent,
    Key,
    Meta,
    Reason,
    Session,
    meta_of,
    perform,
)
from interlock.features.commitments.cli_text import said

Body = Annotated[str, typer.Argument(help="What it is about.")]
Kind = Annotated[str | None, typer.Option(help="What kind it is, as in `observation` or `evidence`.")]
Ref = Annotated[
    list[str] | None, typer.Option("--ref", help="What it was drawn from, by id; may be repeated.")
]
Tag = Annotated[list[str] | None, typer.Option("--tag", help="A tag; may be repeated.")]


def capture(
    body: Body,
    kind: Kind = None,
    ref: Ref = None,
    source_key: Key = None,
    author_type: AuthorType = None,
    audit: Audit = None,
    intent: Intent = None,
    meta: Meta = None,
    session: Session = None,
    actor: Actor = None,
    as_json: Json = False,
) -> int:
    """Record something observed: a memory, which commitments and evidence refer to.

    A `finding`, `step_result` or `learning` must say by --ref what it was drawn from.
    """
    return perform(
        "capture",
        {"body": body, "kind": kind, "refs": ref},
        said,
        as_json=as_json,
        actor=actor,
        source_key=source_key,
        session=session,
        meta=meta_of(author_type, audit, intent, meta),
    )


def commit(
    body: Body,
    source: Annotated[
        str | None, typer.Option(help="The memory it comes from, as in mem_1a2b3c4d.", show_default=False)
    ] = None,
    tag: Tag = None,
    source_key: Key = None,
    author_type: AuthorType = None,
    audit: Audit = None,
    intent: Intent = None,
    actor: Actor = None,
    as_json: Json = False,
) -> int:
    """Make a commitment: something owed, from something observed. Its tags say the tier it is closed by."""
    return perform(
        "commit",
        {"body": body, "source": source, "tags": tag},
        said,
        as_json=as_json,
        actor=actor,
        source_key=source_key,
        meta=meta_of(author_type, audit, intent),
    )


def annotate(
    target: Annotated[str, typer.Argument(help="The memory or commitment.")],
    body: Body,
    kind: Kind = None,
    ref: Ref = None,
    source_key: Key = None,
    author_type: AuthorType = None,
    actor: Actor = None,
    as_json: Json = False,
) -> int:
    """Add a note to a memory or commitment."""
    return perform(
        "annotate",
        {"target": target, "body": body, "kind": kind, "refs": ref},
        said,
        as_json=as_json,
        actor=actor,
        source_key=source_key,
        meta=meta_of(author_type),
    )


def link(
    source: Annotated[str, typer.Argument(help="The memory or commitment to link.")],
    target: Annotated[str, typer.Argument(help="The commitment it leads to.")],
    kind: Annotated[
        str | None,
        typer.Option(help="related, duplicate, caused_by, blocks or evidence; related unless said."),
    ] = None,
    reason: Reason = None,
    source_key: Key = None,
    actor: Actor = None,
    as_json: Json = False,
) -> int:
    """Tie a memory or a commitment to a commitment."""
    return perform(
        "link",
        {"source": source, "target": target, "kind": kind, "reason": reason},
        said,
        as_json=as_json,
        actor=actor,
        source_key=source_key,
    )


def dismiss(
    memory: Annotated[str, typer.Argument(help="The memory.")],
    reason: Reason = None,
    tag: Tag = None,
    source_key: Key = None,
    actor: Actor = None,
    as_json: Json = False,
) -> int:
    """Say why nothing needs to be done about a memory."""
    return perform(
        "dismiss",
        {"memory": memory, "reason": reason, "tags": tag},
        said,
        as_json=as_json,
        actor=actor,
        source_key=source_key,
    )


def triage(
    decisions: Annotated[
        list[str],
        typer.Argument(
            metavar="MEMORY[=ACTION[:TARGET]]...",
            help="Memories looked through, with what was decided: create:cmt_…, link:cmt_…, dismiss, defer.",
        ),
    ],
    summary: Annotated[str | None, typer.Option(help="What came of it.", show_default=False)] = None,
    source_key: Key = None,
    actor: Actor = None,
    as_json: Json = False,
) -> int:
    """Record that memories were looked through and what was decided about each."""
    made = [_decision(text) for text in decisions]
    return perform(
        "triage",
        {
            "reviewed": [one["memory"] for one in made],
            "summary": summary,
            "decisions": [one for one in made if "action" in one],
        },
        said,
        as_json=as_json,
        actor=actor,
        source_key=source_key,
    )


def _decision(text: str) -> dict[str, Any]:
    memory, equals, rest = text.partition("=")
    action, colon, target = rest.partition(":")
    if not memory or (equals and not action) or (colon and not target):
        raise InterlockError(f"`{text}` is no decision; write it as in `mem_1a2b3c4d=link:cmt_5e6f7a8b`")
    found = {"memory": memory, "action": action, "target": target}
    return {name: value for name, value in found.items() if value}


def publish(
    path: Annotated[str, typer.Argument(help="What was published, as others find it.")],
    module: Annotated[
        str | None, typer.Option(help="What it is a part of, as in `docs`.", show_default=False)
    ] = None,
    url: Annotated[str | None, typer.Option(help="Where it can be seen.")] = None,
    source: Annotated[str | None, typer.Option(help="The commitment or memory behind it.")] = None,
    content: Annotated[str | None, typer.Option(help="What was published, or its digest.")] = None,
    source_key: Key = None,
    actor: Actor = None,
    as_json: Json = False,
) -> int:
    """Record that something was made public; each time the same path is, its version grows."""
    return perform(
        "publish",
        {"path": path, "module": module, "url": url, "source": source, "content": content},
        said,
        as_json=as_json,
        actor=actor,
        source_key=source_key,
    )
