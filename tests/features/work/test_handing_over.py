"""Laws of the handover: it is given until somebody goes on from it, and what it names is there."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import msgspec
import pytest
from tests.features.work.hooked import UUID, Hooked
from tests.features.work.place_of_work import begun, window

from interlock.features.work.effort_operations import Caller, EffortOperations
from interlock.features.work.files import Payload
from interlock.features.work.records import Code, RefusedError
from interlock.features.work.recovery_text import recovery_for
from interlock.features.work.store import WorkStore
from interlock.store.migrations import split, steps

LEFT = Payload(summary="Half done.", last_action="A test.", next_steps=("More.",), required_files=())
AGAIN = "ended without writing anything down"


def hand_over(hooked: Hooked, host: str = UUID, **said: object) -> None:
    """What an agent does whose window is nearly full."""
    payload = msgspec.structs.replace(LEFT, **said)
    with hooked.work.step():
        EffortOperations(hooked.work).dehydrate(Caller(host_session_id=host, cwd=str(hooked.folder)), payload)


def started(hooked: Hooked, host: str) -> str:
    """All that a new session is told."""
    told = hooked.tell("SessionStart", session_id=host).context
    assert told is not None
    return told


@pytest.mark.req("E38", "E40", "X41")
def test_a_handover_is_given_until_a_session_has_written_something_down(hooked: Hooked) -> None:
    """A start that came to nothing loses nothing, also after some calls; a log entry is what ends it."""
    effort, _ = hooked.begun()
    hand_over(hooked)

    first = started(hooked, "u-2")
    hooked.calls(2, session_id="u-2")
    second, third = started(hooked, "u-3"), started(hooked, "u-3")
    assert all("Half done." in said for said in (first, second, third))
    assert [AGAIN in said for said in (first, second, third)] == [False, True, True]
    assert hooked.ask("SessionStart", session_id="u-4")["dehydratedContext"]["summary"] == "Half done."

    with hooked.work.step():
        EffortOperations(hooked.work).log(Caller(host_session_id="u-4"), "went on")
    assert "Half done." not in started(hooked, "u-5")
    assert hooked.work.sessions.handover(effort.id) is None


@pytest.mark.req("E41")
def test_what_ends_a_handover_is_done_in_a_session_of_its_effort(hooked: Hooked) -> None:
    """A phase counts; a last word of the window that left it, or of another effort, does not."""
    effort, _ = hooked.begun()
    hand_over(hooked)
    deeds = EffortOperations(hooked.work)
    with hooked.work.step():
        deeds.log(Caller(host_session_id=UUID), "one more thing")
    assert "Half done." in started(hooked, "u-2")

    other = begun(hooked.work, hooked.folder, "fix")
    window(hooked.work, "u-other", other)
    with hooked.work.step():
        deeds.log(Caller(host_session_id="u-other"), "something else")
    assert hooked.work.sessions.handover(effort.id) is not None

    with hooked.work.step():
        deeds.enter(Caller(host_session_id="u-2"), "1: Build")
    assert hooked.work.sessions.handover(effort.id) is None


def test_the_latest_handover_is_the_one_that_counts(hooked: Hooked) -> None:
    """Also of a window that was there before the earlier one's and joined the effort later."""
    window(hooked.work, "u-early")
    effort, _ = hooked.begun()
    hand_over(hooked)
    with hooked.work.step():
        EffortOperations(hooked.work).resume(
            Caller(host_session_id="u-early", cwd=str(hooked.folder)), effort.id
        )
    hand_over(hooked, "u-early", summary="Nearly done.")

    told = started(hooked, "u-3")
    assert "Nearly done." in told
    assert "Half done." not in told


@pytest.mark.req("E41")
def test_a_restart_and_a_resume_know_of_a_handover_that_stands(hooked: Hooked) -> None:
    """However the session in between came to its end."""
    effort, _ = hooked.begun()
    hand_over(hooked)
    started(hooked, "u-2")
    prompt = hooked.ask("PreCompact", session_id="u-2")["restartPrompt"]

    assert prompt.endswith("Half done.\nNext: More.")
    assert "Half done." in recovery_for(hooked.work, effort, None)


@pytest.mark.req("E64")
def test_a_handover_names_files_by_paths_that_lead_there(work: WorkStore, tmp_path: Path) -> None:
    """From the folder of the agent's shell or from its project; what does not exist is refused by name."""
    project, shell = tmp_path / "project", tmp_path / "project" / "src"
    shell.mkdir(parents=True)
    (shell / "lexer.py").touch()
    (project / "README.md").touch()
    deeds, who = EffortOperations(work), Caller(host_session_id="u-1", cwd=str(shell))
    window(work, "u-1", begun(work, project))
    wrong = msgspec.structs.replace(LEFT, required_files=("lexer.py", "lexr.py", "/nowhere/x"))
    with pytest.raises(RefusedError) as caught:
        deeds.dehydrate(who, wrong)
    assert caught.value.code == Code.BAD_PAYLOAD
    assert str(caught.value).startswith(
        "BAD_PAYLOAD: `requiredFiles` names what does not exist: `lexr.py`, `/nowhere/x`; name files that"
    )
    assert work.sessions.open_of("u-1") is not None

    named = ("lexer.py", "README.md", f"{project}/README.md", "../src")
    kept = deeds.dehydrate(who, msgspec.structs.replace(LEFT, required_files=named)).dehydration_payload
    assert kept is not None
    assert kept["requiredFiles"] == [str(shell / "lexer.py"), str(project / "README.md"), str(shell)]


def test_a_file_that_has_gone_since_is_said_to_have(hooked: Hooked) -> None:
    """The next session does not look for it."""
    hooked.begun()
    for name in ("stays.md", "goes.md"):
        (hooked.folder / name).touch()
    hand_over(hooked, required_files=("stays.md", "goes.md"))
    (hooked.folder / "goes.md").unlink()
    told = started(hooked, "u-2")

    assert f"- {hooked.folder}/stays.md\n- {hooked.folder}/goes.md (no longer there)" in told


def test_what_was_handed_over_before_counts_as_taken_up(tmp_path: Path) -> None:
    """An older version gave a handover once: those that have a successor are not given again."""
    step = next(one for one in steps() if one.name == "handover")
    with sqlite3.connect(tmp_path / "old.db", isolation_level=None) as old:
        for earlier in steps()[: step.number - 1]:
            for statement in split(earlier.sql):
                old.execute(statement)
        for number, before in ((1, "NULL"), (2, "1")):
            old.execute(
                "INSERT INTO sessions (id, host, host_session_id, prev_session_id, dehydration_payload,"
                f" created_at, ended_at) VALUES ({number}, 'h', 'u', {before}, '{{}}', 't', 'e{number}')"
            )
        for statement in split(step.sql):
            old.execute(statement)
        assert old.execute("SELECT taken_up_at FROM sessions ORDER BY id").fetchall() == [("e1",), (None,)]
    old.close()
