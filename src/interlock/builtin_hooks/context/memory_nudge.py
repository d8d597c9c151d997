"""`memory_nudge`: what was learned is written down before it is forgotten."""

from __future__ import annotations

import time
from typing import Annotated, Final, final

import msgspec

from interlock.events.event import Event
from interlock.events.hook import CallView, OnFailure
from interlock.events.names import EventName
from interlock.events.rule import OptionRule
from interlock.events.verdict import NO_OPINION, Verdict, deny
from interlock.policy.format.entry import about
from interlock.policy.hook_kind import BuildContext, Builtin, OwnMemory

_MINUTE: Final = 60.0
TEXT: Final = (
    "Before the context is summarized: if this session taught you something you will need again "
    "(decisions, pitfalls, the user's preferences), write it to the project's memory now."
)


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is said, and when."""

    text: Annotated[str, about("The text for the model.", min_length=1)] = TEXT
    minutes: Annotated[float, about("Remind at a stop once the session is this old.", ge=0, le=1440)] = 30.0
    stops: Annotated[int, about("Or at this many stops.", ge=1)] = 3


@final
class MemoryNudge(OptionRule):
    """Speaks before every summary, and sends one stop of a session back."""

    kind: Final = "memory_nudge"
    _options: Options

    def __init__(self, options: Options, context: BuildContext) -> None:
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
        """A session is as old as the first event we saw of it."""
        if not self._memory.get(session):
            self._memory.put(session, {"since": time.time(), "stops": 0})

    def _at_stop(self, event: Event) -> Verdict:
        if event.extra.get("stop_hook_active") is True:
            return NO_OPINION
        kept = self._memory.get(event.session_id)
        if kept.get("said"):
            return NO_OPINION
        now = time.time()
        since, stops = float(kept.get("since", now)), int(kept.get("stops", 0)) + 1
        due = now - since >= self._options.minutes * _MINUTE or stops >= self._options.stops
        self._memory.put(event.session_id, {"since": since, "stops": stops, "said": due})
        return deny(self._options.text) if due else NO_OPINION


BUILTIN: Final = Builtin(
    kind="memory_nudge",
    about="Reminds the agent to write down what it learned, before a summary and late in a session.",
    options=Options,
    make=MemoryNudge,
    events=(EventName.PRE_COMPACT, EventName.STOP),
    also=(EventName.PRE_COMPACT, EventName.STOP, EventName.SESSION_START, EventName.USER_PROMPT_SUBMIT),
    seconds=3.0,
    on_failure=OnFailure.OPEN,
    tightens=True,
)
