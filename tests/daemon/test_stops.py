"""A stop is sent back so often in a turn as the host lets it, by all hooks together."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.builders import hook

from interlock.daemon.session_memory import RoundsInStore, Stops
from interlock.engine.engine import Engine
from interlock.engine.session_memory import ALL, Rounds, RoundsInMemory
from interlock.events.decision import Decision, TraceRow
from interlock.events.event import Event
from interlock.events.verdict import Outcome, Vote, deny
from interlock.hosts.claude_code.host import ClaudeCode
from interlock.store.database import open_database

ROW = TraceRow("notes", "deny", "*", "user", Vote.DENY, Outcome.BLOCKING)
BLOCK = Decision(vote=Vote.DENY, reason="write the notes", decided_by="notes", trace=(ROW,))


def most() -> int:
    """What Claude Code lets pass."""
    return ClaudeCode().most_rounds


def stop(*, active: bool, name: str = "Stop") -> Event:
    """The end of a turn; `active`: the agent was sent back before."""
    return Event(name=name, session_id="s", extra={"stop_hook_active": active})


@pytest.mark.req("F05", "M80")
@pytest.mark.parametrize("name", ["Stop", "SubagentStop"])
def test_a_stop_that_was_blocked_already_is_let_be(name: str) -> None:
    """The hook that would send it back again is named in the record; those after it are still asked."""
    nudge = hook(deny("write the notes"), name="notes", events=(name,))
    counting = hook(deny("not done"), name="contract", events=(name,), loops=True)
    first = Engine([nudge]).decide_sync(stop(active=False, name=name))
    second = Engine([nudge]).decide_sync(stop(active=True, name=name))
    after = Engine([nudge, counting]).decide_sync(stop(active=True, name=name))

    assert first.denied
    assert (second.vote, second.reason, second.decided_by) == (Vote.ABSTAIN, None, None)
    assert "`notes` would send the turn back again" in second.degraded[0]
    assert str(second.trace[0].reason).startswith("not carried out: `notes` would send the turn back again")
    assert str(second.trace[0].reason).endswith("; it said: write the notes")
    assert (after.vote, after.decided_by) == (Vote.DENY, "contract")


@pytest.mark.req("F05", "U11")
def test_a_hook_may_block_as_often_as_it_says() -> None:
    """Then its block is not carried out, whatever the host says; a sub-agent is counted by itself."""
    twice = hook(deny("write the notes"), name="notes", events=("Stop", "SubagentStop"), max_rounds=2)
    engine = Engine([twice], rounds=RoundsInMemory())
    found = [engine.decide_sync(stop(active=number > 0)) for number in range(3)]
    sub = Event(name="SubagentStop", session_id="s", agent_id="a", extra={"stop_hook_active": True})

    assert [one.denied for one in found] == [True, True, False]
    assert found[2].degraded == ("`notes` would send the turn back again; its `max_rounds` is 2",)
    assert engine.decide_sync(sub).denied


def test_no_other_moment_is_let_be() -> None:
    """A payload cannot claim its way past a tool call's denial."""
    judge = hook(deny("no"), events=("PreToolUse",))

    assert Engine([judge]).decide_sync(stop(active=True, name="PreToolUse")).denied


@pytest.mark.req("M49")
def test_all_hooks_together_stay_within_the_hosts_cap() -> None:
    """The eighth block of a turn is let be, and a prompt begins a new turn."""
    stops = Stops()
    kept = [stops.settled(stop(active=number > 0), BLOCK, most) for number in range(8)]

    assert [one.vote for one in kept] == [Vote.DENY] * 7 + [Vote.ABSTAIN]
    assert "7 times a turn" in kept[-1].degraded[0]
    assert str(kept[-1].trace[0].reason).startswith("not carried out: `notes` would send the turn back again")
    stops.settled(Event(name="UserPromptSubmit", session_id="s"), Decision(vote=Vote.ALLOW), most)
    assert stops.settled(stop(active=False), BLOCK, most) is BLOCK
    assert stops.settled(Event(name="PreToolUse", session_id="s"), BLOCK, most) is BLOCK


def test_sessions_are_counted_apart_also_after_a_restart(tmp_path: Path) -> None:
    """In memory and in the store alike; what was counted is there when the store is opened again."""
    connection = open_database(tmp_path / "i.db")
    kept: list[Rounds] = [RoundsInMemory(), RoundsInStore(connection)]
    for rounds in kept:
        rounds.add("a", ALL)
        rounds.add("a", ALL)
        rounds.add("a", "x")
        assert [rounds.count("a", ALL), rounds.count("a", "x"), rounds.count("b", ALL)] == [2, 1, 0]

    again = RoundsInStore(connection)
    assert again.count("a", ALL) == 2
    for rounds in (kept[0], again):
        rounds.reset("b")
        rounds.reset("a")
        assert rounds.count("a", ALL) == 0
    assert RoundsInStore(connection).count("a", "x") == 0
    connection.close()
