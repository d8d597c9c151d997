"""What each operation must and may be given, and of what kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from interlock.events.tool import JsonObject
from interlock.features.commitments.errors import Code, RefusedError
from interlock.features.commitments.policy import Tier
from interlock.features.commitments.records import DOMAINS, LINK_KINDS, SHAPE
from interlock.policy.files.suggest import hint

LONGEST: Final = 64 * 1024  # characters of one text
MOST: Final = 500  # elements of one list
_ACTIONS: Final = ("create", "link", "dismiss", "defer")


class Field(msgspec.Struct, frozen=True, kw_only=True):
    """One member of a payload."""

    check: Callable[[str, Any], None]
    required: bool = False
    next_step: str | None = None  # what to do where it is missing


def check_payload(op: str, payload: JsonObject) -> None:
    """Refuse what is missing, empty, unknown or of another kind."""
    fields = FIELDS[op]
    for name, field in fields.items():
        value = payload.get(name)
        if value is None or value in ("", []):
            if name == "body" and (field.required or value is not None):
                raise RefusedError(Code.EMPTY_BODY, "the body is empty", "say what it is about", field=name)
            if field.required:
                step = field.next_step or f"give it a `{name}`"
                raise RefusedError(Code.MISSING_FIELD, f"`{op}` has no `{name}`", step, field=name)
            continue
        field.check(name, value)
    for name in payload:
        if name not in fields:
            raise _wrong(name, f"`{op}` takes no `{name}`", hint(name, fields))


def _wrong(name: str, sentence: str, next_step: str) -> RefusedError:
    return RefusedError(Code.INVALID_OP, sentence, next_step, field=name)


def _text(name: str, value: Any) -> None:
    if not isinstance(value, str):
        raise _wrong(name, f"`{name}` is no text", "write it as one")
    if not value.strip():
        if name == "body":
            raise RefusedError(Code.EMPTY_BODY, "the body is empty", "say what it is about", field=name)
        raise RefusedError(Code.MISSING_FIELD, f"`{name}` is empty", f"give it a `{name}`", field=name)
    if len(value) > LONGEST:
        raise _wrong(name, f"`{name}` has {len(value)} characters", f"write at most {LONGEST}")
    if "\0" in value:
        raise _wrong(name, f"`{name}` has a zero byte", "write it as text")


def _texts(name: str, value: Any) -> None:
    if not isinstance(value, list):
        raise _wrong(name, f"`{name}` is no list", "write a list of texts")
    if len(value) > MOST:
        raise _wrong(name, f"`{name}` has {len(value)} elements", f"write at most {MOST}")
    for one in value:
        _text(name, one)


def _refs(name: str, value: Any) -> None:
    _texts(name, value)
    for one in value:
        if not SHAPE.fullmatch(one):
            raise _wrong(name, f"`{one}` is no id", "write it as in `mem_1a2b3c4d`")


def _word(words: Mapping[str, Any] | tuple[str, ...]) -> Callable[[str, Any], None]:
    def check(name: str, value: Any) -> None:
        _text(name, value)
        if value not in words:
            raise _wrong(name, f"unknown {name} `{value}`", hint(value, words))

    return check


def _flag(name: str, value: Any) -> None:
    if not isinstance(value, bool):
        raise _wrong(name, f"`{name}` is neither true nor false", "write one of them")


def _number(name: str, value: Any) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise _wrong(name, f"`{name}` is no number from 1 on", "write one or leave it out")


def _decisions(name: str, value: Any) -> None:
    if not isinstance(value, list) or len(value) > MOST or not all(isinstance(one, dict) for one in value):
        raise _wrong(name, f"`{name}` is no list of decisions", "write `{memory, action, target?, reason?}`")
    for one in value:
        for key, inner in one.items():
            if key not in {"memory", "action", "target", "reason"}:
                raise _wrong(name, f"a decision has no `{key}`", "write `{memory, action, target?, reason?}`")
            (_word(_ACTIONS) if key == "action" else _text)(key, inner)
        if not {"memory", "action"} <= one.keys():
            raise RefusedError(
                Code.MISSING_FIELD, "a decision has no `memory` or no `action`", "give it both", field=name
            )


_TEXT: Final = Field(check=_text)
_NEEDED: Final = Field(check=_text, required=True)
_LIST: Final = Field(check=_texts)
_NAMES: Final = Field(check=_refs)
_COMMITMENT: Final = {"commitment": _NEEDED}
_REOPEN: Final = {
    **_COMMITMENT,
    "reason": _NEEDED,
    "domain": Field(check=_word(DOMAINS)),
    "from_state": _TEXT,
}

FIELDS: Final[dict[str, dict[str, Field]]] = {
    "capture": {"body": _NEEDED, "kind": _TEXT, "refs": _NAMES},
    "commit": {"body": _NEEDED, "source": _NEEDED, "tags": _LIST},
    "claim": _COMMITMENT,
    "release": {**_COMMITMENT, "reason": _TEXT},
    "close": {**_COMMITMENT, "evidence": _TEXT, "duplicate_of": _TEXT},
    "annotate": {"target": _NEEDED, "body": _NEEDED, "kind": _TEXT, "refs": _NAMES},
    "link": {
        "source": _NEEDED,
        "target": _NEEDED,
        "kind": Field(check=_word(LINK_KINDS)),
        "reason": _TEXT,
    },
    "dismiss": {"memory": _NEEDED, "reason": _NEEDED, "tags": _LIST},
    "triage": {
        "reviewed": Field(check=_texts, required=True),
        "summary": _NEEDED,
        "decisions": Field(check=_decisions),
    },
    "submit": {
        **_COMMITMENT,
        "evidence": Field(
            check=_texts,
            required=True,
            next_step="name a memory as `evidence`, or say in `summary` what was done",
        ),
        "summary": _TEXT,
        "tier": Field(check=_word(tuple(Tier))),
    },
    "approve": {
        **_COMMITMENT,
        "comment": _TEXT,
        "auto": Field(check=_flag),
        "tier": Field(check=_word(tuple(Tier))),
        "reopen_until": _TEXT,
    },
    "reopen": _REOPEN,
    "reject": _REOPEN,
    "publish": {
        "module": _NEEDED,
        "path": _NEEDED,
        "version": Field(check=_number),
        "url": _TEXT,
        "content": _TEXT,
        "source": _TEXT,
    },
    "cancel": {**_COMMITMENT, "reason": _NEEDED},
}
