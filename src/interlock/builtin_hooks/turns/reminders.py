"""`memory_nudge` and `commit_nudge`: remind the agent to write down what it learned, and to commit."""

from __future__ import annotations

import time
from datetime import datetime
from pathlib import Path
from typing import Annotated, Final, final

import msgspec

from interlock.builtin_hooks.git import QuietGit
from interlock.builtin_hooks.project_files import leads_out
from interlock.events.event import Event
from interlock.events.hook import CallView, OnFailure
from interlock.events.names import EventName
from interlock.events.rule import OptionRule, SlowRule
from interlock.events.verdict import NO_OPINION, Verdict, deny
from interlock.policy.format.entry import about
from interlock.policy.hook_kind import BuildContext, Builtin, OptionError, OwnMemory

_MINUTE: Final = 60.0
MEMORY_TEXT: Final = (
    "Before the context is summarized: if this session taught you something you will need again "
    "(decisions, pitfalls, the user's preferences), write it to the project's memory now."
)


class MemoryOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The reminder, and when it is given."""

    text: Annotated[str, about("The text for the model.", min_length=1)] = MEMORY_TEXT
    minutes: Annotated[float, about("Remind at a stop once the session is this old.", ge=0, le=1440)] = 30.0
    stops: Annotated[int, about("Or at this many stops.", ge=1)] = 3


@final
class MemoryNudge(OptionRule):
    """Adds the reminder before every summary, and sends back one stop of a session."""

    kind: Final = "memory_nudge"
    _options: MemoryOptions

    def __init__(self, options: MemoryOptions, context: BuildContext) -> None:
        super().__init__(options)
        self._memory: Final = OwnMemory(context)

    def run(self, view: CallView, seconds: float) -> Verdict:
        event = view.event
        if event.name == EventName.PRE_COMPACT:
            return Verdict(context=self._options.text)
        if event.name == EventName.STOP:
            return self._at_stop(event)
        self._start(event.session_id)
        return NO_OPINION

    def _start(self, session: str) -> None:
        """Note the first event of a session: its age counts from there."""
        if not self._memory.get(session):
            self._memory.put(session, {"since": time.time(), "stops": 0})

    def _at_stop(self, event: Event) -> Verdict:
        if event.extra.get("stop_hook_active") is True:
            return NO_OPINION
        stored = self._memory.get(event.session_id)
        if stored.get("said"):
            return NO_OPINION
        now = time.time()
        since, stops = float(stored.get("since", now)), int(stored.get("stops", 0)) + 1
        due = now - since >= self._options.minutes * _MINUTE or stops >= self._options.stops
        self._memory.put(event.session_id, {"since": since, "stops": stops, "said": due})
        return deny(self._options.text) if due else NO_OPINION


COMMIT_TEXT: Final = (
    "Is this a good point for a commit? If so, make one, with `/commit` if you have that command."
)


class CommitOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The reminder, and how often it is given."""

    text: Annotated[str, about("The text after the list of changes.", min_length=1)] = COMMIT_TEXT
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
    _options: CommitOptions

    def __init__(self, options: CommitOptions, context: BuildContext) -> None:
        super().__init__(options)
        self._git: Final = QuietGit(context.environ)
        self._memory: Final = OwnMemory(context)
        if leads_out(options.diary):
            text = f"`{options.diary}` is not a file of the project; write `.diary/%Y%m%d.md`"
            raise OptionError("diary", text)

    async def run(self, view: CallView, seconds: float) -> Verdict:
        event = view.event
        folder = event.project or event.cwd
        if not folder or event.extra.get("stop_hook_active") is True:
            return NO_OPINION
        memory_key = f"folder {folder}"  # several sessions in one folder get one reminder
        now = time.time()
        due = self._due_at_stop if event.name == EventName.STOP else self._due_after_call
        if not due(event, memory_key, now):
            return NO_OPINION
        reminder = await self._reminder(folder, now)
        if not reminder:
            return NO_OPINION
        self._memory.put(memory_key, {"said": now})
        return deny(reminder) if event.name == EventName.STOP else Verdict(context=reminder)

    def _due_at_stop(self, _: Event, memory_key: str, now: float) -> bool:
        last = self._memory.get(memory_key).get("said", 0.0)
        return now - float(last) >= self._options.minutes * _MINUTE

    def _due_after_call(self, event: Event, memory_key: str, now: float) -> bool:
        """After this many calls or minutes of this session, since its first call or the last reminder."""
        stored = self._memory.get(event.session_id)
        since, calls = float(stored.get("since", now)), int(stored.get("calls", 0)) + 1
        due = calls >= self._options.calls or now - since >= self._options.minutes * _MINUTE
        after = {"since": now, "calls": 0} if due else {"since": since, "calls": calls}
        self._memory.put(event.session_id, after)
        return due and (calls >= self._options.calls or self._due_at_stop(event, memory_key, now))

    async def _reminder(self, folder: str, now: float) -> str:
        changes = await self._git.list_changes(folder)
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


MEMORY_NUDGE: Final = Builtin(
    kind="memory_nudge",
    about="Reminds the agent to write down what it learned, before a summary and late in a session.",
    options=MemoryOptions,
    make=MemoryNudge,
    events=(EventName.PRE_COMPACT, EventName.STOP),
    also=(EventName.PRE_COMPACT, EventName.STOP, EventName.SESSION_START, EventName.USER_PROMPT_SUBMIT),
    seconds=3.0,
    on_failure=OnFailure.OPEN,
    tightens=True,
)
COMMIT_NUDGE: Final = Builtin(
    kind="commit_nudge",
    about="Asks for a commit when there are uncommitted changes, at most every ten minutes.",
    options=CommitOptions,
    make=CommitNudge,
    events=(EventName.STOP, EventName.POST_TOOL_USE),
    seconds=10.0,
    on_failure=OnFailure.OPEN,
    tightens=True,
)
