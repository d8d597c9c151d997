"""Laws of `interlock log`."""

from __future__ import annotations

import subprocess
from contextlib import closing
from datetime import UTC, datetime

import msgspec
import pytest
from rich.cells import cell_len
from tests.cli.typed import SCRIPT, Interlock

from interlock.cli.log import LogLine, _Screen
from interlock.cli.policy_source import here
from interlock.ledger.writer import LedgerWriter
from interlock.store.database import open_database

LONG = "git commit -m '" + "日本語 and a long message " * 20 + "'"


def record(decision: str, command: str, *, event: str = "PreToolUse", **more: object) -> None:
    """One decision about a command."""
    with closing(open_database(here().database)) as connection:
        writer = LedgerWriter(connection)
        body = {"decision": decision, "event": event, "session_id": more.pop("session", "s1"), **more}
        called = {"tool": more.pop("tool", "Bash"), "tool_input": {"command": command}}
        writer.append("decision", str(more.pop("actor", "agent:executor")), "/w", {**body, **called})
        writer.flush()


@pytest.fixture
def filled(home: object) -> None:
    """A ledger with a decision of each kind, and a moment that is not a call."""
    record("allow", "git status", decided_by="pre_tool_use[0]:genesis_enforcement")
    record("deny", "rm -rf \x1b[2Jbuild", decided_by="no-rm", reason="No.")
    record("deny", "git push", decided_by="push", approval="ap_1", reason="No. Run `interlock approve ap_1`")
    record("allow", LONG, session="s2")
    record("allow", "ls", event="PostToolUse")


@pytest.mark.usefixtures("filled")
def test_decisions_are_shown_newest_first_one_a_line(interlock: Interlock) -> None:
    """A pipe gets whole cells between tabs, and no colours."""
    done = interlock("log")
    rows = [line.split("\t") for line in done.out.splitlines()]

    assert done.code == 0
    assert [(row[0], row[2]) for row in rows] == [
        ("4", "allow"),
        ("3", "ask ap_1"),
        ("2", "deny"),
        ("1", "allow"),
    ]
    assert [row[4] for row in rows] == [
        LONG.replace("  ", " "),
        "git push",
        "rm -rf \\x1b[2Jbuild",
        "git status",
    ]
    assert [row[5] for row in rows] == ["-", "push", "no-rm", "pre_tool_use[0]:genesis_enforcement"]
    assert all(datetime.fromisoformat(row[1]) for row in rows)
    assert "\x1b" not in done.out


@pytest.mark.usefixtures("filled")
@pytest.mark.parametrize(
    ("words", "ids"),
    [
        (("--decision", "deny"), [2]),
        (("--decision", "ask"), [3]),
        (("--decision", "allow"), [4, 1]),
        (("--session", "s2"), [4]),
        (("--tool", "Bash", "-n", "1"), [4]),
        (("--tool", "Edit"), []),
        (("--actor", "agent:executor", "--since", "1h"), [4, 3, 2, 1]),
        (("--all", "-n", "2"), [5, 4]),
    ],
)
def test_filters_choose(interlock: Interlock, words: tuple[str, ...], ids: list[int]) -> None:
    """A call that waits for a person counts as asked about, not as denied."""
    assert [one["id"] for one in interlock("log", *words, "--json").documents] == ids


@pytest.mark.usefixtures("filled")
@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("--decision", "denied"), "`denied` is not a decision; did you mean `deny`?"),
        (("--tool", "bash"), "there is no tool `bash`; did you mean `Bash`?"),
        (("found it",), "run `interlock effort log TEXT`"),
    ],
)
def test_an_unknown_word_is_met_with_the_nearest(
    interlock: Interlock, words: tuple[str, ...], hint: str
) -> None:
    """Nothing is shown instead."""
    done = interlock("log", *words)

    assert (done.code, done.out) == (2, "")
    assert hint in done.err


@pytest.mark.usefixtures("filled")
def test_an_empty_list_says_what_to_do(interlock: Interlock) -> None:
    """In one sentence, and with exit code 0."""
    done = interlock("log", "--actor", "agent:nobody")

    assert (done.code, done.out.count("\n")) == (0, 1)
    assert "--all" in done.out


@pytest.mark.usefixtures("filled")
@pytest.mark.parametrize("width", [60, 80, 120])
def test_each_line_fits_the_terminal(
    interlock: Interlock, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    """A long call is cut with an ellipsis and never goes on in the next line."""
    monkeypatch.setattr("interlock.cli.log.screen_width", lambda: width)
    monkeypatch.setattr("interlock.cli.output.screen_width", lambda: width)
    head, *rows = interlock("log", "--all").out.splitlines()

    assert head.split() == ["ID", "TIME", "DECISION", "AGENT", "CALL", "RULE"]
    assert len(rows) == 5
    assert max(map(cell_len, (head, *rows))) <= width
    assert "…" in rows[1]


LINE = LogLine(
    id=1,
    time="2026-01-01T00:00:00.000Z",
    decision="deny",
    agent="agent:main",
    call="git push --force",
    rule="baseline/force-push",
    reason=None,
    event="PreToolUse",
    tool="Bash",
    session=None,
    approval=None,
)


@pytest.mark.parametrize("width", [30, 40, 50, 60])
def test_a_narrow_terminal_shows_whole_ids(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    """Other columns are left out instead, also while it follows and the numbers grow."""
    monkeypatch.setattr("interlock.cli.log.screen_width", lambda: width)
    monkeypatch.setattr("interlock.cli.output.screen_width", lambda: width)
    screen = _Screen(as_json=False)
    for number in (999, 1_234_567):
        screen.print([msgspec.structs.replace(LINE, id=number, decision="ask", approval=f"ap_{number}")])
    lines = capsys.readouterr().out.splitlines()

    assert max(map(cell_len, lines)) <= width
    assert [line.split()[0] for line in lines] == ["ID", "999", "ID", "1234567"]
    assert "ask ap_999 " in lines[1]
    assert "ask ap_1234567 " in lines[3]


def test_a_narrow_terminal_shows_a_rule_without_its_pack() -> None:
    """The pack is the same in most lines, and the name says more."""
    line, now = LINE, datetime.now(UTC)

    assert line.cells(now, narrow=True)[-1] == "force-push"
    assert line.cells(now, narrow=False)[-1] == "baseline/force-push"


@pytest.mark.deep
@pytest.mark.usefixtures("filled")
def test_following_shows_what_is_decided_next() -> None:
    """First the last ones, oldest first, then each new one."""
    with subprocess.Popen([SCRIPT, "log", "-f", "-n", "2"], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        first = [process.stdout.readline().split("\t")[0] for _ in range(2)]
        record("deny", "curl x | sh")
        third = process.stdout.readline().split("\t")
        process.kill()

    assert (first, third[0], third[2], third[4]) == (["3", "4"], "6", "deny", "curl x | sh")
