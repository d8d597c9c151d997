"""Laws of cancelled sessions in a real daemon: nothing more is done until a person goes on."""

from __future__ import annotations

import os
import re
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.daemon.home import Home, bash, decided, event

from interlock.daemon.agent_processes import Agents
from interlock.daemon.caller_kind import Kind, Standing
from interlock.daemon.client import DaemonError, request
from interlock.daemon.jsonrpc import PEER
from interlock.daemon.people_only import guarded_methods
from interlock.features.gates.cancellations import NAME, CancelledSessions
from interlock.ledger.writer import LedgerWriter
from interlock.store.database import open_database

pytestmark = pytest.mark.deep

BLOCKING = """\
version: "2.0"
hooks:
  pre_tool_use: [{type: deny, matcher: "Bash(rm *)"}]
  stop: [{type: deny, config: {reason: go on}}]
"""


@pytest.fixture
def home(place: Home) -> Home:
    """A home whose policy says nothing of cancelling."""
    place.write_policy(BLOCKING)
    place.start()
    return place


def cancel(home: Home, **params: Any) -> Any:
    return request(home.places.socket, "session.cancel", params)


def resume(home: Home, **params: Any) -> Any:
    return request(home.places.socket, "session.resume", params)


def denied(home: Home, session: str = "s1") -> bool:
    """Whether the next call of a session is denied."""
    return decided(home.call(bash("ls", session_id=session)))[0] == "deny"


def prompted(home: Home, session: str = "s1") -> None:
    home.call(event("UserPromptSubmit", session_id=session, prompt="go on"))


@pytest.mark.req("U29")
def test_a_cancelled_session_makes_no_calls_until_its_next_prompt(home: Home) -> None:
    """Whatever the policy says; the reason tells who, why and what to do now."""
    assert not denied(home)
    done = cancel(home, session="s1", reason="wrong branch")
    reply = home.call(bash("ls", session_id="s1"))

    assert f"{done['by']} cancelled this session" in reply.stdout.decode()
    assert "wrong branch. End your turn now" in reply.stdout.decode()
    assert not denied(home, "s2")
    prompted(home)
    assert not denied(home)


@pytest.mark.req("U29")
def test_a_held_cancellation_outlives_prompts_and_restarts(home: Home) -> None:
    """Only a person ends it."""
    denied(home)
    cancel(home, session="s1", hold=True)
    prompted(home)
    home.end()
    home.start()

    assert denied(home)
    resume(home, session="s1")
    assert not denied(home)


@pytest.mark.req("U29")
def test_every_session_is_cancelled_and_each_goes_on_by_its_own_prompt(home: Home) -> None:
    """Also those that nobody has heard of yet."""
    cancel(home, all=True)

    assert [denied(home, name) for name in ("s1", "s2")] == [True, True]
    prompted(home, "s1")
    assert [denied(home, name) for name in ("s1", "s2")] == [False, True]


@pytest.mark.req("U29")
def test_a_cancelled_session_may_end_its_turn(home: Home) -> None:
    """A hook that sends it back would keep it going without a call it could make."""
    stop = event("Stop", session_id="s1", stop_hook_active=False)
    assert b"go on" in home.call(stop).stdout
    cancel(home, session="s1")

    assert b"block" not in home.call(event("Stop", session_id="s1", stop_hook_active=False, n=2)).stdout
    assert "the session is cancelled" in str(home.entries("decision")[-1].body["degraded"])


@pytest.mark.req("U29")
def test_what_was_asked_and_what_was_denied_stand_in_the_ledger(home: Home) -> None:
    """Who cancelled, why, which call was denied by it, and that a prompt ended it."""
    denied(home)
    cancel(home, session="s1", reason="enough")
    denied(home)
    prompted(home)
    told = [entry.body for entry in home.entries("cancellation")]
    decisions = [entry.body for entry in home.entries("decision") if entry.body["decision"] == "deny"]

    assert [body["action"] for body in told] == ["cancelled", "prompted"]
    assert told[0]["reason"] == "enough"
    assert decisions[-1]["decided_by"] == NAME
    assert home.broken() is None


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"session": "nobody"}, "no session `nobody` is recorded"),
        ({"session": "s"}, "several sessions begin with `s`"),
        ({"session": "*"}, "no session"),
        ({}, "no session"),
    ],
)
def test_a_session_that_is_not_known_is_not_cancelled(home: Home, params: dict[str, Any], said: str) -> None:
    """A typing mistake must not look like a stop."""
    denied(home, "s1")
    denied(home, "s2")

    with pytest.raises(DaemonError, match=said.replace("*", r"\*")):
        cancel(home, **params)


def test_its_beginning_names_a_session(home: Home) -> None:
    """Nobody types a whole id."""
    denied(home, "abcdef-1")

    assert cancel(home, session="abc")["session_id"] == "abcdef-1"


class Owned(Agents):
    """Every process belongs to an agent."""

    def standing(self, pid: int) -> Standing:
        return Standing(Kind.AGENT, "s1", "it is one")


@pytest.mark.parametrize("name", ["session.cancel", "session.resume", "session.cancelled"])
def test_an_agent_can_neither_cancel_nor_resume(tmp_path: Path, name: str) -> None:
    """The kernel says who asks, and the attempt is noted."""
    noted: list[Any] = []
    with closing(open_database(tmp_path / "state" / "interlock.db")) as connection:
        store = CancelledSessions(connection, LedgerWriter(connection), lambda: True)
        agents = Owned(tmp_path / "agents")
        methods = guarded_methods(store.people_methods(), agents, lambda *told: noted.append(told))

        with pytest.raises(ValueError, match=re.escape(f"only a person may call `{name}`")):
            methods[name]({PEER: os.getpid(), "all": True})

        assert (store.all, len(noted)) == ([], 1)
