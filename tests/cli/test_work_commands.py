"""Typing about the work: by a person in a project, and by an agent in its session."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.cli.typed import SCRIPT, Interlock, Typed
from tests.daemon.home import SHIM, Home
from tests.terminal import at_terminal

from interlock.features.work.store import WorkStore
from interlock.ledger.writer import LedgerWriter
from interlock.store.database import open_database

pytestmark = pytest.mark.deep

AGENT = Path(__file__).with_name("agent.py")
PAYLOAD = {"summary": "half done", "lastAction": "a test", "nextSteps": ["more"], "requiredFiles": []}


@pytest.fixture
def typed(served: Home, interlock: Interlock, work: Path, monkeypatch: pytest.MonkeyPatch) -> Interlock:
    """The command line in a repository, beside a daemon."""
    monkeypatch.setenv("INTERLOCK_HOME", str(served.folder))
    (work / ".git").mkdir()
    return interlock


def by_agent(home: Home, *words: str, stdin: bytes | None = None) -> Typed:
    """The same typed by a process whose host reports to this daemon; its session is `s-agent`."""
    command = [SCRIPT, *words]
    if stdin is not None:
        command = ["sh", "-c", f"printf %s '{stdin.decode()}' | '{SCRIPT}' {' '.join(words)}"]
    done = subprocess.run(
        [sys.executable, str(AGENT), str(SHIM), str(home.folder), json.dumps(command)],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    code, out, err = json.loads(done.stdout)
    return Typed(code, out, err)


def refused(done: Typed) -> str:
    """The code of a refusal. The exit code is 2 when there is nothing of this name."""
    code = str(done.document["error"])
    assert done.code == (2 if code == "NOT_FOUND" else 1), done
    return code


@pytest.mark.req("E45", "E60", "E61", "E78")
def test_a_whole_effort_as_it_is_typed(typed: Interlock, work: Path, served: Home) -> None:
    """Each step says what came of it, and each is in the ledger with who did it."""
    began = typed("effort", "start", "tasks/cart", "implement", "--mode", "fast", "--title", "Guests")
    logged = typed("effort", "log", "found it")
    piped = typed("effort", "log", stdin="## Fixed\n* ä\n".encode())
    log = work.resolve() / "tasks" / "cart" / "1_IMPLEMENT_LOG.md"

    assert re.match(r"effort e1 \(implement/fast\) started: \S+/tasks/cart\nresumed by: the next", began.out)
    assert (logged.code, piped.code) == (0, 0)
    stamp = r"\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\]"
    assert re.fullmatch(rf"## {stamp} found it\n\n## {stamp} Fixed\n\* ä\n", log.read_text("utf-8"))
    assert (
        typed("effort", "phase", "1: Look", "--proof", '{"tests": 3}').out == "effort e1 enters `1: Look`\n"
    )
    assert typed("effort", "phase", "1: Look").out == "effort e1 is in `1: Look`\n"
    assert typed("effort", "finish", "-k", "cart").out == "effort e1 (implement/fast) is finished\n"
    assert refused(typed("effort", "finish", "1", "--json")) == "ALREADY_FINISHED"
    assert refused(typed("effort", "log", "too late", "--effort", "1", "--json")) == "ALREADY_FINISHED"
    late = typed("effort", "log", "too late", "--effort", "1").err
    assert re.fullmatch(r"interlock: effort e1 was finished at \S+; start another one .+\n", late)
    assert "too late" not in log.read_text("utf-8")
    entries = [json.loads(bytes(entry.payload))["body"] for entry in served.entries("work")]
    assert [body["deed"] for body in entries] == [
        "effort.start", "log", "log", "effort.phase", "effort.phase", "effort.finish",
    ]  # fmt: skip
    assert {entry.actor.split(":")[0] for entry in served.entries("work")} == {"human"}
    assert served.broken() is None


def test_lists_and_details_say_where_the_work_stands(typed: Interlock, work: Path) -> None:
    """Only what is active unless asked; nothing is an answer with a next step."""
    assert "interlock effort start" in typed("task", "list").out
    assert "--all" in typed("effort", "list").out
    typed("effort", "start", "cart", "fix")
    typed("effort", "finish", "1")
    typed("effort", "start", "cart", "fix")
    typed("effort", "phase", "2: Build")
    typed("effort", "log", "there")

    assert [row["id"] for row in typed("effort", "list", "--json").documents] == [2]
    assert [row["id"] for row in typed("effort", "list", "--all", "--json").documents] == [2, 1]
    assert [row["id"] for row in typed("effort", "list", "--task", "cart", "--all", "--json").documents] == [
        2,
        1,
    ]
    assert typed("effort", "list").out.splitlines()[1].split()[:5] == ["e2", "fix", "active", "2:", "Build"]
    shown = typed("effort", "show").out
    assert "effort e2: fix (active)" in shown
    assert "entered" in shown
    assert "2_FIX_LOG.md" in shown
    (task,) = typed("task", "list", "--json").documents
    assert (task["state"], task["effort_count"]) == ("active", 2)
    assert typed("task", "show", "cart", "--json").document["id"] == task["id"]
    assert "task 1 (active)" in typed("task", "show", "1").out
    os.chdir(work.parent)
    assert typed("task", "list", "--json").documents == []
    assert len(typed("task", "list", "--everywhere", "--json").documents) == 1


@pytest.mark.req("E17", "E40", "E78")
def test_an_agent_works_in_its_own_session(typed: Interlock, served: Home, work: Path) -> None:
    """Whatever is typed below its host is bound to it: begun, logged, handed over."""
    began = by_agent(served, "effort", "start", "cart", "fix", "--json")
    logged = by_agent(served, "effort", "log", "looked")
    dehydrated = by_agent(served, "session", "dehydrate", stdin=json.dumps(PAYLOAD).encode())
    (row,) = typed("session", "list", "--all", "--json").documents

    assert began.document["session"]["host_session_id"] == "s-agent"
    assert logged.code == 0, logged.err
    assert "session 1 is dehydrated and has ended" in dehydrated.out
    assert (row["host_session_id"], row["open"], row["end_reason"]) == ("s-agent", False, "dehydrated")
    assert {entry.actor for entry in served.entries("work")} == {"agent:main"}
    assert "nextSteps: more" in typed("session", "show", "s-ag").out
    resumed = by_agent(served, "effort", "resume")
    assert "effort e1 (fix) resumed in session 2" in resumed.out
    assert "### Next steps\n1. more" in resumed.out
    assert [agent["agent"] for agent in typed("agents", "--json").documents] == ["s-agent"]


def test_what_an_agent_may_not(typed: Interlock, served: Home, work: Path, tmp_path: Path) -> None:
    """Settings of an effort, folders outside its project, and what was said elsewhere are not its own."""
    outside = tmp_path.parent / f"{tmp_path.name}-outside"
    effort = ("effort", "start", "cart", "fix", "--json")
    assert refused(by_agent(served, *effort, "--meta", "blockAfter=1000")) == "VALIDATION_ERROR"
    assert refused(by_agent(served, "effort", "start", str(outside), "fix", "--json")) == "VALIDATION_ERROR"
    assert refused(by_agent(served, "effort", "start", ".interlock/x", "fix", "--json")) == "VALIDATION_ERROR"
    assert not outside.exists()
    typed(*effort)
    other = messages_of(served, "u-9", ["secret plan"])

    assert by_agent(served, "messages", str(other), "--json").document["error"] == "NOT_YOURS"
    shown = by_agent(served, "session", "show", str(other), "--json").document
    assert (shown["message_count"], shown["messages"]) == (1, [])
    assert "secret plan" in typed("messages", str(other)).out
    assert "secret plan" in typed("session", "show", str(other)).out


@pytest.mark.req("E13", "E17")
def test_an_agent_changes_no_other_projects_effort(typed: Interlock, served: Home, work: Path) -> None:
    """Neither by its number nor by going to its folder; a person may, and an agent's own stays its own.

    The host that reports to this daemon is at work in another folder than the one where this is typed.
    """
    typed("effort", "start", "cart", "fix")
    for words in (
        ("effort", "finish", "e1"),
        ("effort", "finish", "1"),
        ("effort", "resume", "e1"),
        ("effort", "resume", "--task", "cart"),
        ("effort", "phase", "1: Look", "--effort", "e1"),
        ("effort", "log", "mine now", "--effort", "e1"),
    ):
        assert refused(by_agent(served, *words, "--json")) == "NOT_YOURS", words
    assert refused(by_agent(served, "effort", "resume", "--json")) == "NO_EFFORT"
    assert refused(by_agent(served, "effort", "finish", "--json")) == "NO_EFFORT"
    by_agent(served, "effort", "start", "cart", "fix")
    assert by_agent(served, "effort", "finish", "e2").out == "effort e2 (fix) is finished\n"
    assert typed("effort", "finish", "e1").code == 0


@pytest.mark.req("E13", "E45")
def test_an_effort_has_one_number(typed: Interlock, served: Home, work: Path) -> None:
    """Its own, as in `e3`: the second effort of a task is called nothing else anywhere, and taken by it."""
    for folder, skill in (("other", "look"), ("cart", "fix"), ("cart", "fix")):
        typed("effort", "start", folder, skill)
    assert typed("effort", "list").out.splitlines()[1].split()[:3] == ["e3", "fix", "active"]
    assert typed("effort", "show", "e3").out.startswith("effort e3: fix (active)")
    assert typed("effort", "log", "x", "--effort", "e3").out.split(":")[0].endswith("/cart/2_FIX_LOG.md")
    assert typed("messages", "--effort", "e3").code == 0
    assert typed("session", "list", "--effort", "e3").code == 0
    number = messages_of(served, "u-5", [])
    assert "effort e3 (fix) resumed" in typed("effort", "resume", "e3", "--session", str(number)).out
    assert "e3 fix" in typed("session", "list").out
    assert "effort: e3 fix" in typed("session", "show", str(number)).out
    assert "effort e3 (`fix`)" in restart_of(typed, number)
    assert refused(typed("effort", "show", "third", "--json")) == "VALIDATION_ERROR"


def restart_of(typed: Interlock, number: int) -> str:
    """The prompt the agent after a handover is started with."""
    typed("session", "dehydrate", json.dumps(PAYLOAD), "--session", str(number))
    return str(typed("session", "show", str(number), "--json").document["restart_prompt"])


def messages_of(home: Home, window: str, texts: list[str]) -> int:
    """A session in which something was said, put there as hooks would."""
    with closing(open_database(home.places.database, busy_seconds=5)) as connection:
        ledger = LedgerWriter(connection)
        work = WorkStore(connection, ledger)
        with work.step():
            session = work.sessions.start(host="claude-code", host_session_id=window)
            work.messages.add_many(session.id, [("user", text, None, None) for text in texts])
        ledger.append("work", "system", "", {})
        ledger.flush()
    return session.id


def test_messages_come_in_pages(typed: Interlock, served: Home) -> None:
    """The oldest first, and every character can be seen."""
    name = str(messages_of(served, "u-1", ["one", "two\x1b[31m", "three\nlines\nof\ntext"]))
    typed("effort", "list")
    page = typed("messages", name, "--limit", "2", "--json").documents

    assert [row["content"] for row in page] == ["two\x1b[31m", "three\nlines\nof\ntext"]
    before = typed("messages", name, "--before", str(page[0]["id"]), "--json").documents
    assert [row["content"] for row in before] == ["one"]
    told = typed("messages", name).out
    assert "\x1b" not in told
    assert "  | of" in told
    assert "… 1 more lines" in typed("session", "show", name).out
    assert refused(typed("messages", "--json")) == "NO_SESSION"
    assert refused(typed("session", "show", "nope", "--json")) == "NOT_FOUND"


def test_a_person_speaks_for_a_session(typed: Interlock, served: Home) -> None:
    """By its number, the beginning of the host's id, or the agent's name."""
    typed("effort", "start", "cart", "fix")
    number = messages_of(served, "u-77", [])
    resumed = typed("effort", "resume", "1", "--session", "u-7", "--json").document
    done = typed("session", "dehydrate", json.dumps(PAYLOAD), "--session", str(number))

    assert (resumed["session"]["id"], resumed["session"]["effort_id"]) == (number, 1)
    assert done.code == 0, done.err
    assert typed("effort", "log", "by hand", "--agent", "u-77").code == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("effort", "show"), "interlock: there is no effort here; "),
        (("effort", "resume"), "interlock: there is no effort here; "),
        (("effort", "start", "x", " "), "interlock: `skill` is empty; "),
        (("effort", "start", "x", "fix", "--meta", "nope"), "`nope` is not `NAME=JSON`"),
        (("effort", "phase", "1: A", "--proof", "{"), "`{` is not JSON"),
        (("effort", "log", ""), "there is nothing to log"),
        (
            (
                "effort",
                "log",
            ),
            "there is nothing to log",
        ),
        (("effort", "log", " "), "there is nothing to log"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_sentence(
    typed: Interlock, words: tuple[str, ...], said: str
) -> None:
    """With the next step, and an exit code for scripts."""
    done = typed(*words)

    assert done.code != 0
    assert said in done.err
    assert done.out == ""
    assert len(done.err.splitlines()) == 1


@pytest.mark.parametrize(
    "group",
    ["approvals", "commitment", "effort", "grants", "ledger", "receipts", "session", "task"],
)
def test_a_bare_group_lists(typed: Interlock, group: str) -> None:
    """What the daemon has, or that there is none."""
    bare = typed(group)

    assert (bare.code, bare.err) == (0, "")
    assert bare.out == typed(group, "list").out
    assert "Usage" not in bare.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("effort", "show", "9"), "there is no effort `e9`; run "),
        (("task", "show", "nowhere"), "`nowhere` is not a task; run "),
        (("session", "show", "nope"), "there is no session `nope`; run "),
        (("commitment", "show", "cmt_00000000"), "there is no memory, commitment or publication "),
        (("claim", "cmt_00000000"), "there is no commitment `cmt_00000000` in this workspace; "),
        (("approve", "cmt_00000000"), "there is no commitment `cmt_00000000` in this workspace; "),
        (("approve", "ap_9"), "there is no request `ap_9`; run "),
        (("approvals", "deny", "ap_9"), "there is no request `ap_9`; run "),
        (("approvals", "deny", "x"), "`x` is not a request; write it like "),
        (("grants", "show", "gr_9"), "there is no grant `gr_9`; run "),
        (("grants", "revoke", "gr_9"), "there is no grant `gr_9`; run "),
        (("receipts", "show", "tc_0000000000"), "there is no recorded call `tc_0000000000`; see "),
        (("ledger", "show", "17"), "there is no entry `17`; "),
        (("show", "17"), "there is no entry `17`; "),
        (("show", "e9"), "there is no effort `e9`; run "),
        (("show", "nothing-like-it"), "nothing has the ID `nothing-like-it`; use "),
        (("packs", "show", "nope"), "there is no pack `nope`"),
        (("hooks", "catalog", "nope"), "there is no hook `nope`; "),
    ],
)
def test_an_unknown_id_is_wrong_use_wherever_it_is_typed(
    typed: Interlock, words: tuple[str, ...], said: str
) -> None:
    """A plain sentence with the next step, and exit 2; the codes are for programs."""
    done = typed(*words)

    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"interlock: {said}")
    assert len(done.err.splitlines()) == 1


def test_a_log_that_cannot_be_written_is_said(typed: Interlock, work: Path) -> None:
    """And no other file is written in its place."""
    typed("effort", "start", "cart", "fix")
    victim = work / "victim"
    victim.write_text("mine\n")
    (work / "cart" / "1_FIX_LOG.md").symlink_to(victim)
    done = typed("effort", "log", "x")

    assert (done.code, victim.read_text()) == (1, "mine\n")
    assert "1_FIX_LOG.md` cannot be written" in done.err


def test_tables_fit_a_screen_of_80_columns(typed: Interlock, served: Home) -> None:
    """Long folders and ids give way; what people compare stays."""
    typed(
        "effort", "start", "a/very/long/folder/for/a/task/that/nobody/can/read", "implement", "--mode", "deep"
    )
    typed("effort", "phase", "1: A phase with a name that does not end")
    window = "0b5f9a3e-7c1d-4e8a-9a55-0123456789ab"
    number = messages_of(served, window, [])
    typed("effort", "resume", "1", "--session", str(number))
    for words in (("effort", "list"), ("task", "list"), ("session", "list"), ("agents",)):
        code, shown = at_terminal([SCRIPT, *words], env={**os.environ, "COLUMNS": "80", "NO_COLOR": "1"})
        lines = shown.replace("\r", "").splitlines()
        assert code == 0, shown
        assert len(lines) == 2, shown
        assert max(map(len, lines)) <= 80, shown


def test_everything_is_there_after_a_restart(typed: Interlock, served: Home) -> None:
    """Killed without warning; what was answered is there."""
    typed("effort", "start", "cart", "fix")
    typed("effort", "phase", "1: A")
    before: Any = typed("effort", "show", "1", "--json").document
    served.end()
    served.start()

    assert typed("effort", "show", "1", "--json").document == before


def skill_file(work: Path, name: str, phases: str) -> None:
    """A skill of the project that no host has told of."""
    folder = work / ".claude" / "skills" / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "SKILL.md").write_text(f"---\nname: {name}\nphases: {phases}\n---\n", encoding="utf-8")


@pytest.mark.req("E61")
def test_phases_go_by_the_skills_file_where_no_host_runs(typed: Interlock, work: Path) -> None:
    """Also when it has changed since; a phase out of order says what was expected and how to go there."""
    skill_file(work, "fix", "['1: Look', '2: Build']")
    typed("effort", "start", "t", "fix")
    skipped = typed("effort", "phase", "2: Build", "--json")
    assert refused(skipped) == "PHASE_NOT_SEQUENTIAL"
    assert "after the start comes `1: Look`" in skipped.document["message"]
    assert "--reason" in skipped.document["next"]
    assert refused(typed("effort", "phase", "3: Ship", "--json")) == "UNKNOWN_PHASE"
    skill_file(work, "fix", "['1: Look', '2: Build', '3: Ship']")
    for label in ("1: Look", "2: Build", "3: Ship"):
        assert typed("effort", "phase", label, "--proof", f"saw {label[3:]}").code == 0
    assert "is the last phase" in typed("effort", "phase", "1: Look", "--json").document["message"]
    assert "(proof: saw Build)" in typed("effort", "show").out


def test_a_skill_file_that_does_not_parse_is_told_and_stops_nothing(typed: Interlock, work: Path) -> None:
    """Where the effort begins and where it is shown, until the file is right."""
    skill_file(work, "fix", "[[[")
    began = typed("effort", "start", "t", "fix")
    assert began.code == 0
    for said in (began.out, typed("effort", "show").out, typed("effort", "resume").out):
        assert f"{work}/.claude/skills/fix/SKILL.md:" in said
        assert "correct this line" in said
    assert typed("effort", "phase", "7: Anything").code == 0
    skill_file(work, "fix", "['1: Look']")
    assert "SKILL.md" not in typed("effort", "show").out
