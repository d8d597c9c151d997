"""`artifacts`: checks that a sub-agent leaves the files it was asked for, and tells the main agent."""

from __future__ import annotations

import fnmatch
import time
from collections.abc import Mapping, Sequence
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
    """The files that some sub-agents must leave."""

    files: Annotated[tuple[Text, ...], about("Patterns; each needs at least one complete file.")]
    agents: Annotated[tuple[Text, ...], about("Kinds of sub-agents, as globs.")] = ("*",)
    partial: Annotated[tuple[Text, ...], about("Patterns of files that show the work was started.")] = ()
    next: Annotated[str, about("What the main agent does with them.")] = ""
    leftovers: Annotated[tuple[Text, ...], about("Patterns of files that should be deleted by then.")] = ()


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """The files that a sub-agent left."""

    found: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()  # phrases that say what is wrong
    partial: tuple[str, ...] = ()
    leftovers: tuple[str, ...] = ()

    def describe(self, kind: str, expected: Expected) -> str:
        """For the main agent."""
        if not self.missing:
            text = f"Report found: {_list_names(self.found)} ({kind}). {expected.next}".strip()
        elif self.partial:
            text = f"Retry required: {kind} stopped half-way; {'; '.join(self.missing)}. "
            text += f"There is only {_list_names(self.partial)}."
        else:
            text = f"Retry required: {kind} stopped without its files; {'; '.join(self.missing)}."
        return text + (f" Left behind: {_list_names(self.leftovers)}; remove it." if self.leftovers else "")


def look_for(expected: Expected, project: str, since: float) -> Report:
    """Look for the expected files among those that changed since a time."""
    found: list[str] = []
    missing: list[str] = []
    for pattern in expected.files:
        files = find_files(project, pattern)
        faults = {file.name: _find_fault(file) for file in files if file.changed >= since}
        complete = [name for name, fault in faults.items() if fault is None]
        found += complete
        if not complete:
            missing.append(_describe_missing(pattern, files, faults))
    return Report(
        found=tuple(found),
        missing=tuple(missing),
        partial=_names(project, expected.partial, since) if missing else (),
        leftovers=_names(project, expected.leftovers, 0.0),
    )


def _find_fault(file: ProjectFile) -> str | None:
    """Why a file is not complete: it is empty, or not of the type that its name says; None if it is."""
    content = read_file(file.path)
    if content is None:
        return "cannot be read"
    if not content.strip():
        return "is empty"
    ending = PurePath(file.name).suffix.lower()
    head = content[:_HEAD].lstrip().lower()
    if ending == ".json" and len(content) < MOST_BYTES and not _is_json(content):
        return "is not JSON"
    if ending in {".html", ".htm"} and not any(tag in content[: 64 * _HEAD].lower() for tag in _HTML):
        return "contains no HTML"
    if ending == ".pdf" and not head.startswith(b"%pdf-"):
        return "is not a PDF"
    return None


def _is_json(content: bytes) -> bool:
    try:
        msgspec.json.decode(content)
    except (ValueError, RecursionError):
        return False
    return True


def _describe_missing(pattern: str, files: Sequence[ProjectFile], faults: Mapping[str, str | None]) -> str:
    if faults:
        return ", ".join(f"`{name}` {fault}" for name, fault in list(faults.items())[:_SHOWN])
    if files:
        return f"`{files[0].name}` is older than this sub-agent"
    return f"there is no `{pattern}`"


def _names(project: str, patterns: Sequence[str], since: float) -> tuple[str, ...]:
    return tuple(
        file.name for pattern in patterns for file in find_files(project, pattern) if file.changed >= since
    )


def retry_text(report: Report) -> str:
    """For the sub-agent."""
    parts = [f"Your work is not done: {'; '.join(report.missing)}."]
    if report.partial:
        parts.append(f"Continue from {_list_names(report.partial)}.")
    if report.leftovers:
        parts.append(f"Remove {_list_names(report.leftovers)}.")
    return " ".join([*parts, "Write what is missing, then stop."])


def _list_names(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names[:_SHOWN]) + and_more(len(names), _SHOWN)


_REMEMBERED: Final = 32  # sub-agents of a session
_SLACK: Final = 2.0  # seconds; the times of files are not exact


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which sub-agents must leave which files."""

    expect: Annotated[
        tuple[Expected, ...], about("The first entry that matches the kind of sub-agent counts.")
    ]
    block: Annotated[
        bool, about("false: the sub-agent may stop without them; only the main agent is told.")
    ] = True
    fresh: Annotated[bool, about("false: files from before the sub-agent started count too.")] = True


@final
class Artifacts(OptionRule):
    """Sends a sub-agent back once, and tells the main agent at its next event."""

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
        if event.agent_id is None or self._find_expected(event) is None:
            return
        stored = self._memory.get(event.session_id)
        begun = {**stored.get("begun", {}), event.agent_id: time.time()}
        stored["begun"] = dict(list(begun.items())[-_REMEMBERED:])
        self._memory.put(event.session_id, stored)

    def _report_to_main(self, event: Event) -> Verdict:
        """Tell the main agent about the sub-agents that have ended."""
        stored = self._memory.get(event.session_id)
        reports: list[str] = stored.pop("told", [])
        if not reports:
            return NO_OPINION
        self._memory.put(event.session_id, stored)
        return Verdict(context="\n".join(reports))

    def _at_stop(self, event: Event) -> Verdict:
        expected = self._find_expected(event)
        if expected is None:
            return NO_OPINION
        stored = self._memory.get(event.session_id)
        begun: dict[str, float] = stored.get("begun", {})
        since = begun.get(event.agent_id or "", 0.0) - _SLACK if self._options.fresh else 0.0
        report = look_for(expected, event.project or event.cwd, since)
        again = event.extra.get("stop_hook_active") is True
        if report.missing and self._options.block and not again:
            return deny(retry_text(report))
        text = report.describe(event.agent_type or "the sub-agent", expected)
        stored["told"] = [*stored.get("told", []), text][-_REMEMBERED:]
        self._memory.put(event.session_id, stored)
        return Verdict(reason=text, message=f"artifacts: {text}" if report.missing else None)

    def _find_expected(self, event: Event) -> Expected | None:
        for expected in self._options.expect:
            if any(fnmatch.fnmatchcase(event.agent_type or "", glob) for glob in expected.agents):
                return expected
        return None


def _check_patterns(options: Options) -> None:
    """Raise OptionError for a pattern that is not about files of the project."""
    for index, expected in enumerate(options.expect):
        if not expected.files:
            raise OptionError(("expect", index, "files"), "no file is expected; name a file or a pattern")
        for field in ("files", "partial", "leftovers"):
            for place, pattern in enumerate(getattr(expected, field)):
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
