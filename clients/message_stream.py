"""A scripted answer in the form of the Anthropic Messages API, whole or as server-sent events."""

from __future__ import annotations

import json
from collections.abc import Iterator

from clients.turns import Blocks, Fail, JsonObject, Say, Tokens

_USAGE = {
    "input_tokens": 10,
    "output_tokens": 5,
    "cache_creation_input_tokens": 0,
    "cache_read_input_tokens": 0,
}


def message(blocks: Blocks, *, name: str, model: str) -> JsonObject:
    """The whole answer; tool calls are numbered below `name`."""
    content: list[JsonObject] = []
    usage = _USAGE
    for number, block in enumerate(blocks):
        if isinstance(block, Say):
            content.append({"type": "text", "text": block.text})
        elif isinstance(block, Tokens):
            usage = {**_USAGE, "input_tokens": block.sent}
        else:
            use_id = f"toolu_{name}_{number}"
            content.append({"type": "tool_use", "id": use_id, "name": block.tool, "input": block.input})
    called = any(block["type"] == "tool_use" for block in content)
    return {
        "id": f"msg_{name}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": content,
        "stop_reason": "tool_use" if called else "end_turn",
        "stop_sequence": None,
        "usage": usage,
    }


def stream(whole: JsonObject) -> bytes:
    """The same answer as the events a streaming client expects."""
    return b"".join(
        f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in _events(whole)
    )


def error(fail: Fail) -> JsonObject:
    """An error body."""
    return {"type": "error", "error": {"type": fail.kind, "message": fail.message}}


def _events(whole: JsonObject) -> Iterator[JsonObject]:
    opening = {**whole, "content": [], "stop_reason": None}
    yield {"type": "message_start", "message": opening}
    for index, block in enumerate(whole["content"]):
        yield from _block_events(index, block)
    stop = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": stop, "usage": {"output_tokens": _USAGE["output_tokens"]}}
    yield {"type": "message_stop"}


def _block_events(index: int, block: JsonObject) -> Iterator[JsonObject]:
    if block["type"] == "text":
        start, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
    else:
        start = {**block, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    yield {"type": "content_block_start", "index": index, "content_block": start}
    yield {"type": "content_block_delta", "index": index, "delta": delta}
    yield {"type": "content_block_stop", "index": index}
