"""`budget`: this many tool calls, minutes, steps and tokens, and then the agent ends in good order."""

from __future__ import annotations

import time
from typing import Annotated, Final, Literal, final

import msgspec

from interlock.events.event import Event
from interlock.events.hook import CallView
from interlock.events.names import EventName
from interlock.events.rule import OptionRule
from interlock.events.tool import JsonObject
from interlock.events.verdict import NO_OPINION, Verdict, deny
from interlock.policy.format.entry import about
from interlock.policy.hook_kind import BuildContext, Builtin, OptionError, OwnMemory, Window

_LOOK_EVERY: Final = 5  # calls; the end of a transcript takes a while to read

USED_UP: Final = (
    "The budget is used up: {used}. Call no more tools. Say what is done, what is left and how things "
    "stand, then end the turn."
)
NEARLY: Final = "The budget is nearly used up: {used}. Bring your current step to a close."
HAND_OVER: Final = (
    "The context is nearly full: {used}. Write down what is done, what is left and which files matter "
    "for whoever continues, then end the turn."
)


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What may be used; 0 is not a limit."""

    tool_calls: Annotated[int, about("Calls, including those of sub-agents.", ge=0)] = 250
    minutes: Annotated[float, about("Minutes since it started.", ge=0)] = 90.0
    steps: Annotated[int, about("How often the agent ended its turn and was sent back.", ge=0)] = 50
    tokens: Annotated[
        int, about("Tokens of context; beyond it the agent is told to hand over, nothing is denied.", ge=0)
    ] = 180_000
    per: Annotated[Literal["turn", "session"], about("`turn`: starts again at each prompt of the user.")] = (
        "turn"
    )
    warn_at: Annotated[float, about("The fraction of a limit at which the agent is warned.", gt=0, le=1)] = (
        0.8
    )
    mode: Annotated[
        Literal["deny", "tell"], about("`tell`: nothing is denied; the agent and the user are told.")
    ] = "deny"


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """What was used so far, as it is kept."""

    began: float = 0.0
    calls: int = 0
    steps: int = 0
    told: tuple[str, ...] = ()  # of what the agent heard already


@final
class Budget(OptionRule):
    """Counts before each call, and denies the first that is over."""

    kind: Final = "budget"
    _options: Options

    def __init__(self, options: Options, context: BuildContext) -> None:
        super().__init__(options)
        self._window: Final = context.services.find(Window)
        self._memory: Final = OwnMemory(context)
        if not (options.tool_calls or options.minutes or options.steps or options.tokens):
            raise OptionError("tool_calls", "nothing is limited; set at least one limit above 0")

    def run(self, view: CallView, seconds: float) -> Verdict:
        event = view.event
        spent = self._load(event)
        if event.name == EventName.USER_PROMPT_SUBMIT:
            if self._options.per == "turn" and not event.agent_id:
                self._save(event, Usage(began=time.time()))
            return NO_OPINION
        if event.name == EventName.STOP:
            self._save(event, msgspec.structs.replace(spent, steps=spent.steps + 1))
            return NO_OPINION
        return self._before_call(event, msgspec.structs.replace(spent, calls=spent.calls + 1))

    def _before_call(self, event: Event, spent: Usage) -> Verdict:
        over, near = self._limits_over(spent), self._limits_near(spent)
        if over:
            said = USED_UP.format(used=", ".join(over))
            first = "over" not in spent.told
            self._save(event, self._add_notice(spent, "over"))
            message = f"budget: {', '.join(over)}; used up" if first else None
            if self._options.mode == "deny":
                return msgspec.structs.replace(deny(said), message=message)
            return Verdict(context=said, message=message) if first else NO_OPINION
        if near and "near" not in spent.told:
            self._save(event, self._add_notice(spent, "near"))
            return Verdict(context=NEARLY.format(used=", ".join(near)))
        return self._check_context(event, spent)

    def _check_context(self, event: Event, spent: Usage) -> Verdict:
        """The context of the main agent; each window is told of once."""
        tokens = self._tokens(event, spent)
        if tokens is None or tokens <= self._options.tokens or "full" in spent.told:
            lower = tokens is not None and tokens <= self._options.tokens  # it was summed up meanwhile
            told = tuple(word for word in spent.told if word != "full") if lower else spent.told
            self._save(event, msgspec.structs.replace(spent, told=told))
            return NO_OPINION
        self._save(event, self._add_notice(spent, "full"))
        used = f"{tokens:,} of {self._options.tokens:,} tokens"
        return Verdict(context=HAND_OVER.format(used=used), message=f"budget: {used}; told to hand over")

    def _tokens(self, event: Event, spent: Usage) -> int | None:
        due = spent.calls % _LOOK_EVERY == 1
        if not self._options.tokens or self._window is None or event.agent_id or not due:
            return None
        return self._window.tokens(event.transcript_path) if event.transcript_path else None

    def _limits_over(self, spent: Usage) -> list[str]:
        return [words for words, used, most in self._limits(spent) if used > most]

    def _limits_near(self, spent: Usage) -> list[str]:
        return [words for words, used, most in self._limits(spent) if used >= most * self._options.warn_at]

    def _limits(self, spent: Usage) -> list[tuple[str, float, float]]:
        """Each limit in words, what was used of it, and how much there is."""
        of, minutes = self._options, (time.time() - spent.began) / 60
        shown = min(spent.calls, of.tool_calls)  # the call that is denied was none
        limits = [
            (f"{shown} of {of.tool_calls} tool calls", spent.calls, of.tool_calls),
            (f"{minutes:.0f} of {of.minutes:g} minutes", minutes, of.minutes),
            (f"{spent.steps} of {of.steps} steps", spent.steps, of.steps),
        ]
        return [(words, float(used), float(most)) for words, used, most in limits if most]

    def _add_notice(self, spent: Usage, word: str) -> Usage:
        return msgspec.structs.replace(spent, told=tuple(dict.fromkeys((*spent.told, word))))

    def _load(self, event: Event) -> Usage:
        kept = self._memory.get(event.session_id)
        return msgspec.convert(kept, Usage) if kept else Usage(began=time.time())

    def _save(self, event: Event, spent: Usage) -> None:
        kept: JsonObject = msgspec.to_builtins(spent)
        self._memory.put(event.session_id, kept)


BUILTIN: Final = Builtin(
    kind="budget",
    about="Ends a turn in good order after a number of tool calls, minutes, steps or tokens.",
    options=Options,
    make=Budget,
    events=(EventName.PRE_TOOL_USE,),
    also=(EventName.STOP, EventName.USER_PROMPT_SUBMIT),
    votes=True,
    tightens=True,
)
