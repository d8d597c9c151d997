"""A new window is told where the work stands, in the words the documents give."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest

from interlock.features.work.files import Payload, artifacts_in
from interlock.features.work.records import Effort, Session
from interlock.features.work.recovery_text import (
    Preload,
    context_line,
    files_block,
    join_parts,
    overflow_warning,
    recovery_block,
    rehydration_block,
    restart_prompt,
)

PAYLOAD = Payload(
    summary="Half done.",
    last_action="Wrote the lexer.",
    next_steps=("Write the parser.", "Test it."),
    required_files=("src/lexer.py",),
    handover_instructions="Leave main.py alone.",
    user_history=("Make it fast!", "And small."),
)


@pytest.mark.req("E54")
def test_the_context_line_has_the_form_of_the_document() -> None:
    """Time, session, skill, phase and heartbeat, in this order."""
    session = Session(id=7, host="claude-code", host_session_id="u", heartbeat_counter=3, created_at="")
    effort = Effort(id=1, task_id=1, skill="implement", ordinal=1, current_phase="2: Build", created_at="")
    line = context_line(session, effort, time="2026-01-31 12:00", block_after=10)
    assert line == (
        "[Session Context] Time: 2026-01-31 12:00 | Session: 7 | Skill: implement | Phase: 2: Build"
        " | Heartbeat: 3/10"
    )
    early = msgspec.structs.replace(effort, current_phase=None)
    assert "| Phase: none | Heartbeat: 3/5" in context_line(session, early, time="12:00", block_after=5)


@pytest.mark.req("E54")
def test_the_files_stand_under_their_names() -> None:
    """One that is not given is named all the same, and what is left out is counted."""
    block = files_block(
        [
            Preload(path="a.md", content="alpha\n"),
            Preload(path="b.md"),
            Preload(path="c.md", content="c", left_out=1_234),
        ]
    )
    assert block.startswith(
        "[Files to preload]:\n### a.md\nalpha\n\n### b.md\n(not included; read it yourself)"
    )
    assert "1,234 bytes left out" in block
    assert files_block([]) == ""


@pytest.mark.req("E54")
def test_the_recovery_block_holds_the_whole_payload() -> None:
    """Everything the last session left, under the document's heading."""
    block = recovery_block(PAYLOAD)

    assert block.startswith("## Session Recovery (Dehydrated Context)\n")
    for part in (
        "### Summary\nHalf done.",
        "### Last action\nWrote the lexer.",
        "### Next steps\n1. Write the parser.\n2. Test it.",
        "### Required files (read them before you go on)\n- src/lexer.py",
        "### Handover instructions\nLeave main.py alone.",
        "### What the user said\n- Make it fast!\n- And small.",
    ):
        assert part in block


def test_a_message_of_the_user_goes_in_word_by_word() -> None:
    """And what was not left is not spoken of."""
    short = Payload(
        summary="s", last_action="a", next_steps=("n",), required_files=(), user_history="Why  so\nslow?"
    )
    block = recovery_block(short)

    assert block.endswith("### What the user said\nWhy  so\nslow?")
    assert "Required files" not in block
    assert "Handover" not in block


@pytest.mark.req("E41")
def test_without_a_payload_the_files_of_the_effort_tell(tmp_path: Path) -> None:
    """The newest first, of a long one its end, and what does not fit by its name."""
    for age, (name, text) in enumerate(
        {
            "1_FIX_LOG.md": "old words " * 50 + "newest words",
            "1_FIX_PLAN.md": "the plan",
            "2_FIX_LOG.md": "no",
        }.items()
    ):
        (tmp_path / name).write_text(text)
        os.utime(tmp_path / name, (9_000 - age, 9_000 - age))
    block = rehydration_block(artifacts_in(str(tmp_path), 1), most=100)

    assert block.startswith("## Session Recovery")
    assert "newest words" in block
    assert "412 bytes left out" in block
    assert f"### Not shown\n- {tmp_path}/1_FIX_PLAN.md" in block
    assert "2_FIX" not in block
    whole = rehydration_block(artifacts_in(str(tmp_path), 1))
    assert whole.index("1_FIX_LOG.md") < whole.index("1_FIX_PLAN.md")
    assert rehydration_block(()) == ""


@pytest.mark.req("E41")
def test_the_restart_prompt_says_what_to_go_on_with() -> None:
    """With what the session left, or with where to look."""
    effort = Effort(id=16, task_id=1, skill="fix", ordinal=3, current_phase="2: Build", created_at="")
    left = restart_prompt(effort, "/t", PAYLOAD)
    nothing = restart_prompt(effort, "/t")

    assert "effort e16 (`fix`, phase `2: Build`) of the task in `/t`" in left
    assert left.endswith("Half done.\nNext: Write the parser.")
    assert "names begin with `3_`" in nothing


@pytest.mark.req("E40")
def test_the_overflow_warning_says_how_to_dehydrate() -> None:
    """The share that is full, the file, the members and the command; no text for a shell to quote."""
    warning = overflow_warning(0.914, "/opt/interlock", "/t/1 a.json")

    assert "91% full" in warning
    for word in ("summary", "lastAction", "nextSteps", "requiredFiles", "userHistory", "Write tool"):
        assert word in warning
    assert "`/t/1 a.json`" in warning
    assert "`/opt/interlock session dehydrate '/t/1 a.json'`" in warning
    assert "<<" not in warning


@pytest.mark.req("E37", "E40")
def test_a_sub_agent_with_a_full_window_is_told_to_report() -> None:
    """A handover would end the session of its parent."""
    warning = overflow_warning(0.914, "interlock", None)

    assert "report" in warning
    assert "dehydrate" not in warning


def test_parts_that_say_nothing_leave_no_gap() -> None:
    """Blank lines stand only between texts."""
    assert join_parts(["a", "", None, "b"]) == "a\n\nb"
