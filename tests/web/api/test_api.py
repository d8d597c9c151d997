"""Laws of the JSON API, asked over HTTP of the real process."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest
from tests.daemon.approvers import AGENT, ME, ask, states, told
from tests.daemon.home import SHIM, Home, bash, decided
from tests.features.fleet.crew import Crew
from tests.web.browser import Answer, Browser, browser
from tests.web.conftest import served
from tests.web.programs import Program, program

from interlock.web.api.endpoints import all_endpoints

pytestmark = pytest.mark.deep

READ = [endpoint for endpoint in all_endpoints() if endpoint.body is None]
PARAMETERS = {"timeline": "?session=s", "fleet": "?all=1", "policy": "?folder=/tmp", "ledger": "?q=push"}


@pytest.fixture(scope="module")
def asking() -> Iterator[Program]:
    """A program at a home in which something of everything has happened."""
    with served() as home:
        ask(home, "t1", "git push origin a")
        ask(home, "t2", "ls")
        crew = Crew(database=home.places.database, now=time.time())
        crew.effort("a-1", "implement", phase="1: Plan")
        crew.agent("a-1", "working")
        yield program(home)


def document(asks: Program) -> dict[str, Any]:
    """The document the dashboard gives."""
    found: dict[str, Any] = json.loads(asks.get("/api/v1/openapi.json").text)
    return found


def fits(asks: Program, path: str, method: str, answer: Answer) -> Any:
    """An answer's body, once the document allows it."""
    described = document(asks)
    operation = described["paths"][path][method]
    content = operation["responses"][str(answer.status)]["content"]
    kind = answer.headers["content-type"].partition(";")[0]
    assert kind in content, (kind, content)
    schema = {**content[kind]["schema"], "components": described["components"]}
    body = json.loads(answer.text) if kind == "application/json" else answer.text
    jsonschema.Draft202012Validator(schema).validate(body)
    return body


def first_digest(asks: Program) -> str:
    """Of the request that waits longest."""
    return str(json.loads(asks.get("/api/v1/approvals").text)["waiting"][0]["digest"])


@pytest.mark.parametrize("endpoint", READ, ids=lambda one: str(one.name))
def test_every_answer_is_what_the_document_says(asking: Program, endpoint: Any) -> None:
    """Asked with a key, without a page and without a cookie."""
    path = f"/api/v1{endpoint.path}"
    name = str(asking.asks.home.entries("decision")[0].seq) if endpoint.name == "decision" else "1"
    answer = asking.get(path.replace("{name}", name) + PARAMETERS.get(endpoint.name, ""))

    assert answer.status == 200, answer.text
    assert answer.headers["content-type"] == "application/json"
    assert fits(asking, path, "get", answer)


def test_the_document_is_whole(asking: Program) -> None:
    """Every reference leads somewhere, every part of an address is told, and no name stands twice."""
    found = document(asking)
    text = json.dumps(found)
    names = [one["operationId"] for path in found["paths"].values() for one in path.values()]

    assert set(re.findall(r'"#/components/schemas/([^"]+)"', text)) == set(found["components"]["schemas"])
    assert len(names) == len(set(names)) == len(all_endpoints())
    for path, operations in found["paths"].items():
        for one in operations.values():
            told_names = {each["name"] for each in one["parameters"] if each["in"] == "path"}
            assert told_names == set(re.findall(r"\{(\w+)\}", path))


def test_what_happened_is_told(asking: Program) -> None:
    """The decision with its trace, the agent with its phase, the task with its sessions."""
    page = json.loads(asking.get("/api/v1/decisions?decision=deny&limit=1").text)
    one = json.loads(asking.get(f"/api/v1/decisions/{page['entries'][0]['seq']}").text)
    agents = json.loads(asking.get("/api/v1/fleet").text)["agents"]
    task = json.loads(asking.get("/api/v1/tasks/1").text)

    assert one["entry"]["body"]["tool_input"] == {"command": "git push origin a"}
    assert ("push", "ask") in {(row["hook"], row["vote"]) for row in one["trace"]}
    assert [(row["agent"], row["current_phase"]) for row in agents] == [("a-1", "1: Plan")]
    assert task["efforts"][0]["sessions"][0]["host_session_id"] == "a-1"


def test_pages_of_a_list_follow_each_other(asking: Program) -> None:
    """Each entry once, the newest first, until there are no more."""
    seen: list[int] = []
    before = ""
    for _ in range(50):
        page = json.loads(asking.get(f"/api/v1/ledger?limit=1{before}").text)
        seen += [one["seq"] for one in page["entries"]]
        if page["before"] is None:
            break
        before = f"&before={page['before']}"

    assert seen == sorted({entry.seq for entry in asking.asks.home.entries()}, reverse=True)


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/decisions?limit=0", 400),
        ("/decisions?limit=x", 400),
        ("/decisions?limits=1", 400),
        ("/decisions?before=99999999999999999999", 400),
        ("/ledger?since=yesterday", 400),
        ("/ledger?q=%22", 400),
        ("/hooks?since=1y", 400),
        ("/policy?folder=here", 400),
        ("/timeline", 400),
        ("/decisions/999999", 404),
        ("/ledger/nothing", 404),
        ("/ledger/%00", 404),
        ("/tasks/x", 404),
        ("/tasks/77", 404),
    ],
)
def test_what_does_not_fit_is_a_sentence(asking: Program, path: str, status: int) -> None:
    """In JSON, with a status that the document tells."""
    answer = asking.get(f"/api/v1{path}")
    bare = re.sub(r"/(decisions|ledger|tasks)/[^/]+", r"/\1/{name}", path.partition("?")[0])

    assert answer.status == status
    assert fits(asking, f"/api/v1{bare}", "get", answer)["error"]


def test_an_address_that_is_not_there_is_told_in_json(asking: Program) -> None:
    """As every other answer of the API."""
    answer = asking.get("/api/v1/nowhere")

    assert answer.status == 404
    assert json.loads(answer.text) == {"error": "there is no page `/api/v1/nowhere`"}


@pytest.mark.req("M85")
def test_a_program_with_a_key_answers_for_its_person(place: Home) -> None:
    """A yes lets the retry proceed and a no does not; the ledger names the person."""
    asks = program(place)
    ask(place, "t1", "git push origin a")
    yes = asks.post("/api/v1/approvals/ap_1/approve", {"digest": first_digest(asks), "note": "fine"})
    ask(place, "t2", "git push origin b")
    no = asks.post("/api/v1/approvals/ap_2/deny", {"digest": first_digest(asks)})

    assert fits(asks, "/api/v1/approvals/{name}/approve", "post", yes) == {
        "name": "ap_1",
        "state": "approved",
    }
    assert fits(asks, "/api/v1/approvals/{name}/deny", "post", no) == {"name": "ap_2", "state": "denied"}
    assert decided(place.call(bash("git push origin a", tool_use_id="t3")))[0] is None
    assert decided(place.call(bash("git push origin b", tool_use_id="t4")))[0] == "deny"
    assert ("ap_1", "approved", ME) in told(place)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 400),
        ({"digest": "x"}, 400),
        ({"digest": "0" * 64, "more": 1}, 400),
        ({"digest": "0" * 64}, 409),
        ({"digest": "0" * 64, "note": "x" * 70_000}, 413),
        ([], 400),
    ],
    ids=["empty", "no digest", "more", "another call", "long", "list"],
)
def test_an_answer_that_is_none_changes_nothing(place: Home, body: Any, status: int) -> None:
    """A yes is to the call that was seen, whole and well-formed."""
    ask(place, "t1")
    asks = program(place)
    answer = asks.post("/api/v1/approvals/ap_1/approve", body)

    assert (answer.status, states(place)) == (status, ["pending"])
    assert fits(asks, "/api/v1/approvals/{name}/approve", "post", answer)["error"]


@pytest.mark.req("Z05")
def test_a_login_needs_the_token_of_its_forms_and_a_key_no_strangers_page(place: Home) -> None:
    """A cookie is sent by browsers for everybody; a page elsewhere has neither token nor key."""
    ask(place, "t1")
    asks, person = program(place), browser(place)
    person.log_in()
    path, body = "/api/v1/approvals/ap_1/approve", {"digest": first_digest(asks)}
    sent = json.dumps(body).encode()
    own = {"cookie": person.cookie, "origin": person.origin, "content-type": "application/json"}

    assert person.ask("POST", path, own, sent).status == 403
    assert person.ask("POST", path, {**own, "x-csrf-token": "x"}, sent).status == 403
    assert asks.post(path, body, origin="https://evil.example").status == 403
    assert asks.post(path, body, **{"sec-fetch-site": "cross-site"}).status == 403
    assert asks.post(path, body, **{"content-type": "text/plain"}).status == 415
    assert asks.get(path).status == 405
    assert states(place) == ["pending"]
    assert person.ask("POST", path, {**own, "x-csrf-token": person.csrf}, sent).status == 200
    assert states(place) == ["approved"]


def test_who_has_neither_key_nor_login_reads_nothing(asking: Program) -> None:
    """Also of addresses that are not there; a wrong key spoils a cookie beside it."""
    stranger = Browser(home=asking.asks.home, port=asking.asks.port)
    for endpoint in (*READ, None):
        path = "/api/v1/nowhere" if endpoint is None else f"/api/v1{endpoint.path}"
        assert stranger.get(path).status == 401
        assert stranger.get(path, authorization="Bearer wrong").status == 401
        assert stranger.get(path, authorization=f"Basic {asking.key}").status == 401


@pytest.mark.req("Z02")
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells which process is behind a connection")
def test_an_agents_process_is_refused_with_a_persons_key(place: Home) -> None:
    """The kernel says whose child it is, whatever it holds."""
    ask(place, "t1")
    asks = program(place)
    body = json.dumps({"digest": first_digest(asks)})
    headers = {"authorization": f"Bearer {asks.key}", "content-type": "application/json"}
    code = (
        "import http.client, json, sys\n"
        "port, path, body, headers = json.loads(sys.argv[1])\n"
        "peer = http.client.HTTPConnection('127.0.0.1', port, timeout=60)\n"
        "peer.request('POST', path, body, headers)\n"
        "print(peer.getresponse().status)"
    )
    given = json.dumps([asks.asks.port, "/api/v1/approvals/ap_1/approve", body, headers])
    command = json.dumps([sys.executable, "-c", code, given])
    agent = [sys.executable, str(AGENT), str(SHIM), str(place.folder), command]
    done = subprocess.run(agent, capture_output=True, text=True, timeout=90, check=True)

    assert json.loads(done.stdout)[1] == "403\n", done.stdout
    assert states(place) == ["pending"]
