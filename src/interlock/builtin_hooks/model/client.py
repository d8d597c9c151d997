"""Asks a model through the official SDK; whatever goes wrong is a failure of the hook."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, Self

import msgspec

from interlock.builtin_hooks.model.settings import ModelPlace
from interlock.errors import FailureKind, HookFailedError
from interlock.events.tool import JsonObject

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic
    from anthropic.types import Message

_RETRIES: Final = 1
_SHOWN: Final = 200  # characters of an error
_MISSING: Final = "the SDK is not installed; run `pip install 'interlock[anthropic]'` where the daemon runs"


class Use(msgspec.Struct, frozen=True, kw_only=True):
    """A tool the model wants to use."""

    id: str
    name: str
    input: JsonObject


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """What a model answered."""

    text: str
    uses: tuple[Use, ...]
    content: list[JsonObject]  # as it goes back into the conversation
    tokens: int  # sent and answered
    cut: bool  # it reached the limit of tokens


class ModelClient:
    """A connection to a model, used as a context manager."""

    def __init__(self, place: ModelPlace, key: str, seconds: float) -> None:
        self._place: Final = place
        self._key: Final = key
        self._seconds: Final = seconds
        self._client: AsyncAnthropic | None = None

    async def __aenter__(self) -> Self:
        # In a thread, because loading the SDK and the certificates takes a second.
        self._client = await asyncio.to_thread(self._open)
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._client is not None:
            await self._client.close()

    async def ask(
        self,
        *,
        model: str,
        system: str,
        messages: Sequence[JsonObject],
        most_tokens: int,
        tools: Sequence[JsonObject] = (),
        answer_now: bool = False,  # no tool may be used any more
    ) -> Reply:
        """Ask once; raise HookFailedError when there is no answer."""
        import anthropic

        if self._client is None:
            raise AssertionError("use the client inside `async with`")
        request: dict[str, Any] = {"messages": list(messages)}
        if tools:
            request["tools"] = list(tools)
        if tools and answer_now:
            request["tool_choice"] = {"type": "none"}
        try:
            message: Message = await self._client.messages.create(
                model=model, system=system, max_tokens=most_tokens, **request
            )
        except anthropic.APITimeoutError:
            raise HookFailedError(
                FailureKind.TIMEOUT, f"the model gave no answer within {self._seconds:g} s"
            ) from None
        except anthropic.APIStatusError as error:
            why = self._without_key(error.message)
            raise HookFailedError(
                FailureKind.STATUS, f"the model's server answered {error.status_code}: {why}"
            ) from None
        except anthropic.AnthropicError as error:
            why = self._without_key(str(error))
            place = self._place.base_url
            raise HookFailedError(
                FailureKind.TRANSPORT, f"cannot reach the model at `{place}`: {why}"
            ) from None
        return _reply(message)

    def _open(self) -> AsyncAnthropic:
        try:
            import anthropic
        except ImportError:
            raise HookFailedError(FailureKind.SPAWN, f"cannot reach a model: {_MISSING}") from None
        return anthropic.AsyncAnthropic(
            api_key=self._key,
            base_url=self._place.base_url,
            timeout=self._seconds,
            max_retries=_RETRIES,
            open_telemetry=False,
        )

    def _without_key(self, text: str) -> str:
        """The text of a server, without the key that it may repeat."""
        return " ".join(text.replace(self._key, "[key]").split())[:_SHOWN]


def _reply(message: Message) -> Reply:
    content: list[JsonObject] = [block.to_dict(mode="json") for block in message.content]
    texts = [str(block["text"]) for block in content if block.get("type") == "text"]
    uses = tuple(
        Use(id=block["id"], name=block["name"], input=_as_object(block.get("input")))
        for block in content
        if block.get("type") == "tool_use"
    )
    spent = message.usage
    cached = (spent.cache_creation_input_tokens or 0) + (spent.cache_read_input_tokens or 0)
    return Reply(
        text="\n".join(texts).strip(),
        uses=uses,
        content=content,
        tokens=spent.input_tokens + spent.output_tokens + cached,
        cut=message.stop_reason == "max_tokens",
    )


def _as_object(value: Any) -> JsonObject:
    return value if isinstance(value, dict) else {}
