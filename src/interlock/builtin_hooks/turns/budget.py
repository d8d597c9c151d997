"""`budget`: limits tool calls, minutes, steps and tokens, and tells the agent to finish in good order."""

from __future__ import annotations

import time
from typing import Annotated, Final, Literal, final

import msgspec

from interlock.events.event import Event
from interlock.events.hook import CallView
from interlock.events.names import EventName
from interlock.events.rule import OptionRule
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
    """What was used so far, as it is stored."""

    began: float = 0.0
    calls: int = 0
    steps: int = 0
    told: tuple[str, ...] = ()  # the notices that the agent already got: near, over, full


@final
class Budget(OptionRule):
    """Counts calls, and denies those beyond a limit."""

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
        usage = self._load(event)
        if event.name == EventName.USER_PROMPT_SUBMIT:
            if self._options.per == "turn" and not event.agent_id:
                self._save(event, Usage(began=time.time()))
            return NO_OPINION
        if event.name == EventName.STOP:
            self._save(event, msgspec.structs.replace(usage, steps=usage.steps + 1))
            return NO_OPINION
        return self._before_call(event, msgspec.structs.replace(usage, calls=usage.calls + 1))

    def _before_call(self, event: Event, usage: Usage) -> Verdict:
        limits = self._limits(usage)
        over = [words for words, used, most in limits if used > most]
        near = [words for words, used, most in limits if used >= most * self._options.warn_at]
        if over:
            text = USED_UP.format(used=", ".join(over))
            first = "over" not in usage.told
            self._save(event, self._add_notice(usage, "over"))
            message = f"budget: {', '.join(over)}; used up" if first else None
            if self._options.mode == "deny":
                return msgspec.structs.replace(deny(text), message=message)
            return Verdict(context=text, message=message) if first else NO_OPINION
        if near and "near" not in usage.told:
            self._save(event, self._add_notice(usage, "near"))
            return Verdict(context=NEARLY.format(used=", ".join(near)))
        return self._check_context(event, usage)

    def _check_context(self, event: Event, usage: Usage) -> Verdict:
        """The context of the main agent; the notice is given once until the context is summarized."""
        tokens = self._tokens(event, usage)
        if tokens is not None and tokens <= self._options.tokens:
            notices = tuple(notice for notice in usage.told if notice != "full")
            usage = msgspec.structs.replace(usage, told=notices)
        elif tokens is not None and "full" not in usage.told:
            return self._hand_over(event, usage, tokens)
        self._save(event, usage)
        return NO_OPINION

    def _hand_over(self, event: Event, usage: Usage, tokens: int) -> Verdict:
        self._save(event, self._add_notice(usage, "full"))
        used = f"{tokens:,} of {self._options.tokens:,} tokens"
        return Verdict(context=HAND_OVER.format(used=used), message=f"budget: {used}; told to hand over")

    def _tokens(self, event: Event, usage: Usage) -> int | None:
        due = usage.calls % _LOOK_EVERY == 1
        if not self._options.tokens or self._window is None or event.agent_id or not due:
            return None
        return self._window.tokens(event.transcript_path) if event.transcript_path else None

    def _limits(self, usage: Usage) -> list[tuple[str, float, float]]:
        """Each limit in words, what was used of it, and how much there is."""
        most, minutes = self._options, (time.time() - usage.began) / 60
        made = min(usage.calls, most.tool_calls)  # a denied call was not made
        limits = [
            (f"{made} of {most.tool_calls} tool calls", usage.calls, most.tool_calls),
            (f"{minutes:.0f} of {most.minutes:g} minutes", minutes, most.minutes),
            (f"{usage.steps} of {most.steps} steps", usage.steps, most.steps),
        ]
        return [(words, float(used), float(most)) for words, used, most in limits if most]

    def _add_notice(self, usage: Usage, notice: str) -> Usage:
        return msgspec.structs.replace(usage, told=tuple(dict.fromkeys((*usage.told, notice))))

    def _load(self, event: Event) -> Usage:
        stored = self._memory.get(event.session_id)
        return msgspec.convert(stored, Usage) if stored else Usage(began=time.time())

    def _save(self, event: Event, usage: Usage) -> None:
        self._memory.put(event.session_id, msgspec.to_builtins(usage))


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
