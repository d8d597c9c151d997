"""The files of a turn, looked at before it ends."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from tests.builtin_hooks.making import made

from interlock.engine.engine import Engine
from interlock.errors import ConfigError
from interlock.events.event import Event
from interlock.events.names import EventName
from interlock.events.tool import ToolCall
from interlock.events.verdict import Vote
from interlock.policy.hook_kind import HookServices, Memory, MemoryInProcess

pytestmark = pytest.mark.deep

CONFLICT = "a\n" + "<" * 7 + " ours\nb\n" + "=" * 7 + "\nc\n" + ">" * 7 + " theirs\n"


def wrote(engine: Engine, path: Path, content: str) -> None:
    """The agent writes a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)
    tool = ToolCall(name="Write", input={"file_path": str(path), "content": content})
    cwd = str(path.parent)
    engine.decide_sync(Event(name=EventName.POST_TOOL_USE, session_id="s", cwd=cwd, tool=tool))


def ending(engine: Engine, folder: Path, *, active: bool = False) -> str | None:
    """Why the turn may not end; None: it may."""
    event = Event(name=EventName.STOP, session_id="s", cwd=str(folder), extra={"stop_hook_active": active})
    decision = engine.decide_sync(event)
    return decision.reason if decision.denied else None


@pytest.mark.req("M5")
@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.json", "{", "`a.json` cannot be parsed"),
        ("a.toml", "x = = 1", "`a.toml` cannot be parsed"),
        ("a.yaml", "a: [", "`a.yaml` cannot be parsed"),
        ("sub/a.py", "def f(:\n", "`sub/a.py` cannot be parsed"),
        ("a.txt", CONFLICT, "`a.txt` line 2: it still has a merge conflict"),
    ],
)
def test_a_turn_that_leaves_a_broken_file_is_sent_back(
    tmp_path: Path, name: str, content: str, said: str
) -> None:
    """With the file and what is wrong with it."""
    engine = made("final_validation", "stop")
    wrote(engine, tmp_path / name, content)

    reason = ending(engine, tmp_path)
    assert reason is not None
    assert said in reason


def test_a_file_is_spoken_of_once_until_it_is_written_again(tmp_path: Path) -> None:
    """Whoever leaves it so means it."""
    engine = made("final_validation", "stop")
    wrote(engine, tmp_path / "a.json", "{")

    assert ending(engine, tmp_path) is not None
    assert ending(engine, tmp_path) is None
    wrote(engine, tmp_path / "a.json", "[")
    assert ending(engine, tmp_path) is not None


def test_once_only_and_never_while_a_stop_hook_is_active(tmp_path: Path) -> None:
    """A nudge, no loop."""
    engine = made("final_validation", "stop")
    wrote(engine, tmp_path / "a.json", "{")

    assert ending(engine, tmp_path, active=True) is None


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", '{"a": 1}'),
        ("tsconfig.json", "{} // the client knows comments"),
        ("a.yaml", "a: !Ref b\n---\nc: 1\n"),
        ("a.py", "x = '\\d'\n"),
        ("a.md", "<" * 7 + " is how a conflict begins\n"),
        ("a.bin", "\udcff".encode("utf-8", "surrogatepass").decode("latin-1")),
    ],
)
def test_sound_files_let_the_turn_end(tmp_path: Path, name: str, content: str) -> None:
    """Also those of a kind nobody parses."""
    engine = made("final_validation", "stop")
    wrote(engine, tmp_path / name, content)

    assert ending(engine, tmp_path) is None


def test_a_file_that_was_put_right_or_deleted_is_no_matter(tmp_path: Path) -> None:
    """It is looked at as it is when the turn ends."""
    engine = made("final_validation", "stop")
    wrote(engine, tmp_path / "a.json", "{")
    wrote(engine, tmp_path / "b.json", "{")
    (tmp_path / "a.json").write_text("{}")
    (tmp_path / "b.json").unlink()

    assert ending(engine, tmp_path) is None


def test_only_files_of_this_turn_and_of_the_project_count(tmp_path: Path) -> None:
    """What was broken before is somebody else's; a pipe is waited for by nobody."""
    engine = made("final_validation", "stop")
    project = tmp_path / "p"
    project.mkdir()
    (project / "old.json").write_text("{")
    wrote(engine, tmp_path / "outside.json", "{")
    wrote(engine, project / "pipe.json", "{}")
    (project / "pipe.json").unlink()
    os.mkfifo(project / "pipe.json")

    assert ending(engine, project) is None
    wrote(engine, project / "x.json", "{}")
    (project / "x.json").write_text("{")
    assert "x.json" in (ending(engine, project) or "")


def test_words_that_must_not_stay_and_files_that_must_be_there(tmp_path: Path) -> None:
    """As the policy says."""
    engine = made("final_validation", "stop", {"without": ["breakpoint\\(\\)"], "required": ["CHANGES.md"]})
    wrote(engine, tmp_path / "a.py", "breakpoint()\n")
    reason = ending(engine, tmp_path) or ""

    assert "- `CHANGES.md` is missing" in reason
    assert "- `a.py` contains `breakpoint\\(\\)`" in reason


@pytest.mark.parametrize("config", [{"skip": ["fixtures/*"]}, {"syntax": False}])
def test_files_can_be_left_out(tmp_path: Path, config: dict[str, Any]) -> None:
    """By glob, or all of a check."""
    engine = made("final_validation", "stop", config)
    wrote(engine, tmp_path / "fixtures" / "bad.json", "{")

    assert ending(engine, tmp_path) is None


def test_what_was_written_is_remembered_over_a_restart(tmp_path: Path) -> None:
    """In the memory that is services."""
    services = HookServices({Memory: MemoryInProcess()})
    wrote(made("final_validation", "stop", services=services, name="v"), tmp_path / "a.json", "{")

    assert ending(made("final_validation", "stop", services=services, name="v"), tmp_path) is not None


def test_a_trial_leaves_no_trace(tmp_path: Path) -> None:
    """Nothing is kept, nothing is sent back."""
    memory = MemoryInProcess()
    engine = made(
        "final_validation", "stop", services=HookServices({Memory: memory}), name="v", mode="shadow"
    )
    wrote(engine, tmp_path / "a.json", "{")

    assert ending(engine, tmp_path) is None
    assert memory.get("s", "v") == {}


def test_it_never_votes_for_a_stop(tmp_path: Path) -> None:
    """A sound turn is not an approval."""
    engine = made("final_validation", "stop")

    assert engine.decide_sync(Event(name=EventName.STOP, cwd=str(tmp_path))).vote is Vote.ABSTAIN


def test_a_pattern_that_cannot_be_read_is_a_mistake() -> None:
    """Told where it stands."""
    with pytest.raises(ConfigError, match=r"without\[0\].*is not a regular expression that RE2 supports"):
        made("final_validation", "stop", {"without": ["("]})
