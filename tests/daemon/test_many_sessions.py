"""Laws of many sessions at once, of a policy that changes under them, and of clocks."""

from __future__ import annotations

import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from tests.daemon.home import Home, bash, decided

from interlock.daemon.protocol import Call, decode_answer, encode_call
from interlock.engine.engine import Deadline
from interlock.hosts.host import Reply
from interlock.ledger.reader import LedgerReader
from interlock.ledger.verify import verify
from interlock.ledger.writer import LedgerWriter
from interlock.store.database import open_database

SESSIONS, EVENTS = 50, 20
RULE = """\
version: "2.0"
hooks:
  pre_tool_use:
    - {name: rule, type: deny, matcher: "Bash(* no)", config: {reason: "said no"}}
"""
PRINTED = """\
version: "2.0"
hooks:
  pre_tool_use:
    - {name: says, type: command, config: {command: 'sleep 0.2; echo ANSWER'}}
"""


def session(home: Home, number: int) -> list[bool]:
    """One session's calls, on a kept connection or one each; whether each answer was the right one."""
    words = random.Random(number)
    right = []
    peer = home.connected()
    try:
        for step in range(EVENTS):
            word = words.choice(["yes", "no"])
            payload = bash(f"echo {step} {word}", session_id=f"s{number}", tool_use_id=f"{number}-{step}")
            peer.sendall(encode_call(Call(host="claude-code", payload=payload)))
            right.append((decided(answer(peer))[0] == "deny") is (word == "no"))
            if number % 2:
                peer.close()
                peer = home.connected()
    finally:
        peer.close()
    return right


def answer(peer: object) -> Reply:
    """The next answer."""
    data = b""
    while (found := decode_answer(data)) is None:
        data += peer.recv(4096)  # type: ignore[attr-defined] # a socket
    return found


@pytest.mark.deep
@pytest.mark.req("D13")
def test_a_thousand_events_of_fifty_sessions_are_neither_lost_nor_crossed(place: Home) -> None:
    """Each gets its own answer, each is one entry, and each session's entries are in its order."""
    place.write_policy(RULE)
    place.start()
    with ThreadPoolExecutor(SESSIONS) as pool:
        right = list(pool.map(lambda number: session(place, number), range(SESSIONS)))

    entries = place.entries("decision")
    assert right == [[True] * EVENTS] * SESSIONS
    assert len(entries) == SESSIONS * EVENTS
    for number in range(SESSIONS):
        own = [entry.body["tool_use_id"] for entry in entries if entry.session_id == f"s{number}"]
        assert own == [f"{number}-{step}" for step in range(EVENTS)]
    assert place.broken() is None


@pytest.mark.deep
@pytest.mark.req("D14")
def test_an_event_is_decided_under_one_revision_whatever_happens_to_the_file(place: Home) -> None:
    """Calls under way keep the policy they began with; each entry's reason is that of its revision."""
    texts = [
        PRINTED.replace("ANSWER", f'"{{\\"decision\\":\\"deny\\",\\"reason\\":\\"{w}\\"}}"') for w in "AB"
    ]
    place.write_policy(texts[0])
    place.start()
    ended = threading.Event()

    def rewrite() -> None:
        for step in range(10_000):
            place.write_policy(texts[step % 2])
            if ended.wait(0.01):
                return

    writing = threading.Thread(target=rewrite)
    writing.start()
    with ThreadPoolExecutor(25) as pool:
        verdicts = list(pool.map(lambda n: decided(place.call(bash("ls", tool_use_id=str(n)))), range(100)))
    ended.set()
    writing.join()

    entries = place.entries("decision")
    pairs = {(entry.body["revision"], entry.body["reason"]) for entry in entries}
    assert {verdict for verdict, _ in verdicts} == {"deny"}
    assert len(entries) == 100
    assert len(pairs) == 2
    assert {reason[-1] for _, reason in pairs} == {"A", "B"}
    assert len({revision for revision, _ in pairs}) == 2


@pytest.mark.req("D15")
def test_the_order_is_that_of_the_sequence_when_the_clock_jumps(tmp_path: Path) -> None:
    """An hour back or a year ahead changes times, not the order, and the chain holds."""
    times = iter([1_000_000.0, 1_000_000.0 - 3600, 1_000_000.0 + 31_536_000, 1_000_001.0])
    with closing(open_database(tmp_path / "db" / "interlock.db")) as connection:
        ledger = LedgerWriter(connection, clock=lambda: next(times))
        for step in range(4):
            ledger.append("step", "a", "", {"step": step})
            ledger.flush()
        entries = LedgerReader(connection).after(0)

        assert [entry.body["step"] for entry in entries] == [0, 1, 2, 3]
        assert [entry.ts for entry in entries] != sorted(entry.ts for entry in entries)
        assert verify(connection).broken is None


@pytest.mark.req("D15")
def test_a_deadline_knows_no_wall_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is left of it does not move with the time of day."""
    deadline = Deadline(100)
    monkeypatch.setattr("time.time", lambda: 0.0)

    assert 50 < deadline.end - time.monotonic() <= 100
