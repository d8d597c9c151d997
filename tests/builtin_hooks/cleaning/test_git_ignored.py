"""Git is asked what it ignores, and a repository cannot run anything by that."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from interlock.builtin_hooks.cleaning.git_ignored import GitIgnored, Ignored

pytestmark = pytest.mark.deep

ENVIRON = {"PATH": os.environ["PATH"], "HOME": "/nonexistent"}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository that ignores some names."""
    root = tmp_path / "app"
    root.mkdir()
    git(root, "init", "-q")
    (root / ".gitignore").write_text("build/\n__pycache__/\n*.egg-info\n!kept.egg-info\n")
    return root


def git(root: Path, *words: str) -> None:
    subprocess.run(["git", "-C", str(root), *words], check=True, env={**ENVIRON, "LC_ALL": "C"})


def ask(root: Path, *paths: str, names: tuple[str, ...] = ()) -> Ignored:
    return GitIgnored(ENVIRON)(str(root), [str(root / path) for path in paths], names)


def test_what_is_ignored_is_ignored(repository: Path) -> None:
    """Also a folder that is not there yet, and one inside an ignored folder."""
    assert ask(repository, "build") is Ignored.YES
    assert ask(repository, "build/a", "x.egg-info") is Ignored.YES
    assert ask(repository, "src") is Ignored.NO
    assert ask(repository, "build", "src") is Ignored.NO
    assert ask(repository, "kept.egg-info") is Ignored.NO


def test_a_file_with_the_name_of_an_ignored_folder_is_not_ignored(repository: Path) -> None:
    """`build/` speaks of folders."""
    (repository / "build").write_text("a script")

    assert ask(repository, "build") is Ignored.NO


def test_what_is_tracked_is_never_ignored(repository: Path) -> None:
    """A rule that came later does not make work worthless."""
    (repository / "build").mkdir()
    (repository / "build" / "kept.txt").write_text("work")
    git(repository, "add", "-f", "build/kept.txt")

    assert ask(repository, "build") is Ignored.NO


def test_names_below_are_ignored_when_nothing_else_is_called_so(repository: Path) -> None:
    """`find . -name '*.pyc' -delete`: each file counts, not the name alone."""
    cache = repository / "m" / "__pycache__"
    cache.mkdir(parents=True)
    (cache / "a.pyc").touch()
    assert ask(repository, "", names=("*.pyc",)) is Ignored.YES

    (repository / "m" / "b.pyc").touch()
    assert ask(repository, "", names=("*.pyc",)) is Ignored.NO
    assert ask(repository, "", names=("__pycache__",)) is Ignored.YES


def test_where_nobody_can_be_asked_that_is_the_answer(tmp_path: Path) -> None:
    """There is no repository."""
    assert ask(tmp_path, "build") is Ignored.NO_REPOSITORY


def test_git_is_the_systems_whatever_stands_in_path(repository: Path) -> None:
    """An agent can write a `git` into a folder of its project that is in somebody's PATH."""
    trace = repository / "ran"
    own = repository / "bin" / "git"
    own.parent.mkdir()
    own.write_text(f"#!/bin/sh\ntouch {trace}\n")
    own.chmod(0o755)
    asking = GitIgnored({**ENVIRON, "PATH": f"{own.parent}:{ENVIRON['PATH']}"})

    assert asking(str(repository), [str(repository / "build")]) is Ignored.YES
    assert not trace.exists()


def test_a_git_that_fails_is_not_asked_again_soon(tmp_path: Path) -> None:
    """Silence is no yes, and other sessions do not wait for it twice."""
    (tmp_path / ".git").write_text("gitdir: /nonexistent")
    now = [0.0]
    asking = GitIgnored(ENVIRON, clock=lambda: now[0])
    build = [str(tmp_path / "build")]

    assert asking(str(tmp_path), build) is Ignored.SILENT
    (tmp_path / ".git").unlink()
    git(tmp_path, "init", "-q")
    assert asking(str(tmp_path), build) is Ignored.SILENT
    now[0] = 61.0
    assert asking(str(tmp_path), build) is Ignored.NO


def test_a_repository_runs_nothing_by_being_asked(repository: Path) -> None:
    """Its configuration may name programs; none is started."""
    trace = repository.parent / "ran"
    program = repository.parent / "program"
    program.write_text(f"#!/bin/sh\ntouch {trace}\n")
    program.chmod(0o755)
    git(repository, "config", "core.fsmonitor", str(program))

    assert ask(repository, "build") is Ignored.YES
    assert ask(repository, "", names=("*.pyc",)) is Ignored.YES
    assert not trace.exists()
