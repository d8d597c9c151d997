"""Every tool of the server: its words, what it takes and what it gives."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from interlock.events.tool import JsonObject
from interlock.features.commitments.operations import FORMS, Field

LONGEST: Final = 65_536
_ID: Final = "^(mem|cmt|op|pub)_[0-9a-f]{8}$"


def text(description: str, **more: Any) -> JsonObject:
    return {"type": "string", "description": description, "minLength": 1, "maxLength": LONGEST, **more}


def identity(description: str) -> JsonObject:
    """The id of a memory, a commitment or an operation."""
    return {"type": "string", "description": description, "pattern": _ID}


def texts(description: str, **items: Any) -> JsonObject:
    inner = {"type": "string", "minLength": 1, **items}
    return {"type": "array", "description": description, "items": inner, "maxItems": 500}


def identities(description: str) -> JsonObject:
    return texts(description, pattern=_ID)


def number(description: str, *, most: int | None = None, **more: Any) -> JsonObject:
    """A whole number from 1 on."""
    limit = {"maximum": most} if most is not None else {}
    return {"type": "integer", "description": description, "minimum": 1, **limit, **more}


def choice(description: str, words: tuple[str, ...]) -> JsonObject:
    return {"type": "string", "description": description, "enum": list(words)}


def arguments(required: tuple[str, ...], **properties: JsonObject) -> JsonObject:
    """What a tool is called with, and nothing else."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def result(required: tuple[str, ...], **properties: JsonObject) -> JsonObject:
    """What comes back; it may grow."""
    return {"type": "object", "properties": properties, "required": list(required)}


_WORD: Final[JsonObject] = {"type": "string"}
ORIGIN: Final[dict[str, JsonObject]] = {
    "source_key": text(
        "A key of your choice; a second operation with the same key records nothing.", maxLength=200
    ),
    "author_type": choice("The role you work in.", ("architect", "auditor", "executor")),
    "audit": identity("The audit an executor works inside."),
    "intent": identity("The intent it goes back to."),
}
RECORDED: Final = result(
    ("id", "op", "actor", "workspace", "recorded"),
    id={**_WORD, "description": "Its id; use it in later calls."},
    op=_WORD,
    actor={**_WORD, "description": "Who you are to Interlock."},
    workspace=_WORD,
    recorded={"type": "array", "items": result(("id", "op", "actor"), id=_WORD, op=_WORD, actor=_WORD)},
    commitment={"type": "object", "description": "The commitment's state now."},
)
FOUND: Final = result(
    ("entries",),
    entries={
        "type": "array",
        "items": result(
            ("seq", "id", "ts", "op", "actor", "text"),
            seq={"type": "integer"},
            id=_WORD,
            ts=_WORD,
            op=_WORD,
            actor=_WORD,
            text=_WORD,
        ),
    },
    before={"type": "integer", "description": "Where the next page begins; absent on the last."},
)
EXPLAINED: Final = result(
    ("decision", "next"),
    decision=choice("What the policy would say.", ("allow", "ask", "deny")),
    reason=_WORD,
    decided_by=_WORD,
    rules={"type": "array", "items": result(("rule", "vote"), rule=_WORD, vote=_WORD, reason=_WORD)},
    not_run={"type": "array", "items": _WORD},
    unread=_WORD,
    updated_input={"type": "object"},
    next={**_WORD, "description": "What to do."},
)
ASKED: Final = result(
    ("state", "next"),
    state=choice("How it stands.", ("pending", "approved", "denied", "granted", "not_needed", "forbidden")),
    approval={**_WORD, "description": "The request, such as ap_7."},
    grant=_WORD,
    reason=_WORD,
    expires_at=_WORD,
    next={**_WORD, "description": "What to do."},
)


class Tool(msgspec.Struct, frozen=True, kw_only=True):
    """One tool, as clients are told of it."""

    name: str
    title: str
    description: str  # with an example
    input_schema: JsonObject
    output_schema: JsonObject
    reads_only: bool = False


def _schema(field: Field) -> JsonObject:
    """What an agent may give for a field of an operation."""
    kind, tells = field.kind, field.tells or ""
    if kind.words:
        return choice(tells, kind.words)
    if kind.many:
        return identities(tells) if field.names else texts(tells)
    return identity(tells) if field.names else text(tells)


def _operation(name: str, title: str, description: str, *, origin: bool = False) -> Tool:
    """The tool of an operation on commitments."""
    fields = {key: field for key, field in FORMS[name].fields.items() if field.tells is not None}
    # Where a missing field has a step of its own, something else may stand in for it.
    needed = tuple(key for key, field in fields.items() if field.required and field.next_step is None)
    properties = {key: _schema(field) for key, field in fields.items()} | (ORIGIN if origin else {})
    return Tool(
        name=name,
        title=title,
        description=description,
        input_schema=arguments(needed, **properties),
        output_schema=RECORDED,
    )


CALL: Final = "tools.call"  # the method on the socket that all of them use
_CALL: Final = arguments(
    ("tool", "input"),
    tool=text("The tool's name, such as Bash.", maxLength=200),
    input={"type": "object", "description": "Its whole input, exactly as you would make the call."},
)

TOOLS: Final = (
    _operation(
        "capture",
        "Record an observation",
        "Record an observation or a result as a memory; commitments refer to its id. Example: "
        '{"body": "Checkout fails for guests", "kind": "observation"}',
        origin=True,
    ),
    _operation(
        "commit",
        "Make a commitment",
        "Make a commitment: something owed because of a memory you captured. Example: "
        '{"body": "Fix guest checkout", "source": "mem_1a2b3c4d", "tags": ["shop"]}',
        origin=True,
    ),
    _operation(
        "claim",
        "Claim a commitment",
        'Claim a commitment; this session works on it from now on. Example: {"commitment": "cmt_5e6f7a8b"}',
    ),
    _operation(
        "submit",
        "Submit a commitment",
        "Submit a commitment you claimed, with evidence or a summary that becomes the evidence; its tier "
        "decides whether it closes at once or waits for a review. Example: "
        '{"commitment": "cmt_5e6f7a8b", "summary": "fixed, all tests pass"}',
        origin=True,
    ),
    _operation(
        "approve",
        "Approve another's commitment",
        "Close a commitment that someone else submitted; nobody approves their own, and tier 3 is for "
        'people. Example: {"commitment": "cmt_5e6f7a8b", "comment": "checked the tests"}',
    ),
    _operation(
        "reject",
        "Send a commitment back",
        "Reopen a commitment that is in review or closed. "
        'Example: {"commitment": "cmt_5e6f7a8b", "reason": "the test is skipped"}',
    ),
    _operation(
        "close",
        "Close a commitment",
        "Close a commitment without a review: with a memory as evidence, or as a duplicate of another "
        'one. Example: {"commitment": "cmt_5e6f7a8b", "evidence": "mem_9c8d7e6f"}',
    ),
    Tool(
        name="search",
        title="Search the record",
        description="Find entries of this session and the commitments and memories of this workspace, newest "
        "first; secrets are removed. Example: "
        '{"text": "checkout \\"guest user\\"", "op": "capture"}',
        input_schema=arguments(
            (),
            text=text('Words that must all appear; "a phrase"; begin* for a prefix.', maxLength=1_000),
            op=text("Only of this kind: capture, commit, decision, evidence, …", maxLength=40),
            limit=number("At most this many.", most=50, default=10),
            before=number("Only entries before this number: the next page."),
        ),
        output_schema=FOUND,
        reads_only=True,
    ),
    Tool(
        name="explain",
        title="Explain how a call would be decided",
        description="Say whether the policy would allow, deny or ask about a call, and why; the call is not "
        'made. Example: {"tool": "Bash", "input": {"command": "git push origin main"}}',
        input_schema=_CALL,
        output_schema=EXPLAINED,
        reads_only=True,
    ),
    Tool(
        name="request_approval",
        title="Ask a person before a call",
        description="Ask for a person's approval of one exact call before you make it; call again to see the "
        'answer. Example: {"tool": "Bash", "input": {"command": "rm -r build"}}',
        input_schema=_CALL,
        output_schema=ASKED,
    ),
)
