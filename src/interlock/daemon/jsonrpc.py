"""Requests on the socket other than hook calls: JSON-RPC 2.0, one per line."""

from __future__ import annotations

import sqlite3
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from difflib import get_close_matches
from typing import Any, Final, Literal

import msgspec

from interlock.errors import InterlockError, RefusedRequestError
from interlock.store.errors import explain

Method = Callable[[dict[str, Any]], Any]  # a slow one returns an awaitable
Methods = Mapping[str, Method]
Later = Callable[[Coroutine[Any, Any, bytes | None]], object]

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
REFUSED: Final = -32000  # `data` says why
SUBSCRIBE: Final = "subscribe"
# Answered as a refusal; anything else is a defect of ours.
_ANSWERED: Final = (InterlockError, sqlite3.Error, KeyError, TypeError, ValueError)
PEER: Final = "peer_pid"  # the process that asks; overwrites what the client sent


class Request(msgspec.Struct, kw_only=True):
    """A request; without an id it is a notification and gets no answer."""

    jsonrpc: Literal["2.0"]
    method: str
    params: dict[str, Any] = {}
    id: int | str | None = None


def answer_line(
    line: bytes, methods: Methods, peer: int = 0, later: Later | None = None
) -> tuple[bytes | None, bool]:
    """Answer one line; the second value says whether the client wants to watch decisions.

    `later` gets the work of a slow request, so that others are answered meanwhile.
    """
    try:
        request = msgspec.json.decode(line, type=Request)
    except msgspec.ValidationError as error:
        return _error(None, INVALID_REQUEST, f"not a JSON-RPC 2.0 request: {error}"), False
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        return _error(None, PARSE_ERROR, f"not JSON: {error}"), False
    if request.method == SUBSCRIBE:
        return _result(request, {"subscribed": True}), True
    request.params = {**request.params, PEER: peer}
    return _call(request, methods, later), False


def _call(request: Request, methods: Methods, later: Later | None) -> bytes | None:
    method = methods.get(request.method)
    if method is None:
        if request.id is None:
            return None
        return _error(request.id, METHOD_NOT_FOUND, _unknown(request.method, [*methods, SUBSCRIBE]))
    try:
        value = method(request.params)
    except _ANSWERED as error:
        return _refusal(request, error)
    if later is None or not isinstance(value, Awaitable):
        return _result(request, value)
    later(_awaited(request, value))
    return None


def _unknown(method: str, known: list[str]) -> str:
    """Suggest the nearest method, or list the families: all methods would fill a screen."""
    near = get_close_matches(method, known, n=1)
    if near:
        return f"no method `{method}`; did you mean `{near[0]}`?"
    families = sorted(
        {f"{family}.…" if rest else family for family, _, rest in (name.partition(".") for name in known)}
    )
    return f"no method `{method}`; the methods are {', '.join(families)}: see docs/protocol.md"


async def _awaited(request: Request, value: Awaitable[Any]) -> bytes | None:
    try:
        return _result(request, await value)
    except _ANSWERED as error:
        return _refusal(request, error)


def _refusal(request: Request, error: Exception) -> bytes:
    if isinstance(error, RefusedRequestError):
        return _error(request.id, REFUSED, str(error), error.document)
    if isinstance(error, InterlockError):
        return _error(request.id, REFUSED, str(error))
    if isinstance(error, sqlite3.Error):
        return _error(request.id, REFUSED, f"the database cannot be used: {explain(error)}")
    return _error(request.id, INVALID_PARAMS, f"`{request.method}`: {error}")


def _result(request: Request, value: Any) -> bytes | None:
    if request.id is None:
        return None
    return msgspec.json.encode({"jsonrpc": "2.0", "id": request.id, "result": value}) + b"\n"


def _error(identity: int | str | None, code: int, message: str, data: dict[str, Any] | None = None) -> bytes:
    error: dict[str, Any] = {"code": code, "message": message}
    if data is not None:
        error["data"] = data
    return msgspec.json.encode({"jsonrpc": "2.0", "id": identity, "error": error}) + b"\n"
