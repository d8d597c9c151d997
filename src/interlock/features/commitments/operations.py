"""The table of operations: each field's check, its option on the command line, and its words for agents."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from interlock.events.tool import JsonObject
from interlock.features.commitments.policy import Tier
from interlock.features.commitments.records import DOMAINS, LINK_KINDS, SHAPE, Code, RefusedError
from interlock.policy.files.words import hint

LONGEST: Final = 64 * 1024  # characters
MOST: Final = 500  # elements of a list
_ACTIONS: Final = ("create", "link", "dismiss", "defer")


class Kind(msgspec.Struct, frozen=True, kw_only=True):
    """The type of a field."""

    check: Callable[[str, Any], None]
    many: bool = False  # a list of texts
    words: tuple[str, ...] = ()  # one of these


class Field(msgspec.Struct, frozen=True, kw_only=True):
    """One member of a payload."""

    kind: Kind
    required: bool = False
    names: str | None = None  # what it names: a memory, a commitment …
    next_step: str | None = None  # what to do if it is missing
    help: str | None = None  # of its option; None: the command has no option for it
    options: tuple[str, ...] = ()  # the option's names, if not the field's
    metavar: str | None = None  # of its argument; None: it is an option
    tells: str | None = None  # its description for agents; None: the tool does not take it


class Form(msgspec.Struct, frozen=True, kw_only=True):
    """One operation."""

    about: str  # the help of its command
    example: str
    fields: Mapping[str, Field]
    also: tuple[str, ...] = ("source_key",)  # what its command takes besides the fields


def check_payload(op: str, payload: JsonObject) -> None:
    """Refuse what is missing, empty, unknown or of the wrong type."""
    fields = FIELDS[op]
    for name, field in fields.items():
        value = payload.get(name)
        if value is None or value in ("", []):
            if name == "body" and (field.required or value is not None):
                raise RefusedError(Code.EMPTY_BODY, "the body is empty", "say what it is about", field=name)
            if field.required:
                step = field.next_step or f"set `{name}`"
                raise RefusedError(Code.MISSING_FIELD, f"`{op}` has no `{name}`", step, field=name)
            continue
        field.kind.check(name, value)
    for name in payload:
        if name not in fields:
            raise _invalid(name, f"`{op}` takes no `{name}`", hint(name, fields))


def _invalid(name: str, sentence: str, next_step: str) -> RefusedError:
    return RefusedError(Code.INVALID_OP, sentence, next_step, field=name)


def _check_text(name: str, value: Any) -> None:
    if not isinstance(value, str):
        raise _invalid(name, f"`{name}` is not text", "write it as text")
    if not value.strip():
        if name == "body":
            raise RefusedError(Code.EMPTY_BODY, "the body is empty", "say what it is about", field=name)
        raise RefusedError(Code.MISSING_FIELD, f"`{name}` is empty", f"set `{name}`", field=name)
    if len(value) > LONGEST:
        raise _invalid(name, f"`{name}` has {len(value)} characters", f"write at most {LONGEST}")
    if "\0" in value:
        raise _invalid(name, f"`{name}` contains a zero byte", "write it as text")


def _check_texts(name: str, value: Any) -> None:
    if not isinstance(value, list):
        raise _invalid(name, f"`{name}` is not a list", "write a list of texts")
    if len(value) > MOST:
        raise _invalid(name, f"`{name}` has {len(value)} elements", f"write at most {MOST}")
    for item in value:
        _check_text(name, item)


def _check_refs(name: str, value: Any) -> None:
    _check_texts(name, value)
    for item in value:
        if not SHAPE.fullmatch(item):
            raise _invalid(name, f"`{item}` is not an id", "write it like `mem_1a2b3c4d`")


def _check_word(words: Mapping[str, Any] | tuple[str, ...]) -> Callable[[str, Any], None]:
    def check(name: str, value: Any) -> None:
        _check_text(name, value)
        if value not in words:
            raise _invalid(name, f"unknown {name} `{value}`", hint(value, words))

    return check


def _check_flag(name: str, value: Any) -> None:
    if not isinstance(value, bool):
        raise _invalid(name, f"`{name}` is neither true nor false", "write one of them")


def _check_number(name: str, value: Any) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise _invalid(name, f"`{name}` is not a number of 1 or more", "write one or leave it out")


def _check_decisions(name: str, value: Any) -> None:
    if (
        not isinstance(value, list)
        or len(value) > MOST
        or not all(isinstance(decision, dict) for decision in value)
    ):
        raise _invalid(
            name, f"`{name}` is not a list of decisions", "write `{memory, action, target?, reason?}`"
        )
    for decision in value:
        for key, inner in decision.items():
            if key not in {"memory", "action", "target", "reason"}:
                raise _invalid(
                    name, f"a decision has no `{key}`", "write `{memory, action, target?, reason?}`"
                )
            (_check_word(_ACTIONS) if key == "action" else _check_text)(key, inner)
        if not {"memory", "action"} <= decision.keys():
            raise RefusedError(
                Code.MISSING_FIELD, "a decision has no `memory` or no `action`", "give it both", field=name
            )


_TEXT: Final = Kind(check=_check_text)


def _field(
    for_people: str | None = None, *options: str, kind: Kind = _TEXT, needed: bool = False, **more: Any
) -> Field:
    return Field(kind=kind, required=needed, help=for_people, options=options, **more)


_TEXTS: Final = Kind(check=_check_texts, many=True)
_IDS: Final = Kind(check=_check_refs, many=True)
_TIER: Final = Kind(check=_check_word(tuple(Tier)), words=tuple(map(str, Tier)))
_DOMAIN: Final = Kind(check=_check_word(DOMAINS), words=tuple(DOMAINS))
_EITHER: Final = "memory or commitment"

_COMMITMENT: Final = _field(
    "The commitment, such as cmt_1a2b3c4d.",
    needed=True,
    names="commitment",
    metavar="COMMITMENT",
    tells="The commitment, such as cmt_5e6f7a8b.",
)
_ANSWERED: Final = msgspec.structs.replace(
    _COMMITMENT, metavar="ID", help="A commitment, such as cmt_1a2b3c4d, or a request, such as ap_7."
)
_WHY: Final = _field("Why.", "--reason", "-r", tells="Why.")
_NEEDED_WHY: Final = msgspec.structs.replace(_WHY, required=True)
_WHERE_FAILED: Final = _field(
    "Where it failed: intent, safety or technical.", tells="Whose failure it is.", kind=_DOMAIN
)
_TAGS: Final = _field(
    "A tag; may be repeated.", "--tag", tells="Tags; they decide how it is closed.", kind=_TEXTS
)
_REFS: Final = _field(
    "The IDs of its sources.", "--ref", names="record", tells="What it was drawn from.", kind=_IDS
)
_KIND: Final = _field(
    "Its kind, such as `observation` or `evidence`.",
    tells="Its kind: observation, evidence, …; finding, step_result and learning need refs.",
)
_BODY: Final = _field("The text.", needed=True, metavar="BODY", tells="What was observed.")
_REOPENING: Final = {
    "reason": msgspec.structs.replace(_NEEDED_WHY, options=("--reason", "-r", "--note")),
    "domain": _WHERE_FAILED,
    "from_state": _field(),
}

FORMS: Final[Mapping[str, Form]] = {
    "capture": Form(
        about="""Record something you observed.

        This makes a memory, which commitments and evidence refer to. A `finding`, `step_result` or `learning`
        needs --ref: what it was drawn from.
        """,
        example="capture 'Checkout fails for guests' --kind observation",
        fields={"body": _BODY, "kind": _KIND, "refs": _REFS},
        also=("source_key", "author_type", "audit", "intent", "meta", "session"),
    ),
    "commit": Form(
        about="""Make a commitment from something you observed.

        Its tags decide its tier, and the tier says who can close it.
        """,
        example="commit 'Fix guest checkout' --source mem_1a2b3c4d --tag routine",
        fields={
            "body": msgspec.structs.replace(_BODY, tells="What is owed."),
            "source": _field(
                "The memory it comes from, such as mem_1a2b3c4d.",
                needed=True,
                names="memory",
                tells="The memory it comes from.",
            ),
            "tags": _TAGS,
        },
        also=("source_key", "author_type", "audit", "intent"),
    ),
    "claim": Form(
        about="""Take a commitment on.

        It is yours until you release it or it is closed. An agent's session works on it from then on.
        """,
        example="claim cmt_5e6f7a8b",
        fields={"commitment": _COMMITMENT},
        also=("session", "source_key", "author_type", "audit"),
    ),
    "release": Form(
        about="Give a commitment back, so that others can claim it.",
        example="release cmt_5e6f7a8b --reason 'no time'",
        fields={"commitment": _COMMITMENT, "reason": _WHY},
    ),
    "submit": Form(
        about="""Hand in a commitment you claimed.

        Tier 1 is closed at once, tier 2 is closed but can be reopened for a while, tier 3 waits for a person.
        """,
        example="submit cmt_5e6f7a8b --summary 'fixed, tests pass'",
        fields={
            "commitment": _COMMITMENT,
            "evidence": _field(
                "A memory that shows it is done; may be repeated.",
                "--evidence",
                "-e",
                needed=True,
                names="memory",
                next_step="name a memory as `evidence`, or say in `summary` what you did",
                tells="The memories that show it.",
                kind=_TEXTS,
            ),
            "summary": _field(
                "What you did; used as the evidence if none is named.",
                "--summary",
                "-s",
                tells="What was done.",
            ),
            "tier": _field(
                "A stricter tier than its tags give.", tells="A stricter tier than its own.", kind=_TIER
            ),
        },
        also=("source_key", "author_type", "audit"),
    ),
    "approve": Form(
        about="""Approve an agent's request, or a commitment in review.

        A request is shown first, and you are asked; `interlock approvals approve` takes several at once.
        Approving a commitment closes it and answers any gate that asked about it.
        Nobody can approve their own.
        """,
        example="approve cmt_5e6f7a8b --comment 'looks right'",
        fields={
            "commitment": _ANSWERED,
            "comment": _field("What you checked.", "--comment", "-c", "--note", tells="What you checked."),
            "auto": _field(kind=Kind(check=_check_flag)),
            "tier": _field(kind=_TIER),
            "reopen_until": _field(),
        },
        also=("grant", "until_", "broad", "yes", "author_type", "source_key"),
    ),
    "reject": Form(
        about="Deny an agent's request, or send a commitment back to its owner.",
        example="reject cmt_5e6f7a8b --reason 'no test' --domain technical",
        fields={"commitment": _ANSWERED, **_REOPENING},
        also=("no_question", "author_type", "source_key"),
    ),
    "reopen": Form(
        about="Reopen a commitment that is in review or closed.",
        example="reopen cmt_5e6f7a8b --reason 'it fails again'",
        fields={"commitment": _COMMITMENT, **_REOPENING},
        also=("author_type", "source_key"),
    ),
    "close": Form(
        about="Close a commitment without a review.\n\nName the evidence, or the commitment it duplicates.",
        example="close cmt_5e6f7a8b --evidence mem_9c0d1e2f",
        fields={
            "commitment": _COMMITMENT,
            "evidence": _field(
                "The memory that shows it is done.",
                "--evidence",
                "-e",
                names="memory",
                tells="The memory that shows it is done.",
            ),
            "duplicate_of": _field(
                "The commitment that asks for the same.",
                names="commitment",
                tells="The commitment it duplicates.",
            ),
        },
        also=("source_key", "author_type", "audit"),
    ),
    "cancel": Form(
        about="Give up a commitment that you made or own.",
        example="cancel cmt_5e6f7a8b --reason 'no longer wanted'",
        fields={"commitment": _COMMITMENT, "reason": _NEEDED_WHY},
    ),
    "link": Form(
        about="Link a memory or commitment to a commitment.",
        example="link mem_9c0d1e2f cmt_5e6f7a8b --kind evidence",
        fields={
            "source": _field(
                "The memory or commitment to link.", needed=True, names=_EITHER, metavar="SOURCE"
            ),
            "target": _field(
                "The commitment it leads to.", needed=True, names="commitment", metavar="TARGET"
            ),
            "kind": _field(
                "related (the default), duplicate, caused_by, blocks or evidence.",
                kind=Kind(check=_check_word(LINK_KINDS)),
            ),
            "reason": _WHY,
        },
    ),
    "annotate": Form(
        about="Add a note to a memory or commitment.",
        example="annotate cmt_5e6f7a8b 'see the logs of Monday'",
        fields={
            "target": _field("The memory or commitment.", needed=True, names=_EITHER, metavar="TARGET"),
            "body": _BODY,
            "kind": _KIND,
            "refs": _REFS,
        },
        also=("source_key", "author_type"),
    ),
    "dismiss": Form(
        about="Record why a memory needs no action.",
        example="dismiss mem_1a2b3c4d --reason 'works as intended'",
        fields={
            "memory": _field("The memory.", needed=True, names="memory", metavar="MEMORY"),
            "reason": _NEEDED_WHY,
            "tags": _TAGS,
        },
    ),
    "triage": Form(
        about="Record what was decided about several memories.",
        example="triage mem_1a2b3c4d=defer --summary 'Monday'",
        fields={
            "reviewed": _field(
                "The memories and the decision about each: create:cmt_…, link:cmt_…, dismiss, defer.",
                needed=True,
                names="memory",
                metavar="MEMORY[=ACTION[:TARGET]]...",
                kind=_TEXTS,
            ),
            "summary": _field("The result of the review.", needed=True),
            "decisions": _field(kind=Kind(check=_check_decisions)),
        },
    ),
    "publish": Form(
        about="Record that something was published.\n\nPublishing the same path again raises its version.",
        example="publish guides/checkout --module docs --source cmt_5e6f7a8b",
        fields={
            "path": _field("The name that others find it by.", needed=True, metavar="PATH"),
            "module": _field("What it belongs to, such as `docs`.", needed=True),
            "url": _field("Where to see it."),
            "source": _field("The commitment or memory it comes from.", names=_EITHER),
            "content": _field("The published text, or its digest."),
            "version": _field(kind=Kind(check=_check_number)),
        },
    ),
}
FIELDS: Final = {op: form.fields for op, form in FORMS.items()}
