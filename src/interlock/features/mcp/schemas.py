"""The pieces the tools' schemas are made of."""

from __future__ import annotations

from typing import Any, Final

from interlock.events.tool import JsonObject

LONGEST: Final = 65_536
_ID: Final = "^(mem|cmt|op|pub)_[0-9a-f]{8}$"


def text(description: str, **more: Any) -> JsonObject:
    """A text."""
    return {"type": "string", "description": description, "minLength": 1, "maxLength": LONGEST, **more}


def identity(description: str) -> JsonObject:
    """The id of a memory, a commitment or an operation."""
    return {"type": "string", "description": description, "pattern": _ID}


def texts(description: str, **items: Any) -> JsonObject:
    """A list of texts."""
    inner = {"type": "string", "minLength": 1, **items}
    return {"type": "array", "description": description, "items": inner, "maxItems": 500}


def identities(description: str) -> JsonObject:
    """A list of ids."""
    return texts(description, pattern=_ID)


def number(description: str, *, most: int | None = None, **more: Any) -> JsonObject:
    """A whole number from 1 on."""
    limit = {"maximum": most} if most is not None else {}
    return {"type": "integer", "description": description, "minimum": 1, **limit, **more}


def choice(description: str, words: tuple[str, ...]) -> JsonObject:
    """One of a few words."""
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
    "source_key": text("A key of your own; the same one is never recorded twice.", maxLength=200),
    "author_type": choice("The role you work in.", ("architect", "auditor", "executor")),
    "audit": identity("The audit an executor works inside."),
    "intent": identity("The intent it goes back to."),
}
RECORDED: Final = result(
    ("id", "op", "actor", "workspace", "recorded"),
    id={**_WORD, "description": "Of what was made; later calls name it."},
    op=_WORD,
    actor={**_WORD, "description": "Who you are to Interlock."},
    workspace=_WORD,
    recorded={
        "type": "array",
        "items": result(("id", "op", "actor"), id=_WORD, op=_WORD, actor=_WORD),
    },
    commitment={"type": "object", "description": "How the commitment stands now."},
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
    approval={**_WORD, "description": "The request, as in ap_7."},
    grant=_WORD,
    reason=_WORD,
    expires_at=_WORD,
    next={**_WORD, "description": "What to do."},
)
