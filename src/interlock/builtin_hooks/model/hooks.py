"""`prompt` and `agent`: a model is shown the event and says whether it may go on."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Final, final

from interlock.builtin_hooks.model.ask_model import Answers, ModelHook, ModelOptions, read_model, with_cost
from interlock.builtin_hooks.model.client import ModelClient, Use
from interlock.builtin_hooks.model.project_look import TOOLS, ProjectLook
from interlock.errors import FailureKind, HookFailedError
from interlock.events.event import Event
from interlock.events.tool import JsonObject
from interlock.events.verdict import Verdict
from interlock.policy.format.entry import about
from interlock.policy.hook_kind import BuildContext, Builtin

_MOST_USES: Final = 8  # tools at once in one turn


class PromptOptions(ModelOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is asked, and at what cost."""

    max_tokens: Annotated[int, about("The longest answer, in tokens.", ge=16, le=8192)] = 512
    cache: Annotated[
        float, about("Reuse an answer to the same question for this many seconds.", ge=0, le=86_400)
    ] = 3600.0


@final
class Prompt(ModelHook):
    """Asks one question; the answer objects, adds context, or passes."""

    kind: Final = "prompt"

    def __init__(self, options: PromptOptions, context: BuildContext) -> None:
        super().__init__(options, context)
        self._most: Final = options.max_tokens
        self._answers: Final = Answers(options.cache)

    async def _answer(self, event: Event, shown: str, seconds: float) -> Verdict:
        known = self._answers.get(event.name, shown)
        if known is not None:
            return known
        async with self._connect(event, seconds) as client:
            reply = await self._ask(client, [{"role": "user", "content": shown}], most_tokens=self._most)
        verdict = with_cost(read_model(reply.text, event), self.model, reply.tokens)
        self._answers.put(verdict, event.name, shown)
        return verdict


class AgentOptions(ModelOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is asked, how long it may look around, and at what cost."""

    turns: Annotated[int, about("At most this many answers, the last without tools.", ge=1, le=50)] = 10
    max_tokens: Annotated[int, about("The longest answer, in tokens.", ge=16, le=8192)] = 1024


@final
class Agent(ModelHook):
    """Asks, lets the model read, list and search inside the project, and takes its last answer."""

    kind: Final = "agent"

    def __init__(self, options: AgentOptions, context: BuildContext) -> None:
        super().__init__(options, context)
        self._turns: Final = options.turns
        self._most: Final = options.max_tokens
        self._home: Final = context.environ.get("HOME", "")

    async def _answer(self, event: Event, shown: str, seconds: float) -> Verdict:
        async with self._connect(event, seconds) as client:
            return await self._talk(client, event, shown)

    async def _talk(self, client: ModelClient, event: Event, shown: str) -> Verdict:
        look = ProjectLook(event.project or event.cwd, self._redactor, home=self._home)
        messages: list[JsonObject] = [{"role": "user", "content": shown}]
        tokens = 0
        for turn in range(1, self._turns + 1):
            last = turn == self._turns
            reply = await self._ask(client, messages, most_tokens=self._most, tools=TOOLS, answer_now=last)
            tokens += reply.tokens
            if not reply.uses:
                return with_cost(read_model(reply.text, event), self.model, tokens, turn)
            messages.append({"role": "assistant", "content": reply.content})
            results = [await _result(look, use) for use in reply.uses[:_MOST_USES]]
            refusal = f"at most {_MOST_USES} tool calls at once; ask again"
            results += [_block(use, refusal, fine=False) for use in reply.uses[_MOST_USES:]]
            messages.append({"role": "user", "content": results})
        message = f"the agent gave no answer in {self._turns} turns; raise `turns`"
        raise HookFailedError(FailureKind.GARBAGE, message)


async def _result(look: ProjectLook, use: Use) -> JsonObject:
    # In a thread, because a search may take long.
    text, fine = await asyncio.to_thread(look.use, use.name, use.input)
    return _block(use, text, fine=fine)


def _block(use: Use, text: str, *, fine: bool) -> JsonObject:
    block: dict[str, Any] = {"type": "tool_result", "tool_use_id": use.id, "content": text}
    return block if fine else {**block, "is_error": True}


PROMPT: Final = Builtin(
    kind="prompt",
    about="Shows the event to a model, which objects, nudges or passes.",
    options=PromptOptions,
    make=Prompt,
    seconds=30.0,
)
AGENT: Final = Builtin(
    kind="agent",
    about="Lets a model look around the project, reading only, and object, nudge or pass.",
    options=AgentOptions,
    make=Agent,
    seconds=120.0,
)
