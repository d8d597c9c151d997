"""`flow_report`: writes a report on a session before it is compacted and when it ends."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Annotated, Final, final

import msgspec

from interlock.events.event import Event
from interlock.events.hook import CallView, Handler, OnFailure
from interlock.events.names import EventName
from interlock.events.rule import SlowRule
from interlock.events.verdict import NO_OPINION, Evidence, Verdict
from interlock.features.session_reports.service import Flow, SessionReports
from interlock.files.own_files import write_whole
from interlock.policy.format.entry import about
from interlock.policy.hook_kind import BuildContext, Builtin
from interlock.redaction.redactor import KEYLESS, Redactor

_NOTHING = "- none recorded"


def write_report(event: Event, now: datetime, learner: str, flow: Flow) -> str:
    """The report as Markdown; `learner` is who makes skills or rules of what it shows."""
    tools = ", ".join(f"{name} {count}" for name, count in flow.tools)
    parts = [
        "# Flow Report",
        _fields(event, now, flow),
        "## Summary",
        "### 1. What was tried?",
        _list(f"- {prompt}" for prompt in flow.prompts),
        "### 2. Which commands were used often?",
        _list(f"- {count}x `{name}`" for name, count in flow.commands),
        f"Tools: {tools}." if tools else "",
        "### 3. What went wrong?",
        _list(f"- {row.count}x `{row.call}` failed: {row.error}" for row in flow.failures),
        "Denied by a rule:",
        _list(f"- {row.count}x {row.tool}: {row.reason}" for row in flow.denials),
        "### 4. What could be automated?",
        _list(f"- {count}x `{steps}`" for steps, count in flow.sequences),
        "## Learn from it",
        f"Give this file to `{learner}`: which of these steps should be a skill, a script or a rule?",
    ]
    return "\n\n".join(filter(None, parts)) + "\n"


def _fields(event: Event, now: datetime, flow: Flow) -> str:
    spent = f"{flow.tool_seconds:.0f} s in tools, {flow.hook_seconds:.1f} s in hooks"
    rows = [
        f"- Event: {event.name}",
        f"- Time: {now.isoformat(timespec='seconds')}",
        f"- Session: {event.session_id or 'default'}",
        f"- Working Directory: {event.cwd or '.'}",
    ]
    if flow.since:
        rows.append(f"- Recorded: {flow.since} to {flow.until}, {spent}")
    if flow.calls:
        failed = sum(failure.count for failure in flow.failures)
        denied = sum(denial.count for denial in flow.denials)
        rows.append(
            f"- Calls: {flow.calls}, of which {failed} failed and {denied} were denied; "
            f"a person was asked {flow.asked} times"
        )
    if not flow.whole:
        rows.append("- The session is longer than this report: only its newest part was read")
    return "\n".join(rows)


def _list(rows: Iterable[str]) -> str:
    return "\n".join(rows) or _NOTHING


_SECONDS: Final = 10.0
_OURS: Final = re.compile(r"\d{8}-\d{6}(?:-\d+)?-\w+\.md")
_TRIES: Final = 100


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where to write reports, how many to keep, and who should learn from them."""

    folder: Annotated[
        str, about("Where to write reports, `~/` for home; default: a folder of Interlock's.")
    ] = ""
    keep: Annotated[int, about("Keep at most this many reports; older ones are deleted.", ge=1)] = 100
    learner: Annotated[str, about("Who should learn from them.", min_length=1)] = "/learn"


@final
class FlowReport(SlowRule):
    """Writes one file and names it to the person."""

    kind: Final = "flow_report"
    judges = False

    def __init__(self, options: Options, context: BuildContext, folder: Path | None) -> None:
        super().__init__(options)
        self._keep: Final = options.keep
        self._learner: Final = options.learner
        self._folder: Final = folder
        self._trial: Final = context.trial
        self._sessions: Final = context.services.find(SessionReports)
        self._redactor: Final[Redactor] = context.services.find(Redactor) or KEYLESS

    async def run(self, view: CallView, seconds: float) -> Verdict:
        event = view.event
        folder = self._folder or (Path(self._sessions.folder) if self._sessions else None)
        if folder is None or self._trial:
            return NO_OPINION
        flow = await self._sessions.read_flow(event.session_id) if self._sessions else Flow()
        now = datetime.now().astimezone()
        text = self._redactor.text(write_report(event, now, self._learner, flow))
        data = text.encode("utf-8", "replace")
        path = await asyncio.to_thread(_save, folder, f"{now:%Y%m%d-%H%M%S}", event, data, self._keep)
        return Verdict(
            message=f"flow_report: saved `{path}`; give it to `{self._learner}` to learn from it",
            evidence=Evidence(kind="flow_report", data={"file": str(path), "calls": flow.calls}),
        )


def _save(folder: Path, stamp: str, event: Event, data: bytes, keep: int) -> Path:
    name = re.sub(r"\W", "_", event.name)[:64]
    paths = (folder / f"{stamp}{f'-{number}' if number else ''}-{name}.md" for number in range(_TRIES))
    path = next(path for path in paths if not path.exists())
    write_whole(path, data, mode=0o600)
    ours = sorted(entry.name for entry in os.scandir(folder) if _OURS.fullmatch(entry.name))
    for old in ours[:-keep]:
        with suppress(OSError):
            (folder / old).unlink()
    return path


def make(options: Options, context: BuildContext) -> Handler | None:
    """Make the hook; the folder must be absolute, so that it does not depend on the project."""
    given = options.folder
    if given.startswith("~/"):
        given = f"{context.environ.get('HOME', '')}{given[1:]}"
    if given and not given.startswith("/"):
        context.problem("folder", f"`{options.folder}` is relative; start it with `/` or `~/`")
        return None
    if not given and context.services.find(SessionReports) is None:
        context.notice("folder", "without a daemon there is no folder for reports; name one to get reports")
    return FlowReport(options, context, Path(given) if given else None)


BUILTIN: Final = Builtin(
    kind="flow_report",
    about="Writes a report when a session ends: what it did, what failed, what was denied.",
    options=Options,
    make=make,
    events=(EventName.SESSION_END, EventName.PRE_COMPACT),
    also=(EventName.SESSION_END, EventName.PRE_COMPACT),
    seconds=_SECONDS,
    on_failure=OnFailure.OPEN,
)
