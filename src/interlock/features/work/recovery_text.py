"""What a new context window is given, so that it goes on where the last one ended."""

from __future__ import annotations

import os
import shlex
import stat
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path, PurePath
from typing import Any, Final

import msgspec

from interlock.features.work.event_context import EventContext
from interlock.features.work.files import Artifact, Payload, artifacts_in, read_payload
from interlock.features.work.records import Effort, RefusedError, Session
from interlock.features.work.store import WorkStore

MOST_BYTES: Final = 32 * 1024  # of all files together
MOST_FILES: Final = 20
_READ: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
# We read for an agent what no rule has judged: a link named like a directive must not lead to a secret.
_TEXTS: Final = frozenset({".md", ".mdx", ".markdown", ".txt", ".rst"})


class Preload(msgspec.Struct, frozen=True, kw_only=True):
    """A file, and what of it goes into the window."""

    path: str
    content: str | None = None  # None where it cannot be read, or not by us
    left_out: int = 0  # bytes beyond what may be spent


def read_preloads(
    paths: Iterable[str], *, within: Sequence[str], most: int = MOST_BYTES, end: bool = False
) -> tuple[Preload, ...]:
    """Read text files that really lie below one of some folders, in order, until `most` bytes are spent.

    A relative path starts at the first folder. Of a file cut short its end is kept where asked.
    """
    folders = tuple(os.path.realpath(folder) for folder in within)
    preloads: list[Preload] = []
    budget = most
    for path in tuple(dict.fromkeys(paths))[:MOST_FILES]:
        real = _allowed(path, folders)
        content, size = _read(real, budget, end=end) if real else (None, 0)
        if content is None:
            preloads.append(Preload(path=path))
            continue
        budget -= len(content)
        text = content.decode("utf-8", "replace").replace("\0", "\N{REPLACEMENT CHARACTER}")
        preloads.append(Preload(path=path, content=text, left_out=max(0, size - len(content))))
    return tuple(preloads)


def _allowed(path: str, folders: Sequence[str]) -> str | None:
    """Where a path really leads, when that is a text below one of the folders."""
    if not folders or "\0" in path:
        return None
    real = PurePath(os.path.realpath(PurePath(folders[0], path)))
    inside = any(real.is_relative_to(folder) for folder in folders)
    return str(real) if inside and real.suffix.lower() in _TEXTS else None


def _read(path: str, most: int, *, end: bool) -> tuple[bytes | None, int]:
    try:
        descriptor = os.open(path, _READ)
    except OSError:
        return None, 0
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):  # nobody waits for a pipe to be written
            return None, 0
        size = status.st_size
        return os.pread(descriptor, max(0, most), max(0, size - most) if end else 0), size
    except OSError:
        return None, 0
    finally:
        os.close(descriptor)


KEY: Final = "pendingInjections"  # where an effort's metadata has them
LONGEST: Final = 16 * 1024  # characters of all of them together
MOST: Final = 50


class Injection(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    rule_id: str
    content: str


def read_injections(value: Any) -> tuple[Injection, ...]:
    """The injections in a stored list; what is none is passed over."""
    injections = []
    for item in value[:MOST] if isinstance(value, list | tuple) else ():
        with suppress(msgspec.ValidationError):
            injections.append(msgspec.convert(item, Injection))
    return tuple(injections)


def take_injections(metadata: Mapping[str, Any]) -> tuple[tuple[Injection, ...], dict[str, Any]]:
    """What waits in an effort's metadata, and the metadata without it; every other key stays."""
    rest = {key: value for key, value in metadata.items() if key != KEY}
    return read_injections(metadata.get(KEY)), rest


def injection_text(injections: tuple[Injection, ...]) -> str:
    text = "\n\n".join(f"[Directive: {injection.rule_id}]\n{injection.content}" for injection in injections)
    return (
        text if len(text) <= LONGEST else f"{text[:LONGEST]}\n… {len(text) - LONGEST:,} characters left out"
    )


REHYDRATION_BYTES: Final = 24 * 1024
_MOST_LISTED: Final = 40
_SINCE: Final = (
    " Another session started with it and ended without writing anything down, so check what is already done."
)
# Hosts refuse much of what a shell can do with JSON; a file and one plain command pass.
_HAND_OVER: Final = (
    "Stop taking on new work and hand over. With the Write tool, not the shell, write a JSON object to "
    "`{file}`: `summary`, `lastAction`, `nextSteps` (a list), `requiredFiles` (a list of at most 8 files "
    "that exist), and in `userHistory`, word for word, what the user said last if it is not handled yet. "
    "Then run `{program} session dehydrate {quoted}` as a command of its own."
)
_REPORT: Final = "Finish here: report what you did, what you found and what is left to do."


def context_line(session: Session, effort: Effort, *, time: str, block_after: int) -> str:
    """Where the work stands, in one line."""
    return (
        f"[Session Context] Time: {time} | Session: {session.id} | Skill: {effort.skill}"
        f" | Phase: {effort.current_phase or 'none'} | Heartbeat: {session.heartbeat_counter}/{block_after}"
    )


def files_block(preloads: Sequence[Preload]) -> str:
    """The files to read first, each under its name; empty when there are none."""
    if not preloads:
        return ""
    return "[Files to preload]:\n" + "\n\n".join(_file(preload) for preload in preloads)


def recovery_block(payload: Payload, *, taken_before: bool = False) -> str:
    """What an earlier session left behind for this one; `taken_before`: another has been given it."""
    since = _SINCE if taken_before else ""
    steps = "\n".join(f"{n}. {step.strip()}" for n, step in enumerate(payload.next_steps, 1))
    parts = [
        "## Session Recovery (Dehydrated Context)",
        f"An earlier session of this effort ended and left this for you. Continue from here.{since}",
        f"### Summary\n{payload.summary.strip()}",
        f"### Last action\n{payload.last_action.strip()}",
        f"### Next steps\n{steps}",
    ]
    if payload.required_files:
        files = (
            f"{path} (no longer there)" if path.startswith(os.sep) and not Path(path).exists() else path
            for path in payload.required_files
        )
        parts.append(f"### Required files (read them before you go on)\n{_bulleted(files)}")
    if payload.handover_instructions:
        parts.append(f"### Handover instructions\n{payload.handover_instructions.strip()}")
    history = payload.user_history or ""
    history = history.strip() if isinstance(history, str) else _bulleted(history)
    if history:
        parts.append(f"### What the user said\n{history}")
    return "\n\n".join(parts)


def rehydration_block(artifacts: Sequence[Artifact], *, most: int = REHYDRATION_BYTES) -> str:
    """What the effort's own files tell, the newest first, where no session left anything; may be empty.

    A log grows at its end, so the end of a file is what tells where the work stands.
    """
    if not artifacts:
        return ""
    newest, older = artifacts[:_MOST_LISTED], artifacts[_MOST_LISTED:]
    folders = tuple({str(PurePath(artifact.path).parent) for artifact in newest})
    paths = [artifact.path for artifact in newest]
    texts = {
        artifact.path: artifact
        for artifact in read_preloads(paths, within=folders, most=most, end=True)
        if artifact.content
    }
    rest = [path for path in paths if path not in texts]
    parts = [
        "## Session Recovery (from the effort's files)",
        "An earlier session of this effort ended without leaving a summary. These are the files it wrote.",
        *map(_file, texts.values()),
    ]
    if rest or older:
        more = f"\n- and {len(older)} older ones" if older else ""
        parts.append(f"### Not shown\n{_bulleted(rest)}{more}")
    return "\n\n".join(parts)


def restart_prompt(effort: Effort, task_dir: str, payload: Payload | None = None) -> str:
    """What an agent is started with that takes over an effort; however the one before came to its end."""
    at = f", phase `{effort.current_phase}`" if effort.current_phase else ""
    effort_text = f"effort {effort.name} (`{effort.skill}`{at}) of the task in `{task_dir}`"
    first = f"Continue {effort_text}; its last session has ended."
    if payload is None:
        files = f"Read the files in `{task_dir}` whose names begin with `{effort.ordinal}_`, the newest first"
        return f"{first} {files}, and continue where they end."
    return f"{first} {payload.summary.strip()}\nNext: {payload.next_steps[0].strip()}"


def overflow_warning(usage: float, program: str, file: str | None) -> str:
    """What an agent is told whose window is nearly full; without a file for a handover, it is a sub-agent."""
    next_step = _HAND_OVER.format(file=file, program=program, quoted=shlex.quote(file)) if file else _REPORT
    return f"[Context overflow] The context window is {usage:.0%} full. {next_step}"


def join_parts(parts: Iterable[str | None]) -> str:
    """The parts that say something, a blank line between them."""
    return "\n\n".join(part for part in parts if part)


def _file(preload: Preload) -> str:
    if preload.content is None:
        return f"### {preload.path}\n(not included; read it yourself)"
    cut = f"\n({preload.left_out:,} bytes left out; read the file for them)" if preload.left_out else ""
    return f"### {preload.path}\n{preload.content.strip()}{cut}"


def _bulleted(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line.strip()}" for line in lines)


def restart_of(context: EventContext) -> str | None:
    """The prompt; None for a session that is at work on nothing."""
    session, effort, task = context.session, context.effort, context.task
    if session is None or effort is None or task is None:
        return None
    return restart_prompt(effort, task.dir_path, payload_of(context.work.sessions.handover(effort.id)))


def recovery_for(work: WorkStore, effort: Effort, session: Session | None) -> str:
    """What a session that goes on with an effort is to read first; empty where there is nothing to tell."""
    handover = work.sessions.handover(effort.id)
    payload = payload_of(handover)
    if handover is None or payload is None:
        return rehydration_block(artifacts_in(work.tasks.get(effort.task_id).dir_path, effort.ordinal))
    previous = session.prev_session_id if session is not None else handover.id
    return recovery_block(payload, taken_before=previous != handover.id)


def payload_of(session: Session | None) -> Payload | None:
    """What a session left behind; one that an older version kept and nobody understands counts as none."""
    if session is None or session.dehydration_payload is None:
        return None
    try:
        return read_payload(session.dehydration_payload)
    except RefusedError:
        return None
