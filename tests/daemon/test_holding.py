"""Laws of a call that is held until a person has answered."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.daemon.home import Home, bash, decided, event, wait_for

from interlock.daemon.client import request
from interlock.daemon.protocol import Call, decode_answer, encode_call

pytestmark = pytest.mark.deep

WAITS = """\
version: "2.0"
settings: {approval: {wait_s: SECONDS}}
hooks:
  pre_tool_use:
    - {type: ask, name: push, matcher: "Bash(git push *)", config: {reason: ready?}}
"""


@pytest.fixture
def waiting(place: Home) -> Home:
    """A daemon that holds a call for as long as a host waits."""
    place.write_policy(WAITS.replace("SECONDS", "50"))
    place.start()
    return place


class WaitingCall:
    """A call on its way, in a thread of its own; without a host's marks, for this process is a person's."""

    def __init__(
        self, home: Home, use_id: str = "t1", command: str = "git push origin", **fields: Any
    ) -> None:
        self.answer: tuple[str | None, str] | None = None
        self._payload = bash(command, tool_use_id=use_id, permission_mode="default", **fields)
        self._home = home
        self.sent = threading.Event()  # the call is on its way
        self._thread = threading.Thread(target=self._ask)
        self._thread.start()

    def _ask(self) -> None:
        # By hand, not as the shim: on a busy machine a beat may come later than it waits for.
        with self._home.connected() as peer:
            peer.sendall(encode_call(Call(host="claude-code", payload=self._payload, env={})))
            self.sent.set()
            data = b""
            while (reply := decode_answer(data)) is None and (piece := peer.recv(65_536)):
                data += piece
            self.answer = decided(reply) if reply is not None else None

    def end(self) -> tuple[str | None, str]:
        """The answer, when it has come."""
        self._thread.join(90)
        assert self.answer is not None
        return self.answer


def waits(home: Home, count: int = 1) -> None:
    """Until so many requests wait."""
    wait_for(lambda: len(rows(home, every=False)) == count, f"{count} wait")


def rows(home: Home, *, every: bool = True) -> list[dict[str, Any]]:
    """The requests there are."""
    found: list[dict[str, Any]] = request(home.places.socket, "approvals.list", {"all": every})["approvals"]
    return found


def answer(home: Home, word: str, *names: str) -> None:
    """What a person says."""
    request(home.places.socket, f"approvals.{word}", {"ids": list(names)})


def test_a_yes_lets_the_held_call_go_on(waiting: Home) -> None:
    """The agent sees one call that took its time; the yes is used up by it."""
    held = WaitingCall(waiting)
    waits(waiting)
    before = held.answer
    answer(waiting, "approve", "ap_1")

    assert before is None
    assert held.end() == (None, "")
    assert [entry.body["state"] for entry in waiting.entries("approval")] == ["requested", "approved", "used"]


def test_a_no_ends_the_wait(waiting: Home) -> None:
    """Denied at once, with the name of who refused."""
    held = WaitingCall(waiting)
    waits(waiting)
    answer(waiting, "deny", "ap_1")
    verdict, reason = held.end()

    assert verdict == "deny"
    assert "human:" in reason


@pytest.mark.req("D13")
def test_others_go_on_while_one_waits(waiting: Home) -> None:
    """Another session is answered, and another request has its own answer."""
    one, two = WaitingCall(waiting, "t1", "git push 1"), WaitingCall(waiting, "t2", "git push 2")
    waits(waiting, 2)
    free = decided(waiting.call(bash("ls", session_id="other")))
    by_call = {row["summary"]: row["id"] for row in rows(waiting)}
    answer(waiting, "deny", by_call["git push 1"])
    answer(waiting, "approve", by_call["git push 2"])

    assert free == (None, "")
    assert one.end()[0] == "deny"
    assert two.end() == (None, "")


@pytest.mark.req("F06")
def test_when_nobody_answers_in_time_there_is_a_ticket(place: Home) -> None:
    """Silence is not consent; the request still stands for a retry."""
    place.write_policy(WAITS.replace("SECONDS", "0.2"))
    place.start()
    late = WaitingCall(place).end()
    answer(place, "approve", "ap_1")

    assert late[0] == "deny"
    assert "ask the user to run `interlock approve ap_1`" in late[1]
    assert WaitingCall(place, "t2").end() == (None, "")


@pytest.mark.req("D11")
def test_a_client_that_leaves_takes_its_question_with_it(waiting: Home) -> None:
    """The request is over, the answer undelivered, and a later yes does nothing."""
    payload = bash("git push origin", tool_use_id="t1", permission_mode="default")
    with waiting.connected() as peer:
        peer.sendall(encode_call(Call(host="claude-code", payload=payload, env={})))
        waits(waiting)
    wait_for(lambda: waiting.entries("undelivered"), "the answer is undelivered")
    found = request(waiting.places.socket, "approvals.approve", {"ids": ["ap_1"]})["results"][0]

    assert "ap_1 has expired (the agent stopped waiting)" in found["error"]
    assert [row["state"] for row in rows(waiting)] == ["expired"]
    assert [entry.body["state"] for entry in waiting.entries("approval")] == ["requested", "expired"]
    again = WaitingCall(waiting, "t2")
    waits(waiting)
    assert [row["id"] for row in rows(waiting, every=False)] == ["ap_2"]
    answer(waiting, "deny", "ap_2")
    assert again.end()[0] == "deny"


@pytest.mark.req("D11")
def test_of_two_that_wait_for_one_answer_one_may_leave(waiting: Home) -> None:
    """A call reported twice is held for both; the one that stays gets the answer."""
    payload = bash("git push origin", tool_use_id="t1", permission_mode="default")
    with waiting.connected() as peer:
        peer.sendall(encode_call(Call(host="claude-code", payload=payload, env={})))
        waits(waiting)
        held = WaitingCall(waiting)
        assert held.sent.wait(90)
        for _ in range(2):  # by the second answer, what was sent before the first was asked for is taken in
            assert decided(waiting.call(bash("ls"))) == (None, "")
    answer(waiting, "approve", "ap_1")

    assert held.end() == (None, "")


def test_a_daemon_that_ends_gives_the_ticket(waiting: Home) -> None:
    """It does not wait for people, and the request is there for its successor."""
    held = WaitingCall(waiting)
    waits(waiting)
    request(waiting.places.socket, "stop")

    assert "`interlock approve ap_1`" in held.end()[1]
    waiting.start()
    answer(waiting, "approve", "ap_1")
    assert WaitingCall(waiting, "t2").end() == (None, "")


def test_a_call_that_is_held_is_counted(place: Home, tmp_path: Path) -> None:
    """Its heartbeat is lasting before the decision is made, also when it joins a request that waits."""
    (tmp_path / ".git").mkdir()
    place.write_policy(WAITS.replace("SECONDS", "50").replace("{approval", "{packs: [work], approval"))
    place.start()
    about = {"cwd": str(tmp_path), "session": "s", "task": "t", "skill": "fix"}
    place.call(event("SessionStart", source="startup", cwd=str(tmp_path), session_id="s"))
    request(place.places.socket, "work.effort.start", about)

    held = [WaitingCall(place, f"t{number}", cwd=str(tmp_path), session_id="s") for number in range(3)]
    waits(place)
    for number in range(3):
        wait_for(lambda most=number: beats(place) > most, f"{number + 1} are counted")
    (row,) = rows(place)
    answer(place, "deny", row["id"])
    assert [one.end()[0] for one in held] == ["deny"] * 3
    assert beats(place) == 3


def beats(home: Home) -> int:
    """The calls of the only session without a log entry, on the disk."""
    with closing(sqlite3.connect(f"file:{home.places.database}?mode=ro", uri=True)) as connection:
        (count,) = connection.execute("SELECT sum(heartbeat_counter) FROM sessions").fetchone()
    return int(count)
