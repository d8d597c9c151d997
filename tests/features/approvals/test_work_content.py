"""Laws of what a yes is about: the files as they were, however they are committed."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from interlock.features.approvals.work_requests import WorkContent, content_of

pytestmark = pytest.mark.deep


def git(folder: Path, *words: str) -> str:
    environ = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null"}
    own = ("-c", "user.name=a", "-c", "user.email=a@b")
    done = subprocess.run(["git", "-C", folder, *own, *words], check=True, capture_output=True, env=environ)
    return done.stdout.decode()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with a commit, an ignored folder, and work that is not committed."""
    folder = tmp_path / "project"
    folder.mkdir()
    git(folder, "init", "-q")
    (folder / "a.py").write_text("x = 1\n")
    (folder / ".gitignore").write_text("build/\n")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "first")
    (folder / "a.py").write_text("x = 2\n")
    (folder / "new.py").write_text("y\n")
    return folder


def committed(folder: Path) -> None:
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "all")


def committed_in_parts(folder: Path) -> None:
    for name in ("new.py", "a.py"):
        git(folder, "add", name)
        git(folder, "commit", "-qm", name)


def committed_in_part(folder: Path) -> None:
    git(folder, "commit", "-qm", "a", "a.py")


def ignored(folder: Path) -> None:
    (folder / "build").mkdir()
    (folder / "build" / "out").write_text("x")


def touched(folder: Path) -> None:
    (folder / "a.py").touch()


def on_a_branch(folder: Path) -> None:
    git(folder, "checkout", "-qb", "other")
    committed(folder)


def staged(folder: Path) -> None:
    git(folder, "add", "-A")


@pytest.mark.parametrize(
    "act", [committed, committed_in_parts, committed_in_part, ignored, touched, on_a_branch, staged]
)
async def test_what_changes_no_content_is_no_change(project: Path, act: object) -> None:
    """Committing what was there, in one step or several, a branch, the index, and ignored files."""
    contents = WorkContent(os.environ)
    before = await contents.now(str(project))
    assert before is not None
    assert callable(act)
    act(project)

    assert await contents.changed(str(project), before) == ()


def edited(folder: Path) -> None:
    (folder / "a.py").write_text("x = 3\n")


def edited_and_committed(folder: Path) -> None:
    edited(folder)
    committed(folder)


def committed_otherwise(folder: Path) -> None:
    """The folder looks the same, what is pushed does not."""
    edited(folder)
    git(folder, "commit", "-qm", "other", "a.py")
    (folder / "a.py").write_text("x = 2\n")


def executable(folder: Path) -> None:
    (folder / "a.py").chmod(0o755)


def a_link(folder: Path) -> None:
    (folder / "a.py").unlink()
    (folder / "a.py").symlink_to("/etc/hosts")


def removed(folder: Path) -> None:
    (folder / "a.py").unlink()


@pytest.mark.parametrize(
    "act", [edited, edited_and_committed, committed_otherwise, executable, a_link, removed]
)
async def test_other_content_is_named(project: Path, act: object) -> None:
    """Whether it is in the folder or only in what was committed."""
    contents = WorkContent(os.environ)
    before = await contents.now(str(project))
    assert before is not None
    assert content_of(before.text) == before
    assert callable(act)
    act(project)

    assert await contents.changed(str(project), before) == ("a.py",)


async def test_before_the_first_commit_and_below_the_top_there_is_content_too(tmp_path: Path) -> None:
    """A file that is added is a change; without a repository nobody can tell."""
    below = tmp_path / "below"
    below.mkdir()
    contents = WorkContent(os.environ)
    assert await contents.now(str(below)) is None
    git(tmp_path, "init", "-q")
    before = await contents.now(str(below))
    assert before is not None
    (tmp_path / "new\nline.py").write_text("x")

    assert await contents.changed(str(below), before) == ("new\nline.py",)
    assert await contents.changed(str(tmp_path / "gone"), before) is None


@pytest.mark.parametrize("key", ["core.fsmonitor", "filter.x.clean", "filter.x.process", "core.hooksPath"])
async def test_looking_runs_and_writes_nothing_of_the_repository(
    project: Path, tmp_path: Path, key: str
) -> None:
    """An agent can write every one of these; its index and its objects stay as they are."""
    mark = tmp_path / "ran"
    hooks = project / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("post-index-change", "pre-commit"):
        (hooks / name).write_text(f"#!/bin/sh\ntouch {mark}\n")
        (hooks / name).chmod(0o755)
    value = str(hooks) if key == "core.hooksPath" else f"touch {mark}; cat"
    git(project, "config", key, value)
    (project / ".git" / "info" / "attributes").write_text("*.py filter=x\n")
    mark.unlink(missing_ok=True)
    kept = {path: path.read_bytes() for path in (project / ".git").rglob("*") if path.is_file()}

    assert await WorkContent(os.environ).now(str(project)) is not None
    assert not mark.exists()
    assert {path: path.read_bytes() for path in (project / ".git").rglob("*") if path.is_file()} == kept
