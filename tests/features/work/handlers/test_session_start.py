"""A window opens: always a new session, on the agent's own effort, with what the last one left behind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.features.work.hooked import UUID, Hooked
from tests.features.work.place_of_work import begun, window

from interlock.features.work.settings import WorkRules

PAYLOAD: dict[str, Any] = {
    "summary": "The parser is half done.",
    "lastAction": "Wrote the lexer.",
    "nextSteps": ["Write the parser", "Test it"],
    "requiredFiles": ["notes.md"],
}
FIELDS = [
    "found",
    "effortId",
    "sessionId",
    "skill",
    "phase",
    "filesToPreload",
    "dehydratedContext",
    "skillConfig",
]


def skill(folder: Path, name: str = "implement", body: str = "") -> Path:
    """A skill of the project, with a template beside it."""
    home = folder / ".claude" / "skills" / name
    (home / "assets").mkdir(parents=True)
    (home / "assets" / "TEMPLATE_LOG.md").write_text("# how a log looks\n")
    text = body or 'phases: ["0: Setup", "1: Build"]\ntemplates: [assets/TEMPLATE_LOG.md]\n'
    (home / "SKILL.md").write_text(f"---\nname: {name}\n{text}---\nDo it.\n")
    return home


@pytest.mark.req("E19")
def test_it_answers_with_these_fields_and_no_other(hooked: Hooked) -> None:
    """With an effort and without."""
    assert list(hooked.ask("SessionStart")) == FIELDS
    hooked.begun()
    assert list(hooked.ask("SessionStart", model="m", agent_type="main")) == FIELDS


@pytest.mark.req("E19", "E4", "X20", "X24")
def test_every_window_is_a_new_session_of_the_effort(hooked: Hooked) -> None:
    """Also when one is open already: it is ended, linked and never resumed."""
    effort, first = hooked.begun()
    for source in ("startup", "resume", "clear", "compact"):
        answer = hooked.ask("SessionStart", source=source)
        assert (answer["found"], answer["effortId"]) == (True, effort.id)
        assert answer["sessionId"] > first.id
        second = hooked.session(answer["sessionId"])
        assert (second.prev_session_id, second.effort_id, second.ended_at) == (first.id, effort.id, None)
        assert hooked.session(first.id).ended_at is not None
        first = second


@pytest.mark.req("E16", "E17", "E19")
def test_an_agent_with_a_name_goes_on_with_its_own_effort(hooked: Hooked) -> None:
    """`AGENT_ID` of the request picks it, not the latest of the project; without it the latest counts."""
    own, _ = hooked.begun("u-ann")
    hooked.work.agents.register("ann", effort_id=own.id)
    latest = begun(hooked.work, hooked.folder, "fix")

    named = hooked.ask("SessionStart", agent="ann", session_id="u-2")
    assert (named["effortId"], named["skill"]) == (own.id, "implement")
    plain = hooked.ask("SessionStart", session_id="u-3")
    assert (plain["effortId"], plain["skill"]) == (latest.id, "fix")
    assert hooked.ask("SessionStart", agent="bob", session_id="u-4")["effortId"] is None


@pytest.mark.req("E17")
def test_two_agents_of_one_project_keep_their_efforts_apart(hooked: Hooked) -> None:
    """A window without a name does not take what a living host is at work on, and finds its own again."""
    hooked.work.alive = lambda session: session in {"u-a", "u-b"}
    one = begun(hooked.work, hooked.folder)
    assert hooked.ask("SessionStart", session_id="u-a")["effortId"] == one.id
    two = begun(hooked.work, hooked.folder)
    assert hooked.ask("SessionStart", session_id="u-b")["effortId"] == two.id
    assert hooked.ask("SessionStart", session_id="u-c")["effortId"] is None
    hooked.ask("PreCompact", session_id="u-a")
    assert hooked.ask("SessionStart", session_id="u-a", source="compact")["effortId"] == one.id


@pytest.mark.req("E18")
def test_without_an_effort_there_is_a_session_and_nothing_is_said(hooked: Hooked) -> None:
    """Nulls, no error, no context; the agent shows in the fleet by the name of its folder."""
    answer = hooked.ask("SessionStart")
    assert answer == {
        "found": False,
        "effortId": None,
        "sessionId": 1,
        "skill": None,
        "phase": None,
        "filesToPreload": [],
        "dehydratedContext": None,
        "skillConfig": None,
    }
    assert hooked.tell("SessionStart").context is None
    agent = hooked.work.agents.get(UUID)
    assert agent is not None
    assert (agent.label, agent.host_session_id) == ("project", UUID)


@pytest.mark.req("E9", "E19", "E38", "E54")
def test_files_to_preload_are_named_in_the_answer_and_read_by_the_hook(hooked: Hooked) -> None:
    """The skill's templates and the effort's directives; what was read counts as preloaded."""
    home = skill(hooked.folder)
    effort, _ = hooked.begun()
    directive = hooked.folder / "AGENTS.md"
    directive.write_text("Never push on Fridays.\n")
    hooked.work.efforts.add_directives(effort.id, [str(directive)])

    answer = hooked.ask("SessionStart")
    assert answer["filesToPreload"] == [str(home / "assets" / "TEMPLATE_LOG.md"), str(directive)]
    assert answer["skillConfig"]["phases"] == ["0: Setup", "1: Build"]
    said = hooked.tell("SessionStart").context
    assert said is not None
    assert said.startswith("[Session Context] Time: 2026-01-01T00:00:00.000Z | Session: 3 | Skill: implement")
    assert "Phase: none | Heartbeat: 0/10\n\n[Files to preload]:\n" in said
    assert "# how a log looks" in said
    assert "Never push on Fridays." in said
    assert hooked.session(3).preloaded_files == tuple(answer["filesToPreload"])


def test_preloading_keeps_within_its_bytes(hooked: Hooked) -> None:
    """What is left out is said, and does not count as read."""
    effort, _ = hooked.begun()
    (hooked.folder / "AGENTS.md").write_text("x" * 5_000)
    hooked.work.efforts.add_directives(effort.id, [str(hooked.folder / "AGENTS.md")])
    hooked.rules = WorkRules(preload_bytes=100)

    said = hooked.tell("SessionStart").context
    assert said is not None
    assert "4,900 bytes left out" in said
    assert len(said) < 600
    assert hooked.session(2).preloaded_files == ()


@pytest.mark.req("E9", "E38", "E40", "E41", "X41")
def test_the_payload_of_the_session_before_is_the_recovery(hooked: Hooked) -> None:
    """Of the one before, not of the new one, which had no time to leave anything."""
    effort, first = hooked.begun()
    (hooked.folder / "notes.md").write_text("Grammar: LL(1)\n")
    hooked.work.sessions.dehydrate(first.id, PAYLOAD)

    said = hooked.tell("SessionStart").context
    assert said is not None
    assert "## Session Recovery (Dehydrated Context)" in said
    assert "The parser is half done." in said
    assert "1. Write the parser" in said
    assert "- notes.md" in said
    assert "Grammar: LL(1)" not in said, "no rule has judged the reading of a file that an agent named"
    assert hooked.session(2).prev_session_id == first.id
    hooked.work.sessions.dehydrate(2, PAYLOAD)
    answer = hooked.ask("SessionStart")
    assert answer["dehydratedContext"] == PAYLOAD
    assert answer["filesToPreload"] == []
    assert answer["effortId"] == effort.id


@pytest.mark.req("E9", "E41")
def test_without_a_payload_the_efforts_own_files_tell(hooked: Hooked) -> None:
    """The files that begin with its ordinal, and no other effort's."""
    hooked.begun()
    (hooked.folder / "task" / "1_IMPLEMENT_LOG.md").write_text("## Lexer\nIt works.\n")
    (hooked.folder / "task" / "2_FIX_LOG.md").write_text("## Foreign\n")

    said = hooked.tell("SessionStart").context
    assert said is not None
    assert "## Session Recovery (from the effort's files)" in said
    assert "It works." in said
    assert "Foreign" not in said


def test_the_first_session_of_an_effort_recovers_nothing(hooked: Hooked) -> None:
    """There is none before it."""
    begun(hooked.work, hooked.folder)
    (hooked.folder / "task" / "1_IMPLEMENT_LOG.md").write_text("## Lexer\n")
    said = hooked.tell("SessionStart").context
    assert said is not None
    assert "Recovery" not in said


def test_what_an_older_version_left_and_nobody_understands_counts_as_nothing(hooked: Hooked) -> None:
    """The session starts all the same."""
    _, first = hooked.begun()
    hooked.work.sessions.dehydrate(first.id, {"was": 1})
    answer = hooked.ask("SessionStart")
    assert (answer["found"], answer["dehydratedContext"]) == (True, None)


def test_a_skill_that_does_not_parse_stops_nothing(hooked: Hooked) -> None:
    """The effort goes on without what its file would say."""
    skill(hooked.folder, body="phases: [[[\n")
    hooked.begun()
    answer = hooked.ask("SessionStart")
    assert (answer["found"], answer["skillConfig"]) == (True, None)


def test_a_window_reads_its_skill_anew(hooked: Hooked) -> None:
    """Files change while no host runs to tell of it; one that is broken by now leaves what was known."""
    home = skill(hooked.folder)
    hooked.begun()
    hooked.ask("SessionStart")
    for text, phases in (('phases: ["0: New"]', ["0: New"]), ("phases: [[[", ["0: New"])):
        (home / "SKILL.md").write_text(f"---\nname: implement\n{text}\n---\n")
        assert hooked.ask("SessionStart")["skillConfig"]["phases"] == phases


def test_panes_of_tmux_are_known_from_the_start(hooked: Hooked) -> None:
    """Who colours them needs to find them."""
    hooked.tell("SessionStart", env={"TMUX": "/tmp/tmux-1/default,7,0", "TMUX_PANE": "%3"})
    agent = hooked.work.agents.get(UUID)
    assert agent is not None
    assert (agent.pane, agent.tmux) == ("%3", "/tmp/tmux-1/default,7,0")


def test_an_effort_has_one_agent(hooked: Hooked) -> None:
    """Whoever takes it up is at work on it, and the one before is not."""
    effort, _ = hooked.begun("u-old")
    hooked.ask("SessionStart", session_id="u-new")
    old, new = hooked.work.agents.get("u-old"), hooked.work.agents.get("u-new")
    assert old is not None
    assert new is not None
    assert (old.effort_id, new.effort_id) == (None, effort.id)


def test_a_window_in_a_folder_nobody_knows_is_fine(hooked: Hooked) -> None:
    """No project, no effort, no error."""
    window(hooked.work, "u-1")
    assert hooked.ask("SessionStart", cwd="/nowhere/at/all")["found"] is False
