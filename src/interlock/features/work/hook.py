"""`work`: keeps the state of work that outlives a context window, and holds calls that nobody logs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, final

import msgspec

from interlock.events.hook import CallView, Handler, Matcher, OnFailure, Pattern
from interlock.events.names import EventName
from interlock.events.rule import Rule
from interlock.events.verdict import NO_OPINION, Verdict
from interlock.features.work.api import WorkBook
from interlock.policy.hook_kind import BuildContext, Builtin

EVENTS: Final = (
    EventName.SESSION_START,
    EventName.SESSION_END,
    EventName.PRE_COMPACT,
    EventName.PRE_TOOL_USE,
    EventName.POST_TOOL_USE,
    EventName.POST_TOOL_USE_FAILURE,
    EventName.STOP,
    EventName.STOP_FAILURE,
    EventName.USER_PROMPT_SUBMIT,
    EventName.NOTIFICATION,
    EventName.PERMISSION_REQUEST,
    EventName.TEAMMATE_IDLE,
    EventName.TASK_COMPLETED,
    EventName.SUBAGENT_START,
    EventName.SUBAGENT_STOP,
    EventName.CONFIG_CHANGE,
)


class WorkOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """None: how it goes about its work stands under `settings.work`, once for all entries."""


@final
class WorkHook(Rule):
    """Asks the book of the work; without one, as in a Python agent's own engine, it has no opinion."""

    kind: Final = "work"

    def __init__(self, event: EventName, book: WorkBook | None) -> None:
        self._event: Final = event
        self._book: Final = book

    @property
    def judges(self) -> bool:
        """It votes before a call and nowhere else."""
        return self._event is EventName.PRE_TOOL_USE

    def fingerprint(self) -> Any:
        """The moment: two entries that do the same are one."""
        return str(self._event)

    def concerned(self, matcher: Matcher) -> Matcher:
        """The matcher, firing only where there is something to do."""
        return _Concerned(self._event, self._book, matcher)

    def run(self, view: CallView, seconds: float) -> Verdict:
        """Take notice of the event."""
        if self._book is None or view.event.name != self._event:
            return NO_OPINION
        return self._book.seen(view, seconds)


@final
class _Concerned:
    """Most calls are made in sessions that are at work on nothing we know: those cost a look into memory."""

    by_patterns_alone: Final = False

    def __init__(self, event: EventName, book: WorkBook | None, inner: Matcher) -> None:
        self._event: Final = str(event)
        self._book: Final = book
        self._inner: Final = inner
        self._all: Final = not inner.needs_tool and not inner.patterns
        self.text: Final = inner.text
        self.needs_tool: Final = inner.needs_tool
        self.patterns: Final[Sequence[Pattern]] = inner.patterns

    def fires(self, view: CallView, *, every_part: bool) -> bool:
        """Whether the book wants to hear of this event."""
        event, book = view.event, self._book
        if book is None or event.name != self._event or not book.concerns(event):
            return False
        return self._all or self._inner.fires(view, every_part=every_part)


def _make(_options: WorkOptions, making: BuildContext) -> Handler:
    # In a trial it would count, and tell an agent nothing; so it does nothing.
    return WorkHook(making.event, None if making.trial else making.services.find(WorkBook))


def _concerned(handler: Handler, matcher: Matcher) -> Matcher:
    return handler.concerned(matcher) if isinstance(handler, WorkHook) else matcher


BUILTIN: Final = Builtin(
    kind="work",
    about="Keeps sessions, efforts and agents: a word every ten calls, a way back after a full window.",
    options=WorkOptions,
    make=_make,
    events=EVENTS,
    on_failure=OnFailure.OPEN,
    narrow=_concerned,
    tightens=True,
)
