"""`prompt`: a model is shown the event and says whether it may go on."""

from __future__ import annotations

import asyncio
from typing import Annotated, Final, final

import msgspec
from msgspec import Meta

from interlock.builtin_hooks.model.ask_model import (
    SYSTEM,
    Answers,
    Include,
    ModelAsking,
    blocked_already,
    read_model,
    usable,
    with_cost,
)
from interlock.builtin_hooks.model.client import Question
from interlock.errors import FailureKind, HookFailedError
from interlock.events.hook import CallView, Handler
from interlock.events.rule import SlowRule
from interlock.events.verdict import NO_OPINION, Verdict
from interlock.policy.hook_kind import BuildContext, Builtin

_SECONDS: Final = 30.0


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is asked, and at what cost."""

    prompt: Annotated[
        str, Meta(description="The question; `$ARGUMENTS` is the event as JSON, which otherwise follows it.")
    ]
    model: (
        Annotated[str, Meta(min_length=1, description="A different model than `settings.model` names.")]
        | None
    ) = None
    include: Annotated[
        tuple[Include, ...], Meta(description="`diff_stat`: git's summary of uncommitted changes.")
    ] = ()
    max_tokens: Annotated[int, Meta(ge=16, le=8192, description="The longest answer, in tokens.")] = 512
    cache: Annotated[
        float,
        Meta(ge=0, le=86_400, description="Reuse an answer to the same question for this many seconds."),
    ] = 3600.0
    calls_per_session: Annotated[
        int, Meta(ge=0, description="How often the model may be asked; 0: no limit.")
    ] = 0


@final
class Prompt(SlowRule):
    """Asks one question; the answer objects, tells something, or says nothing."""

    kind: Final = "prompt"

    def __init__(self, options: Options, making: BuildContext) -> None:
        super().__init__(options)
        self._text: Final = options.prompt
        self._most: Final = options.max_tokens
        self._asking: Final = ModelAsking(
            making,
            model=options.model,
            calls_per_session=options.calls_per_session,
            include=options.include,
        )
        self._answers: Final = Answers(options.cache)

    async def run(self, view: CallView, seconds: float) -> Verdict:
        event, asking = view.event, self._asking
        if blocked_already(event):
            return NO_OPINION
        try:
            async with asyncio.timeout(seconds):
                shown = await asking.shown(self._text, event)
                known = self._answers.get(event.name, shown)
                if known is not None:
                    return known
                async with asking.opened(event, seconds) as client:
                    said = await asking.ask(client, self._question(shown))
        except TimeoutError:
            message = f"the model gave no answer within {seconds:g} s"
            raise HookFailedError(FailureKind.TIMEOUT, message) from None
        verdict = with_cost(read_model(said.text, event), asking.model, said.tokens)
        self._answers.put(verdict, event.name, shown)
        return verdict

    def _question(self, shown: str) -> Question:
        messages = [{"role": "user", "content": shown}]
        return Question(model=self._asking.model, system=SYSTEM, messages=messages, most_tokens=self._most)


def make(options: Options, making: BuildContext) -> Handler | None:
    """Make the hook; without a question there is none."""
    return Prompt(options, making) if usable(making, options.prompt, options.model) else None


BUILTIN: Final = Builtin(
    kind="prompt",
    about="Shows the event to a model, which objects, nudges or passes.",
    options=Options,
    make=make,
    seconds=_SECONDS,
)
