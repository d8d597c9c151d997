"""`schema_guard`: a call that lacks what its tool needs is stopped with a call that fits, or put right."""

from __future__ import annotations

from typing import Annotated, Final, Literal, final

from interlock.builtin_hooks.schemas.lookup import (
    KnownShape,
    LearnedShapes,
    SchemaIndex,
    SchemaOptions,
    book_of,
    learned_of,
)
from interlock.builtin_hooks.schemas.required_fields import meant_name
from interlock.events.event import Event
from interlock.events.hook import CallView, Handler
from interlock.events.names import EventName
from interlock.events.rule import OptionRule
from interlock.events.text import shorten
from interlock.events.tool import JsonObject, ToolCall
from interlock.events.verdict import NO_OPINION, Verdict, deny
from interlock.policy.format.entry import about
from interlock.policy.hook_kind import BuildContext, Builtin

_FAILED: Final = "Tool schema validation failed."


class Options(SchemaOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which calls are looked at, and what becomes of one that does not fit."""

    mode: Annotated[
        Literal["strict", "guide", "off"],
        about("`strict` denies, `guide` allows the call and tells the agent, `off` does nothing."),
    ] = "strict"
    learn: Annotated[
        bool, about("true: give advice for other tools, learned from their successful calls.")
    ] = False
    repair: Annotated[bool, about("false: a list sent as a string is an error, and is not fixed.")] = True
    names: Annotated[bool, about("false: a malformed tool name is allowed.")] = True


@final
class SchemaGuard(OptionRule):
    """Denies or advises; what nobody described is good as it is."""

    kind: Final = "schema_guard"

    def __init__(self, options: Options, book: SchemaIndex, learned: LearnedShapes | None) -> None:
        super().__init__(options)
        self._mode: Final = options.mode
        self._repair: Final = options.repair
        self._names: Final = options.names
        self._book: Final = book
        self._learned: Final = learned

    def run(self, view: CallView, seconds: float) -> Verdict:
        event = view.event
        tool = event.tool
        if tool is None or self._mode == "off":
            return NO_OPINION
        if event.name != EventName.PRE_TOOL_USE:
            return self._after(event, tool)
        name = meant_name(tool.name, self._book.names) if self._names else None
        if name is not None:
            return self._answer(_misnamed(tool.name, name))
        known = self._book.find(tool.name)
        return NO_OPINION if known is None else self._judged(tool, known)

    def _judged(self, tool: ToolCall, known: KnownShape) -> Verdict:
        given, repaired = tool.input, None
        if self._repair and not known.learned:
            repaired = self._book.repaired(known, given)
        objection = self._book.objection(known, repaired or given)
        if objection is None:
            return _put_right(tool, repaired) if repaired else NO_OPINION
        told = objection.describe(tool.name, known)
        if known.learned:
            return Verdict(context=f"{told} (learned from earlier calls; the call may still be correct)")
        return self._answer(told)

    def _answer(self, told: str) -> Verdict:
        return Verdict(context=told) if self._mode == "guide" else deny(f"{_FAILED} {told}")

    def _after(self, event: Event, tool: ToolCall) -> Verdict:
        """A call that went well teaches what its tool takes."""
        if self._learned and event.name == EventName.POST_TOOL_USE:
            known = self._book.find(tool.name)
            if known is None or known.learned:
                self._learned.succeeded(tool.name, tool.input)
        return NO_OPINION


_LONGEST_NAME: Final = 100


def _misnamed(name: str, meant: str) -> str:
    cure = f"call `{meant}`" if meant else "call it by its name alone"
    return f"`{shorten(name, _LONGEST_NAME)}` is not the name of a tool; {cure}."


def _put_right(tool: ToolCall, repaired: JsonObject) -> Verdict:
    changed = ", ".join(f"`{name}`" for name, value in repaired.items() if value != tool.input.get(name))
    told = f"{changed} of {tool.name} came as a string and is read as the JSON in it; send the value itself."
    return Verdict(reason=f"Repaired: {changed}", updated_input=repaired, context=told)


def make(options: Options, making: BuildContext) -> Handler | None:
    """Make the hook; a schema that cannot be used is a mistake in the policy."""
    learned = learned_of(making) if options.learn else None
    book = book_of(options, making, learned)
    return SchemaGuard(options, book, learned) if book else None


BUILTIN: Final = Builtin(
    kind="schema_guard",
    about="Stops calls that lack what their tool needs and shows one that works, or fixes them.",
    options=Options,
    make=make,
    events=(EventName.PRE_TOOL_USE,),
    also=(EventName.PRE_TOOL_USE, EventName.POST_TOOL_USE),
    votes=True,
)
