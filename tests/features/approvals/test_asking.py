"""Laws of an ask where nobody is there, through the whole daemon."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
from tests.daemon.home import Home, bash, decided

pytestmark = pytest.mark.deep

ASKS = """\
version: "2.0"
hooks:
  pre_tool_use:
    - name: push
      type: command
      matcher: "Bash(git push *)"
      config: {command: 'echo "{\\"decision\\":\\"ask\\",\\"reason\\":\\"is it ready?\\"}"'}
"""
YES = "UPDATE approvals SET state = 'approved', decided_by = 'human:ann', decided_at = 'now'"


def approve(place: Home) -> None:
    """A person says yes to everything that waits."""
    with closing(sqlite3.connect(place.places.database, timeout=90)) as connection, connection:
        connection.execute(f"{YES} WHERE state = 'pending'")


@pytest.fixture
def asking(place: Home) -> Home:
    """A daemon whose policy asks before a push."""
    place.write_policy(ASKS)
    place.start()
    return place


def ask(
    home: Home, use_id: str, command: str = "git push origin", **fields: object
) -> tuple[str | None, str]:
    """Report a push, from a program nobody watches."""
    payload = bash(command, tool_use_id=use_id, permission_mode="default", **fields)
    return decided(home.shim(payload, CLAUDE_CODE_ENTRYPOINT="sdk-cli"))


@pytest.mark.req("F06", "Z04")
def test_a_yes_lets_exactly_one_retry_pass(asking: Home) -> None:
    """Denied with a ticket, allowed once when approved, asked again after that."""
    first, waiting = ask(asking, "t1"), ask(asking, "t2")
    approve(asking)
    other = [
        ask(asking, "t3", "git push --force origin"),
        ask(asking, "t4", session_id="another"),
    ]
    second, third = ask(asking, "t5"), ask(asking, "t6")

    assert first[0] == waiting[0] == "deny"
    assert "ask the user to run `interlock approve ap_1`, then try again" in first[1]
    assert "ap_1" in waiting[1]
    assert [verdict for verdict, _ in other] == ["deny", "deny"]
    assert second == (None, "")
    assert third[0] == "deny"
    assert "ap_1 " not in third[1]
    decisions = [entry.body["decision"] for entry in asking.entries("decision")]
    assert decisions == ["deny", "deny", "deny", "deny", "allow", "deny"]


@pytest.mark.req("Z04")
def test_a_yes_does_not_outlive_its_policy(asking: Home) -> None:
    """After a change of the policy the same call is asked about anew."""
    ask(asking, "t1")
    approve(asking)
    asking.write_policy(ASKS.replace("is it ready?", "is it really ready?"))

    verdict, reason = ask(asking, "t2")

    assert verdict == "deny"
    assert "`interlock approve ap_2`" in reason


@pytest.mark.req("Z04")
def test_a_yes_survives_a_restart_of_the_daemon(asking: Home) -> None:
    """It lies in the store, and is used up there."""
    ask(asking, "t1")
    approve(asking)
    asking.end()
    asking.start()

    assert ask(asking, "t2") == (None, "")
    assert ask(asking, "t3")[0] == "deny"


def test_a_person_at_the_terminal_is_asked_by_the_host(asking: Home) -> None:
    """Where the host can show its own prompt, no ticket is made."""
    payload = bash("git push origin", permission_mode="default")
    verdict, reason = decided(asking.shim(payload, CLAUDE_CODE_ENTRYPOINT="cli"))

    assert (verdict, reason) == ("ask", "is it ready?")


@pytest.mark.req("F06")
@pytest.mark.parametrize("mode", ["bypassPermissions", "dontAsk", "auto"])
def test_a_mode_that_asks_nobody_gets_a_ticket(asking: Home, mode: str) -> None:
    """An ask the host would answer by itself is not a question."""
    payload = bash("git push origin", permission_mode=mode)
    verdict, reason = decided(asking.shim(payload, CLAUDE_CODE_ENTRYPOINT="cli"))

    assert verdict == "deny"
    assert "`interlock approve ap_1`" in reason
