"""`commit_nudge`: work that lies uncommitted is brought to mind, at a stop or in the midst of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Annotated, Final, final

import msgspec
from msgspec import Meta

from interlock.builtin_hooks.git import GitChanges
from interlock.events.event import Event
from interlock.events.hook import CallView, Handler, OnFailure
from interlock.events.names import EventName
from interlock.events.rule import SlowRule
from interlock.events.verdict import NO_OPINION, Verdict, deny
from interlock.policy.hook_kind import BuildContext, Builtin, memory_of

_SECONDS: Final = 10.0
_MINUTE: Final = 60.0
TEXT: Final = "Is this a good point for a commit? If so, make one, with `/commit` if you have that command."


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is said, and how often."""

    text: Annotated[str, Meta(min_length=1, description="The text after the list of changes.")] = TEXT
    minutes: Annotated[
        float, Meta(ge=0, le=1440, description="Wait this long before asking again about the same folder.")
    ] = 10.0
    calls: Annotated[
        int,
        Meta(ge=1, description="At `post_tool_use`: ask after this many calls, or when the time is over."),
    ] = 100
    diary: Annotated[
        str,
        Meta(description="One file in the project for each day, such as `.diary/%Y%m%d.md`; empty: none."),
    ] = ""
    diary_minutes: Annotated[
        float, Meta(ge=1, le=1440, description="Ask for an update of the day's file when it is this old.")
    ] = 60.0


@final
class CommitNudge(SlowRule):
    """Sends a stop back once, or adds context after a call; it only looks at the repository."""

    kind: Final = "commit_nudge"

    def __init__(
        self, options: Options, making: BuildContext, clock: Callable[[], float] = time.time
    ) -> None:
        super().__init__(options)
        self._chosen: Final = options
        self._name: Final = making.name
        self._clock: Final = clock
        self._git: Final = GitChanges(making.environ)
        self._memory: Final = memory_of(making)

    async def run(self, view: CallView, seconds: float) -> Verdict:
        event = view.event
        folder = event.project or event.cwd
        if not folder or event.extra.get("stop_hook_active") is True:
            return NO_OPINION
        place = f"folder {folder}"  # several sessions in one folder are told once
        now = self._clock()
        due = self._due_at_stop if event.name == EventName.STOP else self._due_after_call
        if not due(event, place, now):
            return NO_OPINION
        told = await self._reminder(folder, now)
        if not told:
            return NO_OPINION
        self._memory.put(place, self._name, {"said": now})
        return deny(told) if event.name == EventName.STOP else Verdict(context=told)

    def _due_at_stop(self, _: Event, place: str, now: float) -> bool:
        said = self._memory.get(place, self._name).get("said", 0.0)
        return now - float(said) >= self._chosen.minutes * _MINUTE

    def _due_after_call(self, event: Event, place: str, now: float) -> bool:
        """After this many calls or minutes of this session, counted from its first call or the last time."""
        kept = self._memory.get(event.session_id, self._name)
        since, calls = float(kept.get("since", now)), int(kept.get("calls", 0)) + 1
        due = calls >= self._chosen.calls or now - since >= self._chosen.minutes * _MINUTE
        after = {"since": now, "calls": 0} if due else {"since": since, "calls": calls}
        self._memory.put(event.session_id, self._name, after)
        return due and (calls >= self._chosen.calls or self._due_at_stop(event, place, now))

    async def _reminder(self, folder: str, now: float) -> str:
        changes = await self._git.stat(folder)
        parts = [f"There are uncommitted changes:\n{changes}\n{self._chosen.text}"] if changes else []
        if self._chosen.diary:
            parts.append(self._diary(folder, now))
        return "\n\n".join(filter(None, parts))

    def _diary(self, folder: str, now: float) -> str:
        name = datetime.fromtimestamp(now).astimezone().strftime(self._chosen.diary)
        try:
            age = now - Path(folder, name).stat().st_mtime
        except (OSError, ValueError):
            return f"Today's diary does not exist yet; write `{name}`."
        if age < self._chosen.diary_minutes * _MINUTE:
            return ""
        return f"`{name}` is {age / _MINUTE:.0f} minutes old; add what you did since."


def make(options: Options, making: BuildContext) -> Handler | None:
    """Make the hook; the diary is a file of the project."""
    if options.diary.startswith(("/", "~")) or ".." in options.diary.split("/"):
        making.problem("diary", f"`{options.diary}` is not a file of the project; write `.diary/%Y%m%d.md`")
        return None
    return CommitNudge(options, making)


BUILTIN: Final = Builtin(
    kind="commit_nudge",
    about="Asks for a commit when there are uncommitted changes, at most every ten minutes.",
    options=Options,
    make=make,
    events=(EventName.STOP, EventName.POST_TOOL_USE),
    seconds=_SECONDS,
    on_failure=OnFailure.OPEN,
    tightens=True,
)
