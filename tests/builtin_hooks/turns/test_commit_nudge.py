"""Uncommitted work is brought to mind, now and then, and left alone otherwise."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from tests.builtin_hooks.making import made

from interlock.engine.engine import Engine
from interlock.errors import ConfigError
from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.tool import ToolCall
from interlock.events.verdict import Vote
from interlock.policy.hook_kind import HookServices, Memory, MemoryInProcess

pytestmark = pytest.mark.deep

ENVIRON = {"PATH": os.defpath, "HOME": "/nowhere"}


def git(folder: Path, *words: str) -> None:
    """Run git as a person does."""
    person = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", *person, "-C", folder, *words], check=True, capture_output=True)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with one commit."""
    git(tmp_path, "init", "-q")
    (tmp_path / "a.py").write_text("x = 1\n")
    git(tmp_path, "add", "a.py")
    git(tmp_path, "commit", "-q", "-m", "first")
    return tmp_path


def engine(at: str = "stop", services: HookServices | None = None, **config: Any) -> Engine:
    """An engine with this hook alone."""
    return made("commit_nudge", at, config, environ=ENVIRON, services=services, name="nudge")


def stopped(given: Engine, folder: Path, **extra: Any) -> Decision:
    """The end of a turn."""
    return given.decide_sync(Event(name="Stop", session_id="s", cwd=str(folder), extra=extra))


def called(given: Engine, folder: Path, session: str = "s") -> tuple[str, ...]:
    """What is said after a call."""
    tool = ToolCall(name="Bash", input={"command": "ls"})
    return given.decide_sync(
        Event(name="PostToolUse", session_id=session, cwd=str(folder), tool=tool)
    ).context


@pytest.mark.req("P33", "P48")
def test_a_turn_with_uncommitted_changes_is_sent_back(project: Path) -> None:
    """With what git says of them."""
    (project / "a.py").write_text("x = 2\n")
    decision = stopped(engine(), project)

    assert decision.vote is Vote.DENY
    assert decision.reason is not None
    assert "a.py | 2 +-" in decision.reason
    assert "/commit" in decision.reason


@pytest.mark.req("P48")
def test_a_stop_that_was_sent_back_passes(project: Path) -> None:
    """Once a turn is enough."""
    (project / "a.py").write_text("x = 2\n")

    assert stopped(engine(), project, stop_hook_active=True).vote is Vote.ABSTAIN


@pytest.mark.req("P48")
def test_what_git_does_not_know_is_no_change(project: Path) -> None:
    """Neither a new file nor a clean tree nor a folder without a repository says anything."""
    (project / "new.py").write_text("y\n")

    assert stopped(engine(), project).vote is Vote.ABSTAIN
    assert stopped(engine(), Path("/usr")).vote is Vote.ABSTAIN


def test_before_the_first_commit_the_files_are_listed(tmp_path: Path) -> None:
    """There is nothing to compare with yet."""
    git(tmp_path, "init", "-q")
    (tmp_path / "a.py").write_text("x\n")
    git(tmp_path, "add", "a.py")
    decision = stopped(engine(), tmp_path)

    assert decision.reason is not None
    assert "A  a.py" in decision.reason


@pytest.mark.req("P49")
def test_a_folder_hears_of_it_every_ten_minutes(project: Path) -> None:
    """Also when another daemon remembers; a longer pause or another folder is its own."""
    (project / "a.py").write_text("x = 2\n")
    memory = MemoryInProcess()
    votes = [stopped(engine(services=HookServices({Memory: memory})), project).vote for _ in range(2)]
    memory.put(f"folder {project}", "nudge", {"said": time.time() - 601})
    votes.append(stopped(engine(services=HookServices({Memory: memory})), project).vote)

    assert votes == [Vote.DENY, Vote.ABSTAIN, Vote.DENY]


@pytest.mark.req("P49", "P50")
def test_after_a_call_it_is_context_every_hundred_calls(project: Path) -> None:
    """Nothing is blocked there."""
    (project / "a.py").write_text("x = 2\n")
    given = engine("post_tool_use")
    told = [bool(called(given, project)) for _ in range(200)]

    assert [number for number, one in enumerate(told, 1) if one] == [100, 200]


@pytest.mark.req("P50")
def test_after_a_call_it_is_context_every_ten_minutes(project: Path) -> None:
    """Whatever the number of calls; and not when another session heard of it just now."""
    (project / "a.py").write_text("x = 2\n")
    memory = MemoryInProcess()
    given = engine("post_tool_use", HookServices({Memory: memory}))
    assert called(given, project) == ()
    memory.put("s", "nudge", {"since": time.time() - 601, "calls": 1})
    memory.put("t", "nudge", {"since": time.time() - 601, "calls": 1})
    (told,) = called(given, project)

    assert "uncommitted changes" in told
    assert called(given, project, "t") == ()


@pytest.mark.req("P49")
def test_the_diary_of_the_day_is_asked_for(project: Path) -> None:
    """When it is missing or older than an hour, with changes or without."""
    given: dict[str, Any] = {"diary": ".diary/%Y.md", "minutes": 0}
    day = project / ".diary" / time.strftime("%Y.md")
    missing = stopped(engine(**given), project).reason or ""
    day.parent.mkdir()
    day.write_text("did things")
    fresh = stopped(engine(**given), project)
    os.utime(day, (time.time() - 3665,) * 2)
    old = stopped(engine(**given), project).reason or ""

    assert "diary does not exist yet" in missing
    assert fresh.vote is Vote.ABSTAIN
    assert "61 minutes old" in old


@pytest.mark.req("P48")
def test_it_runs_nothing_of_the_repository_and_changes_nothing(project: Path) -> None:
    """Watchers, filters and differs that a repository names stay quiet; the index is as it was."""
    mark = project / "ran"
    runs = f"touch {mark}; cat"
    for key in (
        "core.fsmonitor",
        "diff.external",
        "diff.x.textconv",
        "filter.A.b c.clean",
        "filter.x.process",
    ):
        git(project, "config", key, runs)
    git(project, "config", "filter.A.b c.required", "true")
    (project / ".git" / "info" / "attributes").write_text("*.py filter=x diff=x\n")
    (project / ".gitattributes").write_text('*.txt diff=x filter="A.b c"\n')
    (project / "a.py").write_text("x = 2\n")
    before = (project / ".git" / "index").read_bytes()
    decision = stopped(engine(), project)

    assert decision.vote is Vote.DENY
    assert not mark.exists()
    assert (project / ".git" / "index").read_bytes() == before


@pytest.mark.parametrize("diary", ["/tmp/x", "~/x", "a/../../x"])
def test_the_diary_is_a_file_of_the_project(diary: str) -> None:
    """Else the policy does not load."""
    with pytest.raises(ConfigError, match="is not a file of the project"):
        engine(diary=diary)
