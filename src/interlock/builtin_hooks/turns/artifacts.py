"""`artifacts`: a sub-agent ends with the files it was there for, and the main agent hears what came of it."""

from __future__ import annotations

import fnmatch
import time
from collections.abc import Sequence
from pathlib import PurePath
from typing import Annotated, Final, final

import msgspec

from interlock.builtin_hooks.project_files import MOST_BYTES, ProjectFile, find_files, leads_out, read_file
from interlock.events.event import Event
from interlock.events.hook import CallView, OnFailure
from interlock.events.names import EventName
from interlock.events.rule import OptionRule
from interlock.events.text import and_more
from interlock.events.verdict import NO_OPINION, Verdict, deny
from interlock.policy.format.entry import Text, about
from interlock.policy.hook_kind import BuildContext, Builtin, OptionError, OwnMemory

_SHOWN: Final = 5
_HEAD: Final = 1_024
_HTML: Final = (b"<!doctype html", b"<html", b"<body", b"<head", b"<div", b"<p", b"<h1", b"<table")


class Expected(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What some sub-agents leave behind."""

    files: Annotated[tuple[Text, ...], about("Patterns; each needs at least one complete file.")]
    agents: Annotated[tuple[Text, ...], about("Kinds of sub-agents, as globs.")] = ("*",)
    partial: Annotated[tuple[Text, ...], about("Patterns of files that show the work was started.")] = ()
    next: Annotated[str, about("What the main agent does with them.")] = ""
    leftovers: Annotated[tuple[Text, ...], about("Patterns of files that should be deleted by then.")] = ()


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What was found when a sub-agent ended."""

    found: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()  # sentences
    partial: tuple[str, ...] = ()
    leftovers: tuple[str, ...] = ()

    def describe(self, kind: str, expected: Expected) -> str:
        """In words for the main agent."""
        if not self.lacks:
            said = f"Report found: {_list_names(self.found)} ({kind}). {expected.next}".strip()
        elif self.partial:
            said = f"Retry required: {kind} stopped half-way; {'; '.join(self.lacks)}. "
            said += f"There is only {_list_names(self.partial)}."
        else:
            said = f"Retry required: {kind} stopped without its files; {'; '.join(self.lacks)}."
        return said + (f" Left behind: {_list_names(self.leftovers)}; remove it." if self.leftovers else "")


def look_for(expected: Expected, project: str, since: float) -> Report:
    """Look for what is expected among the files that changed since."""
    found: list[str] = []
    lacks: list[str] = []
    for pattern in expected.files:
        there = find_files(project, pattern)
        fresh = [one for one in there if one.changed >= since]
        faults = [(one, _find_fault(one)) for one in fresh]
        whole = [one.name for one, fault in faults if fault is None]
        found += whole
        if not whole:
            lacks.append(_describe_lack(pattern, there, [(one, str(fault)) for one, fault in faults]))
    return Report(
        found=tuple(found),
        lacks=tuple(lacks),
        partial=_names(project, expected.partial, since) if lacks else (),
        leftovers=_names(project, expected.leftovers, 0.0),
    )


def _find_fault(found: ProjectFile) -> str | None:
    """Why a file is not an artifact: it is empty, or not what its name says; None: it is whole."""
    content = read_file(found.path)
    if content is None:
        return "cannot be read"
    if not content.strip():
        return "is empty"
    ending = PurePath(found.name).suffix.lower()
    head = content[:_HEAD].lstrip().lower()
    if ending == ".json" and len(content) < MOST_BYTES and not _is_json(content):
        return "is not JSON"
    if ending in {".html", ".htm"} and not any(tag in content[: 64 * _HEAD].lower() for tag in _HTML):
        return "holds no HTML"
    if ending == ".pdf" and not head.startswith(b"%pdf-"):
        return "is not a PDF"
    return None


def _is_json(content: bytes) -> bool:
    try:
        msgspec.json.decode(content)
    except (ValueError, RecursionError):
        return False
    return True


def _describe_lack(
    pattern: str, there: Sequence[ProjectFile], faults: Sequence[tuple[ProjectFile, str]]
) -> str:
    if faults:
        return ", ".join(f"`{one.name}` {fault}" for one, fault in faults[:_SHOWN])
    if there:
        return f"`{there[0].name}` is older than this sub-agent"
    return f"there is no `{pattern}`"


def _names(project: str, patterns: Sequence[str], since: float) -> tuple[str, ...]:
    return tuple(
        one.name for pattern in patterns for one in find_files(project, pattern) if one.changed >= since
    )


def retry_text(report: Report) -> str:
    """In words for the sub-agent."""
    parts = [f"Your work is not done: {'; '.join(report.lacks)}."]
    if report.partial:
        parts.append(f"Continue from {_list_names(report.partial)}.")
    if report.leftovers:
        parts.append(f"Remove {_list_names(report.leftovers)}.")
    return " ".join([*parts, "Write what is missing, then stop."])


def _list_names(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names[:_SHOWN]) + and_more(len(names), _SHOWN)


_KEPT: Final = 32  # sub-agents of a session whose beginning is remembered
_SLACK: Final = 2.0  # seconds; file systems keep time roughly


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who leaves what behind."""

    expect: Annotated[
        tuple[Expected, ...], about("The first entry that matches the kind of sub-agent counts.")
    ]
    block: Annotated[
        bool, about("false: the sub-agent may stop without them; only the main agent is told.")
    ] = True
    fresh: Annotated[bool, about("false: files from before the sub-agent started count too.")] = True


@final
class Artifacts(OptionRule):
    """Sends a sub-agent back once, and tells the main agent at the next moment it listens."""

    kind: Final = "artifacts"
    _options: Options

    def __init__(self, options: Options, context: BuildContext) -> None:
        super().__init__(options)
        _check_patterns(options)
        self._memory: Final = OwnMemory(context)

    def run(self, view: CallView, seconds: float) -> Verdict:
        event = view.event
        if event.name == EventName.SUBAGENT_STOP:
            return self._at_stop(event)
        if event.name == EventName.SUBAGENT_START:
            self._note_start(event)
            return NO_OPINION
        return NO_OPINION if event.agent_id else self._report_to_main(event)

    def _note_start(self, event: Event) -> None:
        """Remember when a sub-agent began."""
        if event.agent_id is None or self._expected(event) is None:
            return
        kept = self._memory.get(event.session_id)
        begun = {**kept.get("begun", {}), event.agent_id: time.time()}
        kept["begun"] = dict(list(begun.items())[-_KEPT:])
        self._memory.put(event.session_id, kept)

    def _report_to_main(self, event: Event) -> Verdict:
        """The main agent hears what came of those that ended since."""
        kept = self._memory.get(event.session_id)
        told: list[str] = kept.pop("told", [])
        if not told:
            return NO_OPINION
        self._memory.put(event.session_id, kept)
        return Verdict(context="\n".join(told))

    def _at_stop(self, event: Event) -> Verdict:
        expected = self._expected(event)
        if expected is None:
            return NO_OPINION
        kept = self._memory.get(event.session_id)
        begun: dict[str, float] = kept.get("begun", {})
        since = begun.get(event.agent_id or "", 0.0) - _SLACK if self._options.fresh else 0.0
        report = look_for(expected, event.project or event.cwd, since)
        again = event.extra.get("stop_hook_active") is True
        if report.lacks and self._options.block and not again:
            return deny(retry_text(report))
        kind = event.agent_type or "the sub-agent"
        told = report.describe(kind, expected)
        kept["told"] = [*kept.get("told", []), told][-_KEPT:]
        self._memory.put(event.session_id, kept)
        return Verdict(reason=told, message=f"artifacts: {told}" if report.lacks else None)

    def _expected(self, event: Event) -> Expected | None:
        kind = event.agent_type or ""
        return next(
            (
                one
                for one in self._options.expect
                if any(fnmatch.fnmatchcase(kind, glob) for glob in one.agents)
            ),
            None,
        )


def _check_patterns(options: Options) -> None:
    """Patterns mean files of the project."""
    for index, one in enumerate(options.expect):
        if not one.files:
            raise OptionError(("expect", index, "files"), "no file is expected; name a file or a pattern")
        fields = {"files": one.files, "partial": one.partial, "leftovers": one.leftovers}
        for field, patterns in fields.items():
            for place, pattern in enumerate(patterns):
                if leads_out(pattern):
                    text = f"`{pattern}` leads out of the project; write a path inside it"
                    raise OptionError(("expect", index, field, place), text)


BUILTIN: Final = Builtin(
    kind="artifacts",
    about="Checks that a sub-agent left the files it was asked for, and tells the main agent.",
    options=Options,
    make=Artifacts,
    events=(EventName.SUBAGENT_STOP,),
    also=(EventName.SUBAGENT_START, EventName.POST_TOOL_USE, EventName.USER_PROMPT_SUBMIT),
    on_failure=OnFailure.OPEN,
    votes=True,
    tightens=True,
)
