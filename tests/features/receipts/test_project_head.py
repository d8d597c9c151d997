"""The commit of a project is read from files alone."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from interlock.builtin_hooks.git import project_head


def git(folder: Path, *words: str) -> str:
    own = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=trunk"]
    done = subprocess.run(["git", *own, *words], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """One with a commit."""
    folder = tmp_path / "repo"
    folder.mkdir()
    git(folder, "init", "-q")
    git(folder, "commit", "-q", "--allow-empty", "-m", "one")
    return folder


@pytest.mark.deep
@pytest.mark.req("U28")
def test_branch_and_commit_are_told_from_any_folder_below(repository: Path) -> None:
    """As git itself tells them, loose or packed."""
    below = repository / "a" / "b"
    below.mkdir(parents=True)
    expected = {"ref": "refs/heads/trunk", "commit": git(repository, "rev-parse", "HEAD")}

    assert project_head(str(below)) == expected
    git(repository, "pack-refs", "--all")
    assert project_head(str(below)) == expected


@pytest.mark.deep
@pytest.mark.req("U28")
def test_a_detached_head_and_a_worktree_are_told(repository: Path, tmp_path: Path) -> None:
    """A commit without a branch, and the branch of a worktree beside the repository."""
    commit = git(repository, "rev-parse", "HEAD")
    git(repository, "worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    git(repository, "checkout", "-q", "--detach")

    assert project_head(str(repository)) == {"commit": commit}
    assert project_head(str(tmp_path / "side")) == {"ref": "refs/heads/side", "commit": commit}


@pytest.mark.parametrize("head", ["", "ref: refs/../../secret", "ref: /etc/passwd", "x" * 40, "\0"])
def test_what_is_no_head_tells_nothing(tmp_path: Path, head: str) -> None:
    """A repository cannot have other files read."""
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text(head)

    assert project_head(str(tmp_path)) is None


def test_a_pipe_or_link_in_place_of_a_file_holds_nobody_up(tmp_path: Path) -> None:
    """Neither is waited for or followed."""
    (tmp_path / ".git").mkdir()
    os.mkfifo(tmp_path / ".git" / "HEAD")
    assert project_head(str(tmp_path)) is None

    (tmp_path / ".git" / "HEAD").unlink()
    (tmp_path / ".git" / "HEAD").symlink_to("/etc/hostname")
    assert project_head(str(tmp_path)) is None
    assert project_head("relative") is None
