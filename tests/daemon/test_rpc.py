"""Laws of requests on the socket."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Coroutine
from typing import Any

import pytest

from interlock.daemon.jsonrpc import answer_line
from interlock.errors import InterlockError


def add(params: dict[str, Any]) -> int:
    """Something to call."""
    total: int = params["a"] + params["b"]
    return total


def refuse(_: dict[str, Any]) -> int:
    """Something that is not done, for a reason a person can act on."""
    raise InterlockError("no policy names `human:x`; add them to `settings.people`")


def read_damaged(_: dict[str, Any]) -> int:
    """Something that needs a database."""
    raise sqlite3.DatabaseError("file is not a database")


METHODS = {"add": add, "refuse": refuse}


def ask(**fields: Any) -> Any:
    """The answer to a request with these fields."""
    line, subscribed = answer_line(json.dumps({"jsonrpc": "2.0", **fields}).encode(), METHODS)
    assert not subscribed
    return json.loads(line) if line is not None else None


def test_a_request_is_answered_under_its_id() -> None:
    """Numbers and texts both serve as ids."""
    params = {"a": 1, "b": 2}

    assert ask(id=7, method="add", params=params) == {"jsonrpc": "2.0", "id": 7, "result": 3}
    assert ask(id="x", method="add", params=params) == {"jsonrpc": "2.0", "id": "x", "result": 3}


def test_a_database_that_cannot_be_used_is_an_answer() -> None:
    """No method has to think of it, and the daemon lives on."""
    line, _ = answer_line(b'{"jsonrpc": "2.0", "id": 1, "method": "read"}', {"read": read_damaged})

    assert line is not None
    error = json.loads(line)["error"]
    assert (error["code"], error["message"].partition(":")[0]) == (-32000, "the database cannot be used")


def test_a_notification_gets_no_answer() -> None:
    """Without an id nothing comes back, known method or not."""
    assert ask(method="add", params={"a": 1, "b": 2}) is None
    assert ask(method="nothing") is None


@pytest.mark.parametrize(
    ("fields", "code", "says"),
    [
        ({"id": 1, "method": "nothing"}, -32601, "add, refuse, subscribe"),
        ({"id": 1, "method": "refuse"}, -32000, "no policy names `human:x`"),
        ({"id": 1, "method": "add"}, -32602, "'a'"),
        ({"id": 1, "method": "add", "params": {"a": 1, "b": "x"}}, -32602, "add"),
        ({"id": 1, "method": "add", "params": [1, 2]}, -32600, "not a JSON-RPC 2.0 request"),
        ({"id": 1}, -32600, "method"),
        ({"id": 1, "method": 5}, -32600, "method"),
        ({"jsonrpc": "1.0", "id": 1, "method": "add"}, -32600, "jsonrpc"),
    ],
)
def test_each_mistake_has_its_code(fields: dict[str, Any], code: int, says: str) -> None:
    """The error says what is wrong with the request."""
    error = ask(**fields)["error"]

    assert error["code"] == code
    assert says in error["message"]


@pytest.mark.parametrize("line", [b"{", b"{]", b'{"a":\xff}', b"{" * 10_000])
def test_what_is_no_json_is_said_to_be_none(line: bytes) -> None:
    """A broken line is answered and nothing else happens."""
    answer, subscribed = answer_line(line, METHODS)

    assert answer is not None
    assert json.loads(answer)["error"]["code"] == -32700
    assert not subscribed


@pytest.mark.parametrize("fields", [{"id": 1}, {}])
def test_a_subscription_is_told_apart(fields: dict[str, int]) -> None:
    """Subscribing is for the server to carry out; with an id it is confirmed."""
    request = json.dumps({"jsonrpc": "2.0", "method": "subscribe", **fields}).encode()

    answer, subscribed = answer_line(request, METHODS)

    assert subscribed
    assert (answer is not None) is bool(fields)


def test_an_answer_that_takes_its_time_comes_later() -> None:
    """Nothing is answered at once; its refusals have the codes of all others."""

    async def slow(params: dict[str, Any]) -> int:
        total: int = params["a"] + 1
        return total

    waiting: list[Coroutine[Any, Any, bytes | None]] = []
    for params in ({"a": 1}, {}):
        line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "slow", "params": params}).encode()
        assert answer_line(line, {"slow": slow}, later=waiting.append) == (None, False)
    good, bad = (json.loads(asyncio.run(work) or b"") for work in waiting)

    assert good["result"] == 2
    assert bad["error"]["code"] == -32602
