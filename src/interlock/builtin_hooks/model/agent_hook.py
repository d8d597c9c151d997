"""`agent`: a model looks around in the project, reading only, and says whether the event may go on."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Final, final

import msgspec
from msgspec import Meta

from interlock.builtin_hooks.build_context import Making
from interlock.builtin_hooks.kind import Builtin, SlowRule
from interlock.builtin_hooks.model.answer import read_model
from interlock.builtin_hooks.model.ask_model import (
    SYSTEM,
    Include,
    ModelAsking,
    blocked_already,
    usable,
    with_cost,
)
from interlock.builtin_hooks.model.client import ModelClient, Question, Use
from interlock.builtin_hooks.model.project_tools import TOOLS, ProjectLook
from interlock.errors import FailureKind, HookFailedError
from interlock.events.event import Event
from interlock.events.hook import Handler, Sight
from interlock.events.tool import JsonObject
from interlock.events.verdict import NO_OPINION, Verdict

_SECONDS: Final = 120.0
_MOST_USES: Final = 8  # tools at once in one turn


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is asked, how long it may look around, and at what cost."""

    prompt: Annotated[
        str, Meta(description="The question; `$ARGUMENTS` is the event as JSON, which else follows it.")
    ]
    model: (
        Annotated[str, Meta(min_length=1, description="Another one than `settings.model` names.")] | None
    ) = None
    include: Annotated[
        tuple[Include, ...], Meta(description="`diff_stat`: what git says of uncommitted changes.")
    ] = ()
    turns: Annotated[
        int, Meta(ge=1, le=50, description="So many answers at most, the last without tools.")
    ] = 10
    max_tokens: Annotated[int, Meta(ge=16, le=8192, description="So long an answer at most.")] = 1024
    calls_per_session: Annotated[int, Meta(ge=0, description="How often it is asked; 0: any number.")] = 0


@final
class Agent(SlowRule):
    """Asks, lets the model read, list and search inside the project, and takes its last answer."""

    kind: Final = "agent"

    def __init__(self, options: Options, making: Making) -> None:
        super().__init__(options)
        self._chosen: Final = options
        self._home: Final = making.environ.get("HOME", "")
        self._asking: Final = ModelAsking(
            making,
            model=options.model,
            calls_per_session=options.calls_per_session,
            include=options.include,
        )

    async def run(self, sight: Sight, seconds: float) -> Verdict:
        event, asking = sight.event, self._asking
        if blocked_already(event):
            return NO_OPINION
        try:
            async with asyncio.timeout(seconds):
                shown = await asking.shown(self._chosen.prompt, event)
                async with asking.opened(event, seconds) as client:
                    return await self._talked(client, event, shown)
        except TimeoutError:
            message = f"the agent gave no answer within {seconds:g} s"
            raise HookFailedError(FailureKind.TIMEOUT, message) from None

    async def _talked(self, client: ModelClient, event: Event, shown: str) -> Verdict:
        look = ProjectLook(event.project or event.cwd, self._asking.redactor, home=self._home)
        messages: list[JsonObject] = [{"role": "user", "content": shown}]
        spent = 0
        for turn in range(1, self._chosen.turns + 1):
            said = await self._asking.ask(client, self._question(messages, last=turn == self._chosen.turns))
            spent += said.tokens
            if not said.uses:
                return with_cost(read_model(said.text, event), self._asking.model, spent, turn)
            messages.append({"role": "assistant", "content": said.content})
            results = [await _result(look, use) for use in said.uses[:_MOST_USES]]
            results += [_refused(use) for use in said.uses[_MOST_USES:]]
            messages.append({"role": "user", "content": results})
        message = f"the agent gave no answer in {self._chosen.turns} turns; raise `turns`"
        raise HookFailedError(FailureKind.GARBAGE, message)

    def _question(self, messages: list[JsonObject], *, last: bool) -> Question:
        return Question(
            model=self._asking.model,
            system=SYSTEM,
            messages=messages,
            most_tokens=self._chosen.max_tokens,
            tools=TOOLS,
            answer_now=last,
        )


async def _result(look: ProjectLook, use: Use) -> JsonObject:
    # In a thread: a search through a project holds nobody up.
    text, fine = await asyncio.to_thread(look.used, use.name, use.input)
    return _block(use, text, fine=fine)


def _refused(use: Use) -> JsonObject:
    return _block(use, f"at most {_MOST_USES} tools at once; ask again", fine=False)


def _block(use: Use, text: str, *, fine: bool) -> JsonObject:
    block: dict[str, Any] = {"type": "tool_result", "tool_use_id": use.id, "content": text}
    return block if fine else {**block, "is_error": True}


def make(options: Options, making: Making) -> Handler | None:
    """Make the hook; without a question there is none."""
    return Agent(options, making) if usable(making, options.prompt, options.model) else None


BUILTIN: Final = Builtin(
    kind="agent",
    about="Lets a model look around in the project, reading only, and object, nudge or pass.",
    options=Options,
    make=make,
    seconds=_SECONDS,
)
