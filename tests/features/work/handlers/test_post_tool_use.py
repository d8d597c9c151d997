"""After a call that went well: what waits is given once, dialogues are kept, instructions found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.features.work.hooked import UUID, Hooked
from tests.features.work.place_of_work import window

ASKED: dict[str, Any] = {
    "tool_name": "AskUserQuestion",
    "tool_input": {
        "questions": [
            {"question": "Which one?", "options": [{"label": "A"}, {"label": "B"}]},
            {"question": "Why?", "options": []},
        ]
    },
    "tool_response": {"answers": {"Which one?": "B"}},
}
WAITING = [{"ruleId": "style", "content": "Two spaces."}, {"ruleId": "tone", "content": "Kind."}]


def reading(path: Path) -> dict[str, Any]:
    """A file that was read."""
    return {"tool_name": "Read", "tool_input": {"file_path": str(path)}}


@pytest.mark.req("E26")
def test_it_answers_with_these_fields(hooked: Hooked) -> None:
    """With an effort and without."""
    nothing = {"heartbeatCount": 0, "pendingInjections": [], "dialogueEntry": None}
    assert hooked.ask("PostToolUse", session_id="nobody") == nothing
    hooked.begun()
    hooked.calls(3)
    assert hooked.ask("PostToolUse") == {**nothing, "heartbeatCount": 3}


@pytest.mark.req("E25", "E39", "E52")
def test_what_waits_is_given_once_and_other_metadata_stays(hooked: Hooked) -> None:
    """In the answer, and as context for the model; then the effort has none."""
    metadata = {"pendingInjections": WAITING, "blockAfter": 7, "guards": []}
    hooked.begun(metadata=metadata)
    assert hooked.ask("PostToolUse")["pendingInjections"] == WAITING
    assert hooked.effort().metadata == {"blockAfter": 7, "guards": []}
    assert hooked.ask("PostToolUse")["pendingInjections"] == []

    hooked.work.efforts.set_metadata(1, metadata)
    said = hooked.tell("PostToolUse").context
    assert said == "[Directive: style]\nTwo spaces.\n\n[Directive: tone]\nKind."
    assert hooked.tell("PostToolUse").context is None


def test_what_waits_for_a_session_is_given_there_also_without_an_effort(hooked: Hooked) -> None:
    """As a coordinator's signals are."""
    session = window(hooked.work, UUID)
    hooked.work.sessions.set_pending(session.id, WAITING[:1])
    assert hooked.tell("PostToolUse").context == "[Directive: style]\nTwo spaces."
    assert hooked.session(session.id).pending_injections == ()


@pytest.mark.req("E25", "E44", "E52", "X25")
def test_a_question_to_the_person_is_kept_with_its_answer(hooked: Hooked) -> None:
    """Among the messages, in place of a file of dialogues; a missing answer is empty."""
    hooked.begun()
    entry = hooked.ask("PostToolUse", **ASKED)["dialogueEntry"]
    assert entry == {
        "preamble": "",
        "questions": [
            {"question": "Which one?", "options": ["A", "B"], "answer": "B"},
            {"question": "Why?", "options": [], "answer": ""},
        ],
    }
    (message,) = hooked.work.messages.of_session(1, 10)
    assert (message.role, message.tool_name) == ("dialogue", "AskUserQuestion")
    assert message.content == "Q: Which one?\nA: B\n\nQ: Why?\nA: (no answer)"


@pytest.mark.req("E52")
def test_a_question_is_kept_with_what_the_agent_said_before_it(hooked: Hooked, tmp_path: Path) -> None:
    """In the same message, which the client writes in several lines; nothing of an earlier message."""

    def line(message: str, block: dict[str, Any]) -> str:
        return json.dumps({"type": "assistant", "message": {"id": message, "content": [block]}})

    transcript = tmp_path / "t.jsonl"
    lines = (
        line("msg_1", {"type": "text", "text": "I begin."}),
        line("msg_2", {"type": "text", "text": "Two ways are open."}),
        line("msg_2", {"type": "tool_use", "id": "toolu_7", "name": "AskUserQuestion", "input": {}}),
    )
    transcript.write_text("\n".join(lines) + "\n")
    hooked.begun()
    call = {**ASKED, "tool_use_id": "toolu_7", "transcript_path": str(transcript)}
    assert hooked.ask("PostToolUse", **call)["dialogueEntry"]["preamble"] == "Two ways are open."
    (message,) = (one for one in hooked.work.messages.of_session(1, 10) if one.role == "dialogue")
    assert message.content.startswith("Two ways are open.\n\nQ: Which one?\nA: B")


@pytest.mark.req("E46", "E44", "E25")
def test_instructions_are_found_on_the_way_up_in_the_same_round_trip(hooked: Hooked) -> None:
    """From the touched file to the project's root; kept with effort and session, and told once."""
    hooked.begun()
    deep = hooked.folder / "src" / "parser"
    (deep / ".directives").mkdir(parents=True)
    (deep / ".directives" / "INVARIANTS.md").write_text("x")
    (hooked.folder / "AGENTS.md").write_text("y")
    (hooked.folder.parent / "AGENTS.md").write_text("outside the project")
    file = deep / "lexer.py"
    file.write_text("pass")
    found = [str(deep / ".directives" / "INVARIANTS.md"), str(hooked.folder / "AGENTS.md")]

    answer = hooked.ask("PostToolUse", **reading(file))
    (told,) = answer["pendingInjections"]
    assert told["ruleId"] == "directives"
    assert [line.removeprefix("- ") for line in told["content"].splitlines()[1:]] == found
    assert list(hooked.effort().discovered_directives) == found
    assert list(hooked.session(1).discovered_directives) == found
    assert hooked.ask("PostToolUse", **reading(deep / "other.py"))["pendingInjections"] == []


def test_files_that_were_read_are_known(hooked: Hooked) -> None:
    """By their real path, each once."""
    hooked.begun()
    file = hooked.folder / "a.py"
    file.write_text("pass")
    for _ in range(2):
        hooked.ask("PostToolUse", tool_name="Read", tool_input={"file_path": "./a.py"})
    hooked.ask("PostToolUse", tool_name="Write", tool_input={"file_path": "b.py"})
    assert hooked.session(1).loaded_files == (str(file.resolve()),)


@pytest.mark.req("E53")
def test_messages_come_from_the_transcript_a_piece_at_a_time(hooked: Hooked, tmp_path: Path) -> None:
    """Broken lines are passed over, a half-written last line waits, and nothing is kept twice."""
    hooked.begun()
    transcript = tmp_path / "t.jsonl"

    def line(text: str) -> str:
        return json.dumps({"type": "user", "message": {"role": "user", "content": text}})

    transcript.write_text(f"{line('one')}\n{{broken\n{line('two')}\n{line('three')[:20]}")
    for _ in range(2):
        hooked.ask("PostToolUse", transcript_path=str(transcript))
    assert hooked.said(1) == [("user", "one"), ("user", "two")]
    with transcript.open("a") as file:
        file.write(f"{line('three')[20:]}\n")
    hooked.ask("Stop", transcript_path=str(transcript))
    assert [text for _, text in hooked.said(1)] == ["one", "two", "three"]
    assert hooked.session(1).transcript_offset == transcript.stat().st_size


def test_what_is_said_in_sessions_at_work_on_nothing_is_not_kept(hooked: Hooked, tmp_path: Path) -> None:
    """It is nobody's business."""
    window(hooked.work, UUID)
    transcript = tmp_path / "t.jsonl"
    transcript.write_text(json.dumps({"type": "user", "message": {"role": "user", "content": "x"}}) + "\n")
    hooked.ask("PostToolUse", transcript_path=str(transcript))
    hooked.ask("Stop", transcript_path=str(transcript))
    assert hooked.said(1) == []


@pytest.mark.parametrize("path", ["/nowhere/t.jsonl", "/dev/zero", "/proc/self/mem", "\0", "/"])
def test_a_transcript_that_is_none_stops_nobody(hooked: Hooked, path: str) -> None:
    """Whatever stands in that field."""
    hooked.begun()
    for event in ("PreToolUse", "PostToolUse", "Stop", "SessionEnd"):
        assert hooked.ask(event, transcript_path=path)


def with_skill(hooked: Hooked) -> Path:
    """A skill with a template and a command, and a session at work with it."""
    home = hooked.folder / ".claude" / "skills" / "implement"
    home.mkdir(parents=True)
    (home / "LOG.md").write_text("## [what] so\n")
    (home / "SKILL.md").write_text(
        "---\nname: implement\ntemplates: [LOG.md]\ncmd_dependencies: [CMD_TEST, ../../CMD_AWAY]\n---\n"
    )
    commands = hooked.folder / ".directives" / "commands"
    commands.mkdir(parents=True)
    (commands / "CMD_TEST.md").write_text("Run make test.\n")
    (hooked.folder / "CMD_AWAY.md").write_text("elsewhere\n")
    hooked.begun()
    return home


@pytest.mark.req("E44")
@pytest.mark.parametrize(
    ("command", "rule", "text"),
    [
        ("interlock effort start task implement", "templates", "## [what] so"),
        ("interlock effort resume", "templates", "## [what] so"),
        ("interlock effort phase '1: Build'", "phase-commands", "Run make test."),
    ],
)
def test_a_begun_effort_brings_templates_and_a_phase_brings_commands(
    hooked: Hooked, command: str, rule: str, text: str
) -> None:
    """In the same round trip, each file once in a window, and none from elsewhere."""
    with_skill(hooked)
    typed: dict[str, Any] = {"tool_name": "Bash", "tool_input": {"command": command}}
    said = hooked.tell("PostToolUse", **typed).context
    assert said is not None
    assert said.startswith(f"[Directive: {rule}]\n[Files to preload]:\n")
    assert text in said
    assert "elsewhere" not in said
    assert hooked.tell("PostToolUse", **typed).context is None


@pytest.mark.parametrize(
    "command", ["interlock effort list", "interlock effort start x y; ls", "ls", "interlock effort log x"]
)
def test_other_commands_bring_nothing(hooked: Hooked, command: str) -> None:
    """Only the whole command that begins something."""
    with_skill(hooked)
    assert hooked.tell("PostToolUse", tool_name="Bash", tool_input={"command": command}).context is None
