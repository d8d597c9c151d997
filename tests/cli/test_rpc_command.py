"""Laws of `interlock rpc`."""

from __future__ import annotations

import json

import pytest
from tests.cli.typed import Interlock
from tests.daemon.home import Home

pytestmark = pytest.mark.deep

STOP = {
    "session_id": "s",
    "transcript_path": "",
    "cwd": "/usr",
    "hook_event_name": "Stop",
    "stop_hook_active": False,
}
PROMPT = {**STOP, "hook_event_name": "UserPromptSubmit", "prompt": "go"}


@pytest.fixture
def home(place: Home, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A home without a daemon."""
    monkeypatch.setenv("INTERLOCK_HOME", str(place.folder))
    monkeypatch.delenv("AGENT_ID", raising=False)
    return place


def test_any_method_is_asked_and_its_answer_printed(home: Home, interlock: Interlock) -> None:
    """The daemon is started when it is down."""
    typed = interlock("rpc", "status")
    assert (typed.code, typed.err) == (0, "")
    assert set(typed.document) >= {"pid", "version", "events"}


def test_the_agents_name_goes_along(
    home: Home, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`AGENT_ID` of its own environment, unless the parameters say another."""
    monkeypatch.setenv("AGENT_ID", "ann")
    assert interlock("rpc", "hooks.userPrompt", json.dumps(PROMPT)).code == 0
    other = {**PROMPT, "env": {"AGENT_ID": "bob"}}
    assert interlock("rpc", "hooks.userPrompt", json.dumps(other)).code == 0
    rows = interlock("agents", "--json").documents
    assert sorted(row["agent"] for row in rows) == ["ann", "bob"]


def test_parameters_come_from_standard_input(home: Home, interlock: Interlock) -> None:
    """With `-`, so that an event can be piped in."""
    typed = interlock("rpc", "hooks.stop", "-", stdin=json.dumps(STOP).encode())
    assert typed.document == {"agentUpdated": False, "exhaustion": None}


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("nothing",), 1, "no method `nothing`"),
        (
            ("hooks.stop", '{"session_id": "s"}'),
            1,
            "VALIDATION_ERROR: the field `transcript_path` is missing",
        ),
        (("status", "[1]"), 2, "the parameters must be an object"),
        (("status", "{"), 2, "the parameters are not JSON"),
        (("receipts.show", '{"id": "tc_none"}'), 1, "tc_none"),
    ],
)
def test_a_refusal_is_one_sentence_and_an_exit_code(
    home: Home, interlock: Interlock, words: tuple[str, ...], code: int, said: str
) -> None:
    """1 for what the daemon refuses, 2 for what was typed wrong."""
    typed = interlock("rpc", *words)
    assert (typed.code, typed.out) == (code, "")
    assert said in typed.err
    assert len(typed.err.splitlines()) == 1
