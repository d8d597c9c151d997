"""The ledger of a Python agent: persistent, and the same with a daemon and without one."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.daemon.home import Home

from interlock import Engine, Event, ToolLedger, ToolRunner, Verdict, ask, deny, hook
from interlock.daemon.client import request
from interlock.errors import StoreError
from interlock.features.ledger_tools.cli_stats import shell_log
from interlock.features.receipts.service import RecordedCalls
from interlock.ledger.writer import LedgerWriter
from interlock.store.database import open_database


@hook("PreToolUse")
def guard(event: Event) -> Verdict | None:
    """Denies one call, asks about another, and changes a third."""
    text = event.tool.input.get("text") if event.tool else None
    if text == "short":
        return Verdict(updated_input={"text": "longer"})
    return deny("no") if text == "denied" else ask("sure?") if text == "asked" else None


def echo(given: dict[str, Any]) -> Any:
    """A tool."""
    if given["text"] == "broken":
        raise ValueError("out of paper")
    return {"said": given["text"]}


def work(ledger: ToolLedger) -> None:
    """A session in which calls succeed, fail, are denied and are turned down."""
    with Engine([guard], ledger=ledger) as engine:
        runner = ToolRunner(engine, session_id="s1", actor="agent:clerk", cwd="/w")
        for text in ("short", "broken", "denied", "asked"):
            runner.run_sync("echo", {"text": text}, echo)
        ToolRunner(engine, session_id="s2").run_sync("Bash", {"command": "touch /nowhere/new"}, str)


def check(ledger: ToolLedger) -> None:
    """What is known of that session afterwards."""
    turned_down, broken, done = ledger.calls(session="s1")
    assert (done.tool, done.input, done.output) == ("echo", {"text": "longer"}, {"said": "longer"})
    assert (done.status, done.actor, done.project) == ("succeeded", "agent:clerk", "/w")
    assert done.duration_ms is not None
    assert done.duration_ms >= 0
    assert (broken.status, broken.error, broken.output) == ("failed", "out of paper", None)
    assert (turned_down.status, turned_down.error) == ("failed", "refused")
    assert [one.input["text"] for one in ledger.calls(status="failed")] == ["asked", "broken"]
    (shell,) = ledger.calls(tool="Bash")
    assert shell.effects == {"creates": ["/nowhere/new"]}
    assert [one.tool for one in ledger.calls(limit=1)] == ["Bash"]
    assert ledger.calls(session="s1", tool="Bash") == []


@pytest.mark.req("U9", "U22")
def test_without_a_daemon_a_file_of_its_own_keeps_the_calls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the tables the daemon has, in the state folder; the next process reads what this one wrote."""
    monkeypatch.setenv("INTERLOCK_HOME", str(tmp_path))
    with ToolLedger() as ledger:
        work(ledger)
        check(ledger)
    with ToolLedger() as again:
        check(again)

    assert again.path == tmp_path / "state" / "tool-ledger.db"
    own, common = again.path, tmp_path / "other" / "interlock.db"
    open_database(common).close()
    assert tables(own) == tables(common)
    with pytest.raises(StoreError):
        again.calls()


def tables(path: Path) -> list[Any]:
    """What a database is made of."""
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT type, name, sql FROM sqlite_schema ORDER BY name").fetchall()


@pytest.mark.deep
@pytest.mark.req("U9", "U23")
def test_a_running_daemon_keeps_the_calls(served: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """People see them among all others, each is an entry of the chain, and they outlive the daemon."""
    monkeypatch.setenv("INTERLOCK_HOME", str(served.folder))
    with ToolLedger() as ledger:
        work(ledger)
        served.end()
        served.start()
        check(ledger)

    assert ledger.path is None
    rows = request(served.places.socket, "receipts.list")["calls"]
    assert sorted(row["tool"] for row in rows) == ["Bash", "echo", "echo", "echo"]
    entries = [entry.body for entry in served.entries("receipt") if entry.body["tool"] == "Bash"]
    assert [one["status"] for one in entries] == ["prepared", "succeeded"]
    assert served.broken() is None


@pytest.mark.deep
@pytest.mark.req("U8", "U9", "U28")
def test_shell_commands_of_a_python_agent_are_in_the_log(
    served: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever its shell tool is called: what ran, for how long, and how it ended."""
    monkeypatch.setenv("INTERLOCK_HOME", str(served.folder))

    def fail(_: dict[str, Any]) -> str:
        raise ValueError("out of paper")

    with ToolLedger() as ledger, Engine([guard], ledger=ledger) as engine:
        runner = ToolRunner(engine, session_id="s1", cwd="/w")
        runner.run_sync("execute_bash_command", {"command": "touch a"}, str)
        runner.run_sync("run_shell", {"cmd": "touch b"}, fail)
        runner.run_sync("execute_bash_command", {"command": "touch c", "text": "asked"}, str)
        runner.run_sync("echo", {"text": "d"}, echo)
    found = list(shell_log(reversed(served.entries("receipt"))))

    assert [(one.command, one.outcome, one.reason) for one in found] == [
        ("touch c", "refused", "refused"),
        ("touch b", "failed", "out of paper"),
        ("touch a", "succeeded", None),
    ]
    assert all(one.duration_ms is not None and one.cwd == "/w" for one in found[1:])


@pytest.mark.deep
@pytest.mark.req("U23")
def test_a_call_that_cannot_be_recorded_does_not_run(served: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its end is another matter: the result is there."""
    monkeypatch.setenv("INTERLOCK_HOME", str(served.folder))
    ran: list[str] = []

    def last(given: dict[str, Any]) -> str:
        served.end()
        ran.append("last")
        return "done"

    with ToolLedger() as ledger, Engine(ledger=ledger) as engine:
        runner = ToolRunner(engine, session_id="s1")
        assert runner.run_sync("echo", {}, last).output == "done"
        with pytest.raises(StoreError, match="cannot be recorded"):
            runner.run_sync("echo", {}, lambda _: ran.append("never"))
    assert ran == ["last"]


async def test_like_calls_at_the_same_time_each_have_their_end(tmp_path: Path) -> None:
    """Also where the agent gives its calls no ids."""
    with ToolLedger(tmp_path / "own" / "calls.db") as ledger, Engine(ledger=ledger) as engine:
        runner = ToolRunner(engine, session_id="s")

        async def slow(given: dict[str, Any]) -> int:
            await asyncio.sleep(0)
            return int(given["number"])

        await asyncio.gather(*(runner.run("slow", {"number": number}, slow) for number in range(8)))

        assert {(one.input["number"], one.output) for one in ledger.calls()} == {(n, n) for n in range(8)}


class Odd:
    """What JSON does not know."""

    def __repr__(self) -> str:
        return "an odd one"


@pytest.mark.req("U9")
def test_what_is_long_odd_or_secret_is_kept_as_it_can_be(tmp_path: Path) -> None:
    """Head, tail and digest of a long text; no secret; the words of what is not JSON."""
    token = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    with ToolLedger(tmp_path / "own" / "calls.db") as ledger, Engine(ledger=ledger) as engine:
        runner = ToolRunner(engine)
        runner.run_sync("long", {"text": "x" * 300_000}, lambda _: "y" * 300_000)
        runner.run_sync("odd", {"it": Odd(), "token": token}, lambda _: {1: Odd()})
        odd, long = ledger.calls()

    assert "bytes left out, sha256 of all" in long.output
    assert len(str(long.input)) < 40_000
    assert odd.input["it"] == "an odd one"
    assert odd.output == {"1": "an odd one"}
    assert token not in str(odd)


@pytest.mark.req("U9")
def test_old_calls_go_when_the_file_is_opened(tmp_path: Path) -> None:
    """Those that ended, after `keep_days`."""
    path = tmp_path / "own" / "calls.db"
    with ToolLedger(path) as ledger:
        work(ledger)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE tool_calls SET updated_at = '2020-01-01T00:00:00.000Z', waits = 0")
    with ToolLedger(path, keep_days=3000) as ledger:
        kept = len(ledger.calls())
    with ToolLedger(path) as ledger:
        assert (kept, ledger.calls()) == (4, [])


def test_an_agents_process_is_not_heard(tmp_path: Path) -> None:
    """Its calls come from the hooks of its host; it does not tell the daemon what it did."""
    with closing(open_database(tmp_path / "own" / "i.db")) as connection:
        calls = RecordedCalls(connection, LedgerWriter(connection))
        for name, method in calls.of_programs(lambda: True, lambda _: "an agent").items():
            with pytest.raises(ValueError, match="an agent"):
                method({"note": {}, "name": name})


@pytest.mark.parametrize(
    "wrong",
    [
        lambda path: ToolLedger(path, keep_days=0),
        lambda path: ToolLedger(path).calls(limit=0),
        lambda path: ToolLedger(path).calls(limit=1001),
    ],
)
def test_numbers_that_mean_nothing_are_refused(wrong: Callable[[Path], Any], tmp_path: Path) -> None:
    """Before anything is read."""
    with pytest.raises(ValueError, match="is out of range; give a number"):
        wrong(tmp_path / "own" / "calls.db")
