"""`commit_nudge`: work that lies uncommitted is brought to mind, at a stop or in the midst of it."""

from __future__ import annotations

import time
from datetime import datetime
from pathlib import Path
from typing import Annotated, Final, final

import msgspec

from interlock.builtin_hooks.git import GitChanges
from interlock.builtin_hooks.project_files import leads_out
from interlock.events.event import Event
from interlock.events.hook import CallView, OnFailure
from interlock.events.names import EventName
from interlock.events.rule import SlowRule
from interlock.events.verdict import NO_OPINION, Verdict, deny
from interlock.policy.format.entry import about
from interlock.policy.hook_kind import BuildContext, Builtin, OptionError, OwnMemory

_MINUTE: Final = 60.0
TEXT: Final = "Is this a good point for a commit? If so, make one, with `/commit` if you have that command."


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is said, and how often."""

    text: Annotated[str, about("The text after the list of changes.", min_length=1)] = TEXT
    minutes: Annotated[
        float, about("Wait this long before asking again about the same folder.", ge=0, le=1440)
    ] = 10.0
    calls: Annotated[
        int, about("At `post_tool_use`: ask after this many calls, or when the time is over.", ge=1)
    ] = 100
    diary: Annotated[
        str, about("One file in the project for each day, such as `.diary/%Y%m%d.md`; empty: none.")
    ] = ""
    diary_minutes: Annotated[
        float, about("Ask for an update of the day's file when it is this old.", ge=1, le=1440)
    ] = 60.0


@final
class CommitNudge(SlowRule):
    """Sends a stop back once, or adds context after a call; it only looks at the repository."""

    kind: Final = "commit_nudge"
    _options: Options

    def __init__(self, options: Options, context: BuildContext) -> None:
        super().__init__(options)
        self._git: Final = GitChanges(context.environ)
        self._memory: Final = OwnMemory(context)
        if leads_out(options.diary):
            text = f"`{options.diary}` is not a file of the project; write `.diary/%Y%m%d.md`"
            raise OptionError("diary", text)

    async def run(self, view: CallView, seconds: float) -> Verdict:
        event = view.event
        folder = event.project or event.cwd
        if not folder or event.extra.get("stop_hook_active") is True:
            return NO_OPINION
        place = f"folder {folder}"  # several sessions in one folder are told once
        now = time.time()
        due = self._due_at_stop if event.name == EventName.STOP else self._due_after_call
        if not due(event, place, now):
            return NO_OPINION
        told = await self._reminder(folder, now)
        if not told:
            return NO_OPINION
        self._memory.put(place, {"said": now})
        return deny(told) if event.name == EventName.STOP else Verdict(context=told)

    def _due_at_stop(self, _: Event, place: str, now: float) -> bool:
        said = self._memory.get(place).get("said", 0.0)
        return now - float(said) >= self._options.minutes * _MINUTE

    def _due_after_call(self, event: Event, place: str, now: float) -> bool:
        """After this many calls or minutes of this session, counted from its first call or the last time."""
        kept = self._memory.get(event.session_id)
        since, calls = float(kept.get("since", now)), int(kept.get("calls", 0)) + 1
        due = calls >= self._options.calls or now - since >= self._options.minutes * _MINUTE
        after = {"since": now, "calls": 0} if due else {"since": since, "calls": calls}
        self._memory.put(event.session_id, after)
        return due and (calls >= self._options.calls or self._due_at_stop(event, place, now))

    async def _reminder(self, folder: str, now: float) -> str:
        changes = await self._git.stat(folder)
        parts = [f"There are uncommitted changes:\n{changes}\n{self._options.text}"] if changes else []
        if self._options.diary:
            parts.append(self._diary(folder, now))
        return "\n\n".join(filter(None, parts))

    def _diary(self, folder: str, now: float) -> str:
        name = datetime.fromtimestamp(now).astimezone().strftime(self._options.diary)
        try:
            age = now - Path(folder, name).stat().st_mtime
        except (OSError, ValueError):
            return f"Today's diary does not exist yet; write `{name}`."
        if age < self._options.diary_minutes * _MINUTE:
            return ""
        return f"`{name}` is {age / _MINUTE:.0f} minutes old; add what you did since."


BUILTIN: Final = Builtin(
    kind="commit_nudge",
    about="Asks for a commit when there are uncommitted changes, at most every ten minutes.",
    options=Options,
    make=CommitNudge,
    events=(EventName.STOP, EventName.POST_TOOL_USE),
    seconds=10.0,
    on_failure=OnFailure.OPEN,
    tightens=True,
)
