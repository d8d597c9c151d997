"""`memory_nudge`: what was learned is written down before it is forgotten."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Annotated, Final, final

import msgspec
from msgspec import Meta

from interlock.events.event import Event
from interlock.events.hook import CallView, Handler, OnFailure
from interlock.events.names import EventName
from interlock.events.rule import OptionRule
from interlock.events.verdict import NO_OPINION, Verdict, deny
from interlock.policy.hook_kind import BuildContext, Builtin, memory_of

_SECONDS: Final = 3.0
_MINUTE: Final = 60.0
TEXT: Final = (
    "Before the context is summarized: if this session taught you something you will need again "
    "(decisions, pitfalls, the user's preferences), write it to the project's memory now."
)


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is said, and when."""

    text: Annotated[str, Meta(min_length=1, description="The text for the model.")] = TEXT
    minutes: Annotated[
        float, Meta(ge=0, le=1440, description="Remind at a stop once the session is this old.")
    ] = 30.0
    stops: Annotated[int, Meta(ge=1, description="Or at this many stops.")] = 3


@final
class MemoryNudge(OptionRule):
    """Speaks before every summary, and sends one stop of a session back."""

    kind: Final = "memory_nudge"

    def __init__(
        self, options: Options, making: BuildContext, clock: Callable[[], float] = time.time
    ) -> None:
        super().__init__(options)
        self._text: Final = options.text
        self._age: Final = options.minutes * _MINUTE
        self._stops: Final = options.stops
        self._name: Final = making.name
        self._clock: Final = clock
        self._memory: Final = memory_of(making)

    def run(self, view: CallView, seconds: float) -> Verdict:
        event = view.event
        if event.name == EventName.PRE_COMPACT:
            return Verdict(context=self._text)
        if event.name == EventName.STOP:
            return self._at_stop(event)
        self._since(event)
        return NO_OPINION

    def _since(self, event: Event) -> None:
        """A session is as old as the first event we saw of it."""
        if not self._memory.get(event.session_id, self._name):
            self._memory.put(event.session_id, self._name, {"since": self._clock(), "stops": 0})

    def _at_stop(self, event: Event) -> Verdict:
        if event.extra.get("stop_hook_active") is True:
            return NO_OPINION
        kept = self._memory.get(event.session_id, self._name)
        if kept.get("said"):
            return NO_OPINION
        now = self._clock()
        since, stops = float(kept.get("since", now)), int(kept.get("stops", 0)) + 1
        due = now - since >= self._age or stops >= self._stops
        self._memory.put(event.session_id, self._name, {"since": since, "stops": stops, "said": due})
        return deny(self._text) if due else NO_OPINION


def make(options: Options, making: BuildContext) -> Handler | None:
    """Make the hook."""
    return MemoryNudge(options, making)


BUILTIN: Final = Builtin(
    kind="memory_nudge",
    about="Reminds the agent to write down what it learned, before a summary and late in a session.",
    options=Options,
    make=make,
    events=(EventName.PRE_COMPACT, EventName.STOP),
    also=(EventName.PRE_COMPACT, EventName.STOP, EventName.SESSION_START, EventName.USER_PROMPT_SUBMIT),
    seconds=_SECONDS,
    on_failure=OnFailure.OPEN,
    tightens=True,
)
