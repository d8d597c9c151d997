"""The files of an effort in its task's folder: their names, and the log that entries are added to."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import msgspec

from interlock.features.work.records import Code, RefusedError, invalid
from interlock.policy.files.words import hint

LOG: Final = "LOG"
_NOT_PLAIN: Final = re.compile(r"[^A-Z0-9]+")
_ARTIFACT: Final = re.compile(r"(?P<ordinal>[1-9]\d{0,8})_(?P<name>[^/]*)\.md", re.IGNORECASE)
_LONGEST: Final = 80
_MOST_NAMES: Final = 10_000  # of a folder; one with more is not a task's


class Artifact(msgspec.Struct, frozen=True, kw_only=True):
    path: str
    changed: float  # seconds since the epoch
    size: int


def artifact_name(ordinal: int, skill: str, kind: str = LOG) -> str:
    """The name of an effort's file: `1_BRAINSTORM_LOG.md`."""
    return f"{ordinal}_{_plain_word(skill)}_{_plain_word(kind)}.md"


def handover_name(ordinal: int, skill: str, session: int) -> str:
    """The file a session writes its handover to: `1_BRAINSTORM_HANDOVER_7.json`.

    Each has one of its own, for an agent's tool may refuse to write over a file it has not read.
    """
    return f"{ordinal}_{_plain_word(skill)}_HANDOVER_{session}.json"


def ordinal_of(name: str) -> int | None:
    """The effort a file belongs to, as `1_` and not `10_` says; None for a file of no effort."""
    match = _ARTIFACT.fullmatch(name)
    return int(match["ordinal"]) if match else None


def artifacts_in(folder: str, ordinal: int) -> tuple[Artifact, ...]:
    """The files of an effort, the newest first; none where the folder cannot be read."""
    artifacts: list[Artifact] = []
    try:
        with os.scandir(folder) as entries:
            for _, entry in zip(range(_MOST_NAMES), entries, strict=False):
                if ordinal_of(entry.name) != ordinal or not entry.is_file(follow_symlinks=False):
                    continue
                status = entry.stat(follow_symlinks=False)
                artifacts.append(Artifact(path=entry.path, changed=status.st_mtime, size=status.st_size))
    except (OSError, ValueError):
        return ()
    return tuple(sorted(artifacts, key=lambda artifact: (-artifact.changed, artifact.path)))


def _plain_word(word: str) -> str:
    """A word as it stands in a name: a skill is named by whoever wrote it and leads to no other folder."""
    return _NOT_PLAIN.sub("_", word.upper()).strip("_")[:_LONGEST] or "WORK"


LONGEST: Final = 64 * 1024  # bytes of one entry
_HEADING: Final = re.compile(r"##(?!#)[ \t]*")
_FENCE: Final = re.compile(r"\s{0,3}(`{3,}|~{3,})")
_APPEND: Final = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def stamp_entry(text: str, time: str) -> str:
    """The entry with its time in the first `##` heading; a text without one gets one."""
    body = text.strip()
    if not body:
        raise invalid("the entry is empty", "say what you did", field="text")
    if len(body.encode("utf-8", "replace")) > LONGEST:
        raise invalid(f"the entry has more than {LONGEST:,} bytes", "name a file instead")
    lines = body.splitlines()
    at = _first_heading(lines)
    if at is not None:
        lines[at] = _HEADING.sub(lambda _: f"## [{time}] ", lines[at], count=1).rstrip()
    elif len(lines) == 1:
        lines = [f"## [{time}] {body}"]
    else:
        lines = [f"## [{time}]", "", *lines]
    return "\n".join(lines) + "\n"


def _first_heading(lines: list[str]) -> int | None:
    """What stands between fences is an example, not a heading."""
    fence = None
    for number, line in enumerate(lines):
        match = _FENCE.match(line)
        if match and fence is None:
            fence = match[1]
        elif match and match[1].startswith(fence or ""):
            fence = None
        elif fence is None and _HEADING.match(line):
            return number
    return None


def append_entry(path: Path, entry: str) -> None:
    """Write an entry at the end of a log, the folder made where it is missing.

    We write for an agent what no rule has judged: a log that is a link, or a second name of another file,
    could be the policy, so only a plain file of its own is taken.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.parent.resolve() != path.parent:
            raise _write_error(path, "its folder is a link")
        file = os.open(path, _APPEND, 0o644)
        with os.fdopen(file, "wb") as stream:
            status = os.fstat(file)
            if not stat.S_ISREG(status.st_mode) or status.st_nlink != 1:
                raise _write_error(path, "it is not a regular file")
            gap = b"\n" if status.st_size else b""
            stream.write(gap + entry.encode("utf-8", "replace"))
    except OSError as error:
        raise _write_error(path, error.strerror or str(error)) from error


def _write_error(path: Path, why: str) -> RefusedError:
    return invalid(f"`{path}` cannot be written: {why}", "correct that and log again", path=str(path))


MOST_FILES: Final = 8
MOST_STEPS: Final = 50
LONGEST_PAYLOAD: Final = 64 * 1024  # bytes of the whole, as JSON
_LONGEST_PATH: Final = 4_096


class Payload(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    summary: str  # what this is about and how far it is
    last_action: str
    next_steps: tuple[str, ...]
    required_files: tuple[str, ...]  # to be read before going on
    handover_instructions: str | None = None
    user_history: str | tuple[str, ...] | None = None  # what the person said; the unhandled message verbatim


_SNAKE: Final = {field.name: field.encode_name for field in msgspec.structs.fields(Payload)}
_NAMES: Final = tuple(_SNAKE.values())
_REQUIRED: Final = _NAMES[:4]
_GIVE_IT: Final = "give it " + ", ".join(f"`{name}`" for name in _REQUIRED)


def parse_payload(text: str | bytes) -> Payload:
    """The payload in a JSON text; raise with one sentence for what is none."""
    if len(text) > LONGEST_PAYLOAD:
        raise _too_long(len(text))
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        example = '{"summary", "lastAction", "nextSteps", "requiredFiles"}'
        raise _payload_error(f"the payload is not JSON ({error})", f"write an object `{example}`") from error
    return read_payload(value)


def read_payload(value: Any) -> Payload:
    """The payload in a decoded value; raise with one sentence for what is none."""
    if not isinstance(value, dict):
        raise _payload_error("the payload is not an object", _GIVE_IT)
    members = _in_camel_case(value)
    for name in _REQUIRED:
        if members.get(name) is None:
            raise _payload_error(f"the payload has no `{name}`", _GIVE_IT, field=name)
    try:
        payload = msgspec.convert(members, Payload)
        size = len(msgspec.json.encode(payload))
    except msgspec.ValidationError as error:
        reason = str(error).replace(" - at `$.", " at `").replace(" - at `$`", "")  # as people write a place
        raise _payload_error(f"the payload cannot be used: {reason}", "correct it") from error
    except UnicodeError as error:
        raise _payload_error("the payload contains half a character", "write it as text") from error
    if size > LONGEST_PAYLOAD:
        raise _too_long(size)
    _check(payload)
    return payload


def with_whole_paths(payload: Payload, folders: Iterable[str | None]) -> Payload:
    """The files by their whole paths, for the next session may start elsewhere; raise where one is missing.

    A relative path starts at the first of the folders that has the file.
    """
    bases = [folder for folder in folders if folder] or [os.sep]
    paths: dict[str, None] = {}
    missing: list[str] = []
    for path in payload.required_files:
        places = (os.path.normpath(Path(base, path)) for base in bases)
        place = next(filter(os.path.exists, places), None)
        if place is None:
            missing.append(f"`{path}`")
        else:
            paths[place] = None
    if missing:
        raise _payload_error(
            f"`requiredFiles` names what does not exist: {', '.join(missing)}",
            "name files that exist, by their full path or relative to the current folder",
            field="requiredFiles",
        )
    return msgspec.structs.replace(payload, required_files=tuple(paths))


def as_document(payload: Payload) -> dict[str, Any]:
    document: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(payload))
    return document


def _in_camel_case(value: dict[Any, Any]) -> dict[str, Any]:
    """The members by their names in camelCase; a misspelt one would lose what it says."""
    members: dict[str, Any] = {}
    for key, inner in value.items():
        name = _SNAKE.get(key, key)
        if name not in _NAMES:
            raise _payload_error(
                f"the payload has an unknown member `{name}`", hint(str(name), _NAMES), field=name
            )
        if name in members:
            raise _payload_error(f"the payload has `{name}` twice", "write it once", field=name)
        members[name] = inner
    return members


def _check(payload: Payload) -> None:
    for name, text in (("summary", payload.summary), ("lastAction", payload.last_action)):
        if not text.strip():
            raise _payload_error(f"`{name}` is empty", "write a sentence or two", field=name)
    steps, files = payload.next_steps, payload.required_files
    if not steps or not all(step.strip() for step in steps):
        raise _payload_error(
            "`nextSteps` has no step or an empty one", "say what to do next", field="nextSteps"
        )
    if len(steps) > MOST_STEPS:
        raise _payload_error(
            f"`nextSteps` has {len(steps)} steps", f"write at most {MOST_STEPS}", field="nextSteps"
        )
    if len(files) > MOST_FILES:
        few = f"name the {MOST_FILES} most important"
        raise _payload_error(f"`requiredFiles` has {len(files)} files", few, field="requiredFiles")
    for path in files:
        if not path.strip() or "\0" in path or "\n" in path or len(path) > _LONGEST_PATH:
            raise _payload_error(
                f"`requiredFiles` has no path in `{path[:80]!r}`", "correct it", field="requiredFiles"
            )


def _too_long(size: int) -> RefusedError:
    return _payload_error(
        f"the payload has {size:,} bytes", f"keep it under {LONGEST_PAYLOAD:,} and name files instead"
    )


def _payload_error(sentence: str, next_step: str, **details: Any) -> RefusedError:
    return RefusedError(Code.BAD_PAYLOAD, sentence, next_step, **details)
