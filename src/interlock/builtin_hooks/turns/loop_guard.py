"""`loop_guard`: warns about a call that is repeated without a new result, then denies it."""

from __future__ import annotations

import hashlib
from typing import Annotated, Final, TypeAlias, final

import msgspec
import re2

from interlock.effects.classification.book import canonical, normalised
from interlock.effects.classification.classify import SideEffect
from interlock.events.event import Event
from interlock.events.hook import CallView
from interlock.events.names import EventName
from interlock.events.rule import OptionRule
from interlock.events.tool import ToolCall
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.events.verdict import NO_OPINION, Verdict, deny
from interlock.policy.format.entry import Text, about
from interlock.policy.hook_kind import BuildContext, Builtin, OptionError, OwnMemory

_REMEMBERED: Final = 40  # calls of a turn
_WAITS: Final = ("sleep", "wait")  # a command with one of these is repeated on purpose
_COMPARED: Final = 64 * 1024  # characters of a result, at either end
# What differs from run to run although nothing has changed: durations, times, addresses in memory.
_VARYING: Final = re2.compile(
    r"\d+(?:\.\d+)?\s?(?:ns|us|µs|ms|s|secs?|seconds?|minutes?)\b|\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?"
    r"|\d{4}-\d\d-\d\d|0x[0-9a-fA-F]+|\"(?:total)?[dD]uration\w*\":\s?[\d.]+"
)

# How often a call was made without a new result, and the digest of its result.
_Repeats: TypeAlias = dict[str, tuple[int, str]]

WAITING: Final = ("TaskOutput", "BashOutput", "Monitor", "AskUserQuestion", "ScheduleWakeup")


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How many repetitions are too many."""

    warn: Annotated[int, about("Warn the agent at this many equal calls.", ge=2)] = 3
    deny: Annotated[int, about("Deny from this many on; 0: never.", ge=0)] = 5
    ignore: Annotated[tuple[Text, ...], about("Tools that are meant to be called repeatedly.")] = WAITING


@final
class LoopGuard(OptionRule):
    """Counts calls without a new result, until another call changes something or a person writes."""

    kind: Final = "loop_guard"
    _options: Options

    def __init__(self, options: Options, context: BuildContext) -> None:
        super().__init__(options)
        self._ignored: Final = frozenset(STANDARD_TOOLS.canonical(name) for name in options.ignore)
        self._classifier: Final = context.classifier()
        self._memory: Final = OwnMemory(context)
        if options.deny and options.deny <= options.warn:
            text = f"`{options.deny}` is not above `warn` ({options.warn}); write a larger number"
            raise OptionError("deny", text)  # an agent is warned before it is denied

    def run(self, view: CallView, seconds: float) -> Verdict:
        event = view.event
        if event.name == EventName.USER_PROMPT_SUBMIT:
            if self._load(event):
                self._save(event, {})
            return NO_OPINION
        tool = event.tool
        if tool is None or self._waits(tool, view):
            return NO_OPINION
        if event.name == EventName.PRE_TOOL_USE:
            return self._before_call(event, tool)
        self._after_call(event, tool, view)
        return NO_OPINION

    def _before_call(self, event: Event, tool: ToolCall) -> Verdict:
        repeats, call = self._load(event), _digest(tool)
        times, result = repeats.pop(call, (0, ""))
        times += 1
        repeats[call] = (times, result)  # last, as the newest
        self._save(event, repeats)
        if self._options.deny and times >= self._options.deny:
            return deny(
                f"{tool.name} was called {times} times with the same input and the same result, so it "
                "does not run again. Change something first, try another way, or say where you are stuck."
            )
        if times == self._options.warn:
            return Verdict(
                context=f"This is call {times} of {tool.name} with the same input, and the result was the "
                "same each time. If it is the same again, try another way."
            )
        return NO_OPINION

    def _after_call(self, event: Event, tool: ToolCall, view: CallView) -> None:
        repeats, call = self._load(event), _digest(tool)
        times, before = repeats.get(call, (1, ""))
        result = _digest_result(event)
        if event.name == EventName.POST_TOOL_USE and not before and self._changes(tool, view):
            # Something has changed, so all calls count from zero; their results are still compared.
            repeats = {known: (0, earlier) for known, (_, earlier) in repeats.items()}
        repeats[call] = (times if before in {"", result} else 1, result)
        self._save(event, repeats)

    def _changes(self, tool: ToolCall, view: CallView) -> bool:
        return self._classifier.classify(tool, view).effect is not SideEffect.READ_ONLY

    def _waits(self, tool: ToolCall, view: CallView) -> bool:
        if STANDARD_TOOLS.canonical(tool.name) in self._ignored:
            return True
        return any(command.written.split(" ", 1)[0] in _WAITS for command in view.commands)

    def _load(self, event: Event) -> _Repeats:
        return msgspec.convert(self._memory.get(_memory_key(event)).get("calls", {}), _Repeats)

    def _save(self, event: Event, repeats: _Repeats) -> None:
        newest = dict(list(repeats.items())[-_REMEMBERED:])
        self._memory.put(_memory_key(event), {"calls": newest})


def _memory_key(event: Event) -> str:
    """A sub-agent is counted apart."""
    return f"{event.session_id}/{event.agent_id}" if event.agent_id else event.session_id


def _digest(tool: ToolCall) -> str:
    name = STANDARD_TOOLS.canonical(tool.name)
    return _hash(canonical([name, normalised(name, tool.input)]))


def _digest_result(event: Event) -> str:
    text = canonical([event.error, event.tool_output]).decode()
    if len(text) > 2 * _COMPARED:
        text = f"{len(text)} {text[:_COMPARED]} {text[-_COMPARED:]}"
    return _hash(_VARYING.sub("", text).encode())


def _hash(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()[:16]


BUILTIN: Final = Builtin(
    kind="loop_guard",
    about="Warns about, then denies, a call that is repeated and brings nothing new.",
    options=Options,
    make=LoopGuard,
    events=(EventName.PRE_TOOL_USE,),
    also=(EventName.POST_TOOL_USE, EventName.POST_TOOL_USE_FAILURE, EventName.USER_PROMPT_SUBMIT),
    votes=True,
    tightens=True,
)
