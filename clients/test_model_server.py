"""The scripted model by itself: which request gets which turn."""

from __future__ import annotations

import http.client
import json
import urllib.request
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from clients.model_request import MAIN, OUTSIDE, SIDE
from clients.model_server import ModelServer
from clients.turns import JsonObject, bash, say

TOOLS = [{"name": "Bash"}]


@pytest.fixture
def server() -> Iterator[ModelServer]:
    """A model with two turns, and a scout with one."""
    with ModelServer([bash("echo one"), say("two")], {"SCOUT": [say("scouted")]}) as started:
        yield started


def post(server: ModelServer, path: str, body: JsonObject) -> bytes:
    """What the server answers to a client."""
    request = urllib.request.Request(f"{server.address}{path}", json.dumps(body).encode(), method="POST")
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=90) as answer:
        return bytes(answer.read())


def ask(server: ModelServer, *texts: str, tools: list[JsonObject] = TOOLS, **more: object) -> JsonObject:
    """One turn of a conversation that has said so much."""
    messages = [{"role": "user", "content": text} for text in texts]
    answer: JsonObject = json.loads(
        post(server, "/v1/messages", {"messages": messages, "tools": tools, **more})
    )
    return answer


def test_each_new_request_gets_the_next_turn(server: ModelServer) -> None:
    """Turns are played in order, and past the last one the model is done."""
    answers = [ask(server, "go"), ask(server, "go", "on"), ask(server, "go", "on", "more")]

    assert [answer["stop_reason"] for answer in answers] == ["tool_use", "end_turn", "end_turn"]
    assert answers[0]["content"][0]["input"]["command"] == "echo one"
    assert answers[1]["content"][0]["text"] == "two"
    assert answers[2]["content"][0]["text"] == "All done."


def test_the_same_request_again_gets_the_same_turn(server: ModelServer) -> None:
    """A retry uses up nothing, wherever the client has put its cache marks."""
    first = ask(server, "go")
    marked = [{"type": "text", "text": "go", "cache_control": {"type": "ephemeral"}}]
    plain = [{"type": "text", "text": "go"}]
    again = [
        json.loads(
            post(server, "/v1/messages", {"messages": [{"role": "user", "content": content}], "tools": TOOLS})
        )
        for content in (marked, plain)
    ]

    assert ask(server, "go") == first
    assert again[0] == again[1]
    assert server.script.left() == 0


def test_side_questions_use_up_no_turn(server: ModelServer) -> None:
    """Titles, answers by a schema and token counts leave the script where it is."""
    ask(server, "a title?", tools=[])
    ask(server, "by schema", output_config={"format": {"type": "json_schema"}})
    counted = json.loads(post(server, "/v1/messages/count_tokens", {"messages": []}))

    assert counted == {"input_tokens": 10}
    assert server.script.left() == 2
    assert [seen.conversation for seen in server.seen()] == [SIDE, SIDE, SIDE]


def test_a_sub_agent_is_told_apart_by_the_marker_in_its_first_message(server: ModelServer) -> None:
    """The marker counts where a conversation opens, not where it is mentioned later."""
    ask(server, "SCOUT, look around")
    ask(server, "go", "the SCOUT is back")

    assert [seen.conversation for seen in server.seen()] == ["SCOUT", MAIN]
    assert server.script.left() == 1


def test_a_streaming_client_gets_the_same_answer_in_events(server: ModelServer) -> None:
    """Every event of a message is there, in order."""
    text = post(
        server,
        "/v1/messages?beta=true",
        {"messages": [{"role": "user", "content": "go"}], "tools": TOOLS, "stream": True},
    ).decode()
    events = [json.loads(line.removeprefix("data: ")) for line in text.splitlines() if line[:5] == "data:"]

    assert [event["type"] for event in events] == [
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    ]
    assert json.loads(events[2]["delta"]["partial_json"])["command"] == "echo one"


@pytest.mark.parametrize(
    ("method", "target"),
    [
        ("CONNECT", "example.invalid:443"),
        ("GET", "http://example.invalid/"),
        ("POST", "http://example.invalid/"),
    ],
)
def test_as_a_proxy_it_refuses_and_notes(server: ModelServer, method: str, target: str) -> None:
    """Whatever is meant for another host gets a 403 and is on the record."""
    connection = http.client.HTTPConnection(urlsplit(server.address).netloc, timeout=90)
    try:
        connection.putrequest(method, target, skip_host=True)
        connection.endheaders()
        status = connection.getresponse().status
    finally:
        connection.close()

    assert status == 403
    assert [(seen.conversation, seen.method, seen.target) for seen in server.seen()] == [
        (OUTSIDE, method, target)
    ]
