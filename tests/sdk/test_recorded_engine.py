"""Laws of recording in a Python agent's own engine."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from tests.builders import call

from interlock import Engine, Event
from interlock.effects.classification.book import MemoryBook
from interlock.events.decision import Decision
from interlock.events.verdict import Vote

POLICY = """\
version: "2.0"
hooks: {pre_tool_use: [{type: record_tool_use, config: {repeat: deny}}]}
"""


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    """A policy that denies repeats."""
    file = tmp_path / "genesis.key"
    file.write_text(POLICY)
    return file


def pay(name: str = "PreToolUse", **fields: str) -> Event:
    """A payment."""
    return call("pay", name=name, tool_input={"to": "b", "amount": 1}, **fields)


@pytest.mark.req("U25")
def test_a_repeat_is_denied_while_the_process_lives(policy: Path) -> None:
    """Sync and async alike; a call that failed may be made again."""
    with Engine(files=[policy]) as engine:
        votes = [engine.decide_sync(pay()).vote]
        engine.decide_sync(pay("PostToolUseFailure", error="no route"))
        votes.append(asyncio.run(engine.decide(pay())).vote)
        asyncio.run(engine.decide(pay("post_tool_use", tool_output="paid")))
        votes.append(engine.decide_sync(pay()).vote)

    assert votes == [Vote.ABSTAIN, Vote.ABSTAIN, Vote.DENY]


class Full(MemoryBook):
    """A book that cannot be written."""

    def settle(self, event: Event, decision: Decision) -> None:
        raise OSError("no space left")


@pytest.mark.req("U26")
def test_without_a_record_there_is_no_decision(policy: Path) -> None:
    """Whoever asked gets an error, and nothing is left under way."""
    with Engine(files=[policy], calls=(book := Full())) as engine, pytest.raises(OSError, match="no space"):
        engine.decide_sync(pay())
    with Engine(files=[policy], calls=book) as engine, pytest.raises(OSError, match="no space"):
        engine.decide_sync(pay())
