"""Laws of an ask that nobody is there to answer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from tests.features.approvals.approval_setup import ApprovalSetup

from interlock.errors import StoreError
from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.tool import ToolCall
from interlock.events.verdict import Vote
from interlock.features.approvals.requests import call_bytes
from interlock.features.approvals.settings import EXPIRES_SECONDS
from interlock.store.database import open_database

ASK = Decision(vote=Vote.ASK, reason="is this wise?", revision="r1")
PUSH = Event(
    name="PreToolUse",
    session_id="s1",
    cwd="/w",
    tool=ToolCall(name="Bash", input={"command": "git push", "timeout": 5}, use_id="t1"),
)
YES = "UPDATE approvals SET state = 'approved', decided_by = 'human:ann', decided_at = 'now' WHERE id = ?"
NO = "UPDATE approvals SET state = 'denied', decided_by = 'human:ann', decided_at = 'now' WHERE id = ?"


class Said(ApprovalSetup):
    """A setup whose person decides by hand, in the table itself."""

    def ask(self, event: Event = PUSH, decision: Decision | None = None, root: str = "/w") -> Decision:
        return super().ask(event, decision or ASK, root)

    def say(self, word: str, number: int = 1) -> None:
        """Let the person decide."""
        assert self.connection.execute(word, (number,)).rowcount == 1


@pytest.fixture
def setup(database: Path) -> Iterator[Said]:
    """A setup with an empty store."""
    with closing(open_database(database)) as connection:
        yield Said(connection)


def changed(**fields: object) -> Event:
    """The same event but for these fields."""
    return msgspec.structs.replace(PUSH, **fields)


def with_input(**tool_input: object) -> Event:
    """The same call with another input."""
    return PUSH.with_input(dict(tool_input))


@pytest.mark.req("F06")
def test_an_unanswered_ask_is_a_deny_that_says_how_to_go_on(setup: Said) -> None:
    """Asking again changes nothing: silence is not consent, and one call is one request."""
    first, second = setup.ask(), setup.ask()

    assert first == second
    assert first.vote is Vote.DENY
    assert first.reason == (
        "is this wise? To allow it, ask the user to run `interlock approve ap_1`, then try again."
    )
    assert setup.states() == ["pending"]


@pytest.mark.req("Z04")
def test_a_yes_lets_the_retry_pass_once(setup: Said) -> None:
    """The retry has a new id of the host's and passes; the third call is a new request."""
    setup.ask()
    setup.say(YES)
    retry = msgspec.structs.replace(PUSH.tool or ToolCall(name="", input={}), use_id="t2")

    passed, third = setup.ask(changed(tool=retry)), setup.ask()

    assert (passed.vote, passed.reason) == (Vote.ALLOW, "approved by human:ann (ap_1)")
    assert third.vote is Vote.DENY
    assert "`interlock approve ap_2`" in (third.reason or "")
    assert setup.states() == ["used", "pending"]


@pytest.mark.req("Z04")
@pytest.mark.parametrize(
    ("event", "decision"),
    [
        (with_input(command="git push --force", timeout=5), ASK),
        (with_input(command="git push"), ASK),
        (changed(session_id="s2"), ASK),
        (changed(actor="agent:other"), ASK),
        (changed(cwd="/elsewhere"), ASK),
        (changed(name="PermissionRequest"), ASK),
        (PUSH, msgspec.structs.replace(ASK, revision="r2")),
    ],
    ids=[
        "other command",
        "other field",
        "other session",
        "other actor",
        "other folder",
        "other event",
        "revision",
    ],
)
def test_a_yes_is_for_exactly_this_call(setup: Said, event: Event, decision: Decision) -> None:
    """Nothing else passes by it, and it stays there for the call it was given to."""
    setup.ask()
    setup.say(YES)

    other, same = setup.ask(event, decision), setup.ask()

    assert other.vote is Vote.DENY
    assert "`interlock approve ap_2`" in (other.reason or "")
    assert same.vote is Vote.ALLOW


@pytest.mark.req("Z04")
def test_two_actors_of_one_session_ask_for_themselves(setup: Said) -> None:
    """A sub-agent's pending request neither hides nor serves its parent's."""
    mine, other = setup.ask(), setup.ask(changed(actor="agent:other"))

    assert "ap_1" in (mine.reason or "")
    assert "ap_2" in (other.reason or "")


@pytest.mark.req("Z04", "F06")
@pytest.mark.parametrize("word", [None, YES])
def test_what_is_not_used_in_time_is_gone(setup: Said, word: str | None) -> None:
    """After ten minutes a request and a yes are both void."""
    setup.ask()
    if word:
        setup.say(word)
    setup.now += EXPIRES_SECONDS

    late = setup.ask()

    assert late.vote is Vote.DENY
    assert setup.states() == ["expired", "pending"]


def test_a_no_stands_until_it_expires(setup: Said) -> None:
    """A refused call is told so and makes no new request."""
    setup.ask()
    setup.say(NO)

    assert (
        setup.ask().reason
        == "human:ann denied this (ap_1). Do something else, or ask the user. Reason: is this wise?"
    )
    assert setup.ask().vote is Vote.DENY
    assert setup.states() == ["denied"]


@pytest.mark.req("Z10")
def test_what_is_shown_is_what_is_hashed(setup: Said) -> None:
    """The stored bytes are the call, in one spelling however the host ordered its fields."""
    setup.ask()
    stored = setup.connection.execute("SELECT call FROM approvals").fetchone()[0]

    assert stored == call_bytes(with_input(timeout=5, command="git push"))
    assert msgspec.json.decode(stored)["input"] == {"command": "git push", "timeout": 5}


@pytest.mark.req("Z10")
def test_what_is_approved_is_what_would_run(setup: Said) -> None:
    """A hook's change is part of the call: a yes to one change is none to another."""
    changed = msgspec.structs.replace(ASK, updated_input={"command": "git push --dry-run"})
    setup.ask(decision=changed)
    stored = setup.connection.execute("SELECT call FROM approvals").fetchone()[0]
    setup.say(YES)

    assert msgspec.json.decode(stored)["input"] == {"command": "git push --dry-run"}
    other = msgspec.structs.replace(ASK, updated_input={"command": "git push --force"})
    assert setup.ask(decision=other).vote is Vote.DENY
    assert setup.ask(decision=changed).vote is Vote.ALLOW


def test_a_store_that_fails_is_an_error_never_a_yes(setup: Said) -> None:
    """Without its table a ticket cannot be settled at all."""
    setup.connection.execute("DROP TABLE approvals")

    with pytest.raises(StoreError, match="cannot ask for approval"):
        setup.ask()
