"""Acceptance: work that outlives a context window, with the real client from one window to the next."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from clients.claude_code import Run, run_claude
from clients.interlock_home import PROGRAM, InterlockHome, of_event
from clients.turns import Blocks, Fail, Tokens, Turn, bash, say, use

START = bash("interlock effort start tasks/parser implement")
LOG = "tasks/parser/1_IMPLEMENT_LOG.md"
BLOCKED = "heartbeat-block"
RECOVERED = "## Session Recovery (Dehydrated Context)"
REHYDRATED = "## Session Recovery (from the effort's files)"
OVERFLOW = "[Context overflow]"
LEFT: dict[str, Any] = {
    "summary": "Half of the parser is done.",
    "lastAction": "Wrote the lexer.",
    "nextSteps": ["Write the grammar.", "Test it."],
    "requiredFiles": ["src/lexer.py"],
    "userHistory": "Make it fast, please!",
}
TOO_LONG = Fail(
    status=400,
    kind="invalid_request_error",
    message="prompt is too long: 210000 tokens > 200000 maximum",
)


@pytest.fixture
def interlock(home: Path) -> Iterator[InterlockHome]:
    """Interlock installed for the user of this home, with the pack that keeps the state of work."""
    installed = InterlockHome(home=home)
    installed.policy(settings={"packs": ["work"], "work": {"block_after": 4}})
    try:
        installed.install()
        yield installed
    finally:
        installed.end()


def run(
    project: Path,
    interlock: InterlockHome,
    *turns: Turn,
    agent: str | None = None,
    agents: Mapping[str, Sequence[Turn]] | None = None,
    on_path: bool = True,
) -> Run:
    """A session in which the agent can call `interlock` as people do, under a name where it has one."""
    env = {"INTERLOCK_HOME": str(interlock.folder), "PATH": f"{PROGRAM.parent}:{os.defpath}"}
    env = env if on_path else {}
    if agent is not None:
        env["AGENT_ID"] = agent
    return run_claude(project, interlock.home, turns, agents=agents, env=env)


def rows(interlock: InterlockHome, *words: str) -> list[dict[str, Any]]:
    """What a command lists, oldest first."""
    lines = interlock.call(*words, "--json").stdout.splitlines()
    return sorted(map(json.loads, lines), key=lambda row: int(row["id"]))


def sessions(interlock: InterlockHome) -> list[dict[str, Any]]:
    """Every session there was."""
    return rows(interlock, "session", "list", "--all")


def first_seen(session: Run) -> str:
    """All the model was shown before it said anything."""
    return session.conversation()[0].said()


@pytest.mark.req("E39", "E48")
def test_the_heartbeat_block_reaches_the_model_and_a_log_entry_frees_it(
    project: Path, interlock: InterlockHome
) -> None:
    """The fourth call without a word is denied with what to do; only a log entry on its own is one."""
    steps = [bash(f"echo step {n}") for n in range(1, 5)]
    trick = bash("interlock effort log x; touch tricked.txt")
    freeing = bash("interlock effort log 'Found the lexer.'")
    told = run(project, interlock, START, *steps, trick, freeing, bash("echo on"), say("bye"))
    began, one, two, three, blocked, tricked, logged, on = told.tool_results()

    assert "effort e1 (implement) started" in began
    assert (one, two, three, on) == ("step 1", "step 2", "step 3", "on")
    assert blocked.startswith(f"Tool denied: {BLOCKED}: 4/4 tool calls without logging; ")
    assert '`interlock effort log "…"`' in blocked
    assert f"{BLOCKED}: 5/4" in tricked
    assert not (project / "tricked.txt").exists()
    assert LOG in logged
    assert "] Found the lexer.\n" in (project / LOG).read_text("utf-8")
    (row,) = sessions(interlock)
    assert row["heartbeat_counter"] == 1


@pytest.mark.req("E39", "E48", "E49")
def test_an_agent_whose_path_lacks_us_is_told_the_whole_path_and_gets_out(
    project: Path, interlock: InterlockHome
) -> None:
    """The installed command stands beside the shim and speaks for its home; the bare name is not found."""
    program = interlock.folder / "bin" / "interlock"
    told = run(
        project,
        interlock,
        bash(f"{program} effort start tasks/parser implement"),
        *(bash(f"echo step {n}") for n in range(1, 5)),
        bash("interlock effort log x"),
        bash(f"{program} effort log 'Found the lexer.'"),
        bash("echo on"),
        say("bye"),
        on_path=False,
    )
    *_, blocked, missing, logged, on = told.tool_results()

    assert f'`{program} effort log "…"`' in blocked
    assert "not found" in missing
    assert LOG in logged
    assert on == "on"


def test_without_the_pack_nothing_is_held(project: Path, interlock: InterlockHome) -> None:
    """The control: the same calls in the same client, and none is counted."""
    interlock.policy()
    free = run(project, interlock, START, *(bash(f"echo step {n}") for n in range(1, 8)), say("bye"))

    assert free.tool_results()[1:] == [f"step {n}" for n in range(1, 8)]


def test_a_session_without_an_effort_is_not_held_either(project: Path, interlock: InterlockHome) -> None:
    """The pack is on, but nobody said that this is work to be logged."""
    free = run(project, interlock, *(bash(f"echo step {n}") for n in range(1, 8)), say("bye"))

    assert free.tool_results() == [f"step {n}" for n in range(1, 8)]
    assert "[Session Context]" not in free.said()


@pytest.mark.req("E38", "E54", "E55")
def test_what_a_session_left_is_in_the_first_request_of_the_next(
    project: Path, interlock: InterlockHome
) -> None:
    """Its payload once, then the effort's own files; the directives it found come along."""
    (project / "src").mkdir()
    (project / "src" / "lexer.py").write_text("TOKENS = 1\n", encoding="utf-8")
    (project / "AGENTS.md").write_text("Use tabs, never blanks.\n", encoding="utf-8")
    dehydrate = bash(f"interlock session dehydrate <<'END'\n{json.dumps(LEFT)}\nEND")
    read = use("Read", file_path=str(project / "src" / "lexer.py"))
    first = run(project, interlock, START, read, dehydrate, say("bye"))
    assert "Session Recovery" not in first.said()
    assert "[Session Context]" not in first_seen(first)
    assert f"- {project}/AGENTS.md" in first.said()
    assert "the next session of its effort starts with it" in first.tool_results()[2]

    second = run(project, interlock, bash("interlock effort log 'Grammar written.'"), say("bye"))
    seen = first_seen(second)
    assert seen.count(RECOVERED) == 1
    for text in ("Half of the parser", "Wrote the lexer.", "1. Write the grammar.", "Make it fast, please!"):
        assert text in seen
    assert f"- {project}/src/lexer.py" in seen
    assert "TOKENS = 1" not in seen
    assert f"[Files to preload]:\n### {project}/AGENTS.md\nUse tabs, never blanks." in seen
    assert (
        seen.count("| Session: 2 | Skill: implement | Phase: none | Heartbeat: 0/4") == 2
    )  # start and prompt

    third = first_seen(run(project, interlock, say("bye")))
    assert RECOVERED not in third
    assert third.count(REHYDRATED) == 1
    assert "] Grammar written." in third
    one, two, three = sessions(interlock)
    assert [row["prev_session_id"] for row in (one, two, three)] == [None, one["id"], two["id"]]
    assert [row["end_reason"] for row in (one, two)] == ["dehydrated", "other"]
    assert len({row["host_session_id"] for row in (one, two, three)}) == 3


@pytest.mark.req("E40")
def test_a_nearly_full_window_is_told_to_dehydrate(project: Path, interlock: InterlockHome) -> None:
    """By the counts in the client's own transcript: not at half of it, and not again at the same height."""
    half = (*bash("echo half"), Tokens(sent=100_000))
    # The client writes what we count from when it likes, so every turn says how full the window is.
    full, same = Tokens(sent=185_000), Tokens(sent=185_100)
    first = [(*bash("echo full"), full), (*bash("echo next"), full)]
    later = [
        bash("echo same"),
        bash("interlock effort log 'Still at it.'"),
        bash("echo same"),
        bash("echo end"),
    ]
    calm = run(project, interlock, START, half, bash("echo next"), say("bye"))
    assert OVERFLOW not in calm.said()

    warned = run(project, interlock, *first, *((*blocks, same) for blocks in later), say("bye"))
    said = warned.said()
    assert said.count(OVERFLOW) == 1
    assert f"{OVERFLOW} The context window is 92% full." in said
    assert f"`interlock session dehydrate {project}/tasks/parser/1_IMPLEMENT_HANDOVER_2.json`" in said
    assert not any("denied" in result for result in warned.tool_results())


@pytest.mark.req("E37")
def test_a_sub_agent_works_on_its_parents_effort_in_a_session_of_its_own(
    project: Path, interlock: InterlockHome
) -> None:
    """It is told of the effort, counts its own calls, and ends without ending its parent's session."""
    (project / "a.txt").write_text("alpha\n", encoding="utf-8")
    agent = use("Agent", description="look", prompt="SUBMARK look", subagent_type="general-purpose")
    inner = [
        use("Read", file_path=str(project / "a.txt")),
        *(bash(f"echo inner {n}") for n in range(1, 4)),
        bash("interlock effort log 'The sub-agent saw it.'"),
        bash("echo freed"),
        say("sub done"),
    ]
    ran = run(
        project,
        interlock,
        START,
        bash("echo before"),
        agent,
        bash("echo after"),
        say("bye"),
        agents={"SUBMARK": inner},
    )
    sub = ran.tool_results("SUBMARK")
    told = ran.conversation("SUBMARK")[0].said()

    assert "[Effort] You work for effort e1 (`implement`)." in told
    assert [n for n, result in enumerate(sub) if BLOCKED in result] == [3]
    assert sub[-1] == "freed"
    assert ran.tool_results()[-1] == "after"
    assert "] The sub-agent saw it.\n" in (project / LOG).read_text("utf-8")
    main, inside = sessions(interlock)
    assert (main["agent_id"], main["end_reason"]) == (None, "other")
    assert inside["agent_id"]
    assert inside["end_reason"] == "subagent_stop"
    assert main["effort_id"] == inside["effort_id"] == 1
    assert main["host_session_id"] == inside["host_session_id"]
    effort = json.loads(interlock.call("effort", "show", "1", "--json").stdout)
    assert effort["metadata"]["loadedFiles"] == [str(project / "a.txt")]


@pytest.mark.req("E21", "E41")
def test_an_automatic_compaction_ends_the_session_and_the_next_window_goes_on(
    project: Path, interlock: InterlockHome
) -> None:
    """Two windows in one process: the second is a new session on the same effort, told from its files."""
    interlock.policy(settings={"packs": ["work"], "work": {"block_after": 20}})
    log = bash("interlock effort log 'Counted to five.'")
    counting = [bash(f"echo {n}") for n in range(6)]
    summary = say("<summary>Five numbers were counted.</summary>")
    ran = run(project, interlock, START, log, *counting, TOO_LONG, summary, bash("echo after"), say("bye"))

    assert (ran.exit_code, ran.left) == (0, 0)
    assert ran.tool_results()[-1] == "after"
    before, after = sessions(interlock)
    assert (before["end_reason"], after["prev_session_id"]) == ("compaction", before["id"])
    assert before["host_session_id"] == after["host_session_id"]
    assert before["effort_id"] == after["effort_id"] == 1
    assert (before["heartbeat_counter"], after["heartbeat_counter"]) == (6, 1)
    assert before["restart_prompt"].startswith("Continue effort e1 (`implement`) of the task in")
    resumed = ran.conversation()[-1].said()
    assert resumed.count(REHYDRATED) == 1
    assert "] Counted to five." in resumed
    (compacted,) = of_event(interlock.ledger(), "PreCompact")
    assert compacted["decision"] == "allow"


@pytest.mark.req("E17")
def test_an_agent_with_a_name_goes_on_with_its_own_effort(project: Path, interlock: InterlockHome) -> None:
    """Not with the project's latest, which another agent is at."""
    for name, skill in (("alice", "brainstorm"), ("bob", "implement")):
        start = bash(f"interlock effort start tasks/parser {skill}")
        run(
            project,
            interlock,
            start,
            bash(f"interlock effort log 'Notes of {name}.'"),
            say("bye"),
            agent=name,
        )
    again = first_seen(run(project, interlock, say("bye"), agent="alice"))

    assert "| Skill: brainstorm |" in again
    assert "] Notes of alice." in again
    assert "Notes of bob." not in again
    assert (project / "tasks/parser/2_IMPLEMENT_LOG.md").exists()
    fleet = [json.loads(line) for line in interlock.call("agents", "--json").stdout.splitlines()]
    assert {row["agent"]: row["skill"] for row in fleet} == {"alice": "brainstorm", "bob": "implement"}


def test_a_session_gate_asks_for_an_effort_first(project: Path, interlock: InterlockHome) -> None:
    """Where people want it: no call before the work has a name, and the call that names it is free."""
    interlock.policy(settings={"packs": ["work"], "work": {"session_gate": "deny"}})
    gated = run(project, interlock, bash("echo early"), START, bash("echo now"), say("bye"))
    early, began, now = gated.tool_results()

    assert "session-gate" in early
    assert "`interlock effort start TASK SKILL`" in early
    assert "effort e1 (implement) started" in began
    assert now == "now"


def test_a_second_window_leaves_the_effort_of_a_living_one_alone(
    project: Path, interlock: InterlockHome
) -> None:
    """Two agents without names in one project: the second takes up the effort only once the first is gone."""
    inside: list[Run] = []

    def another() -> Blocks:
        inside.append(run(project, interlock, *(bash(f"echo other {n}") for n in range(6)), say("bye")))
        return bash("echo mine")

    first = run(project, interlock, START, bash("echo one"), another, say("bye"))
    after = run(project, interlock, say("bye"))
    (other,) = inside

    assert first.tool_results()[1:] == ["one", "mine"]
    assert other.tool_results() == [f"other {n}" for n in range(6)]
    assert "[Session Context]" not in other.said()
    assert "| Skill: implement |" in first_seen(after)


def test_the_count_outlives_the_daemon(project: Path, interlock: InterlockHome) -> None:
    """Killed between two calls, it counts on where it was, and nothing is counted twice."""

    def killed() -> Blocks:
        interlock.kill_daemon()
        return bash("echo two")

    steps = [bash("echo three"), bash("echo four")]
    ran = run(project, interlock, START, bash("echo one"), killed, *steps, say("bye"))

    assert ran.tool_results()[1:4] == ["one", "two", "three"]
    assert f"{BLOCKED}: 4/4" in ran.tool_results()[4]


def test_calls_made_at_once_count_one_by_one(project: Path, interlock: InterlockHome) -> None:
    """Four in one message are four, and the fourth waits."""
    four = tuple(block for n in range(4) for block in bash(f"echo at once {n}"))
    ran = run(project, interlock, START, four, bash("interlock effort log 'All four.'"), say("bye"))
    results = ran.tool_results()[1:5]

    assert sum(BLOCKED in result for result in results) == 1
    assert sum(result.startswith("at once") for result in results) == 3
