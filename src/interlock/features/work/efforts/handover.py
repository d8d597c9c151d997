"""What a context window leaves behind for the next one, checked before it is kept."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import msgspec

from interlock.features.work.errors import Code, RefusedError
from interlock.policy.files.words import hint

MOST_FILES: Final = 8
MOST_STEPS: Final = 50
LONGEST: Final = 64 * 1024  # bytes of the whole, as JSON
_LONGEST_PATH: Final = 4_096


class Payload(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """The handover from one session to the next."""

    summary: str  # what this is about and how far it is
    last_action: str
    next_steps: tuple[str, ...]
    required_files: tuple[str, ...]  # to be read before going on
    handover_instructions: str | None = None
    user_history: str | tuple[str, ...] | None = None  # what the person said; the unhandled message verbatim


_NAMES: Final = tuple(field.encode_name for field in msgspec.structs.fields(Payload))
_SNAKE: Final = {
    field.name: field.encode_name
    for field in msgspec.structs.fields(Payload)
    if field.name != field.encode_name
}
_REQUIRED: Final = _NAMES[:4]


def parse_payload(text: str | bytes) -> Payload:
    """The payload in a JSON text; raise with one sentence for what is none."""
    if len(text) > LONGEST:
        raise _too_long(len(text))
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        example = '{"summary", "lastAction", "nextSteps", "requiredFiles"}'
        raise _bad(f"the payload is not JSON ({error})", f"write an object `{example}`") from error
    return read_payload(value)


def read_payload(value: Any) -> Payload:
    """The payload in a decoded value; raise with one sentence for what is none."""
    if not isinstance(value, dict):
        raise _bad("the payload is not an object", f"give it {_format_names(_REQUIRED)}")
    named = _in_camel_case(value)
    for name in _REQUIRED:
        if named.get(name) is None:
            raise _bad(f"the payload has no `{name}`", f"give it {_format_names(_REQUIRED)}", field=name)
    try:
        payload = msgspec.convert(named, Payload)
        size = len(msgspec.json.encode(payload))
    except msgspec.ValidationError as error:
        raise _bad(f"the payload cannot be used: {_words(error)}", "correct it") from error
    except UnicodeError as error:
        raise _bad("the payload contains half a character", "write it as text") from error
    if size > LONGEST:
        raise _too_long(size)
    _check(payload)
    return payload


def with_whole_paths(payload: Payload, folders: Iterable[str | None]) -> Payload:
    """The files by their whole paths, for the next session may start elsewhere; raise where one is missing.

    A relative path starts at the first of the folders that has the file.
    """
    bases = [folder for folder in folders if folder] or [os.sep]
    found: dict[str, None] = {}
    missing: list[str] = []
    for path in payload.required_files:
        places = (os.path.normpath(Path(base, path)) for base in bases)
        place = next(filter(os.path.exists, places), None)
        if place is None:
            missing.append(f"`{path}`")
        else:
            found[place] = None
    if missing:
        raise _bad(
            f"`requiredFiles` names what does not exist: {', '.join(missing)}",
            "name files that exist, by their full path or relative to the current folder",
            field="requiredFiles",
        )
    return msgspec.structs.replace(payload, required_files=tuple(found))


def as_document(payload: Payload) -> dict[str, Any]:
    """The payload as it is kept."""
    document: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(payload))
    return document


def _in_camel_case(value: dict[Any, Any]) -> dict[str, Any]:
    """The members by their names in camelCase; a misspelt one would lose what it says."""
    named: dict[str, Any] = {}
    for key, inner in value.items():
        name = _SNAKE.get(key, key)
        if name not in _NAMES:
            raise _bad(f"the payload has an unknown member `{name}`", hint(str(name), _NAMES), field=name)
        if name in named:
            raise _bad(f"the payload has `{name}` twice", "write it once", field=name)
        named[name] = inner
    return named


def _check(payload: Payload) -> None:
    for name, text in (("summary", payload.summary), ("lastAction", payload.last_action)):
        if not text.strip():
            raise _bad(f"`{name}` is empty", "write a sentence or two", field=name)
    if not payload.next_steps or not all(step.strip() for step in payload.next_steps):
        raise _bad("`nextSteps` has no step or an empty one", "say what to do next", field="nextSteps")
    if len(payload.next_steps) > MOST_STEPS:
        count = len(payload.next_steps)
        raise _bad(f"`nextSteps` has {count} steps", f"write at most {MOST_STEPS}", field="nextSteps")
    if len(payload.required_files) > MOST_FILES:
        count = len(payload.required_files)
        raise _bad(
            f"`requiredFiles` has {count} files",
            f"name the {MOST_FILES} most important",
            field="requiredFiles",
        )
    for path in payload.required_files:
        if not path.strip() or "\0" in path or "\n" in path or len(path) > _LONGEST_PATH:
            raise _bad(f"`requiredFiles` has no path in `{path[:80]!r}`", "correct it", field="requiredFiles")


def _words(error: msgspec.ValidationError) -> str:
    """The decoder's words, with the place as people write it."""
    return str(error).replace(" - at `$.", " at `").replace(" - at `$`", "")


def _format_names(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _too_long(size: int) -> RefusedError:
    return _bad(f"the payload has {size:,} bytes", f"keep it under {LONGEST:,} and name files instead")


def _bad(sentence: str, next_step: str, **about: Any) -> RefusedError:
    return RefusedError(Code.BAD_PAYLOAD, sentence, next_step, **about)
