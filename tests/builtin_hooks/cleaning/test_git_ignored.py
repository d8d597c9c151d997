"""Git is asked what it ignores, and a repository cannot run anything by that."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from interlock.builtin_hooks.cleaning.path_location import GitIgnored, Ignored

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
    """Also a folder that does not exist yet, and one inside an ignored folder."""
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
    """Silence is not a yes, and other sessions do not wait for it twice."""
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


@pytest.fixture
def fresh(tmp_path: Path) -> Path:
    """A new repository with installed packages and no .gitignore."""
    root = tmp_path / "fresh"
    (root / "node_modules" / "left-pad").mkdir(parents=True)
    (root / "node_modules" / "left-pad" / "index.js").write_text("module.exports = 1\n")
    (root / "package-lock.json").write_text("{}\n")
    git(root, "init", "-q")
    return root


def test_a_lock_file_beside_it_says_that_a_folder_can_be_made_again(fresh: Path) -> None:
    """Also what lies in it, and the folder of another tool by that tool's lock file."""
    assert ask(fresh, "node_modules") is Ignored.YES
    assert ask(fresh, "node_modules/left-pad") is Ignored.YES

    (fresh / ".venv").mkdir()
    assert ask(fresh, "node_modules", ".venv") is Ignored.NO
    (fresh / "uv.lock").write_text("version = 1\n")
    assert ask(fresh, "node_modules", ".venv") is Ignored.YES


def _in_subfolder(root: Path) -> str:
    (root / "web").mkdir()
    (root / "node_modules").rename(root / "web" / "node_modules")
    return "web/node_modules"


def _under_another_name(root: Path) -> str:
    (root / "node_modules").rename(root / "modules")
    return "modules"


def _by_link(root: Path) -> str:
    (root / "here").symlink_to(".")
    return "here/node_modules"


def _replace_by_link(path: Path) -> None:
    path.rename(path.with_name("work"))
    path.symlink_to("work")


def _commit_and_delete(root: Path) -> None:
    git(root, "add", "-f", "node_modules")
    git(root, "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "a")
    (root / "node_modules" / "left-pad" / "index.js").unlink()


DOUBTS: dict[str, Callable[[Path], object]] = {
    "no lock file": lambda root: (root / "package-lock.json").unlink(),
    "an empty lock file": lambda root: (root / "package-lock.json").write_text(""),
    "a lock file that is a link": lambda root: _replace_by_link(root / "package-lock.json"),
    "the lock file of another tool": lambda root: (root / "package-lock.json").rename(root / "uv.lock"),
    "the lock file of the folder above": _in_subfolder,
    "a link in its place": lambda root: _replace_by_link(root / "node_modules"),
    "a link on the way": _by_link,
    "a file that git has": lambda root: git(root, "add", "-f", "node_modules/left-pad/index.js"),
    "a deleted file that git has": _commit_and_delete,
    "a repository in it": lambda root: git(root / "node_modules" / "left-pad", "init", "-q"),
    "a rule that keeps it": lambda root: (root / ".gitignore").write_text("!node_modules\n"),
    "another name": _under_another_name,
    "nothing there": lambda root: (root / "node_modules").rename(root / "gone"),
}


@pytest.mark.parametrize("doubt", DOUBTS)
def test_with_any_doubt_it_may_be_work(fresh: Path, doubt: str) -> None:
    """A person is asked."""
    path = DOUBTS[doubt](fresh)
    asked = path if isinstance(path, str) and (fresh / path).is_dir() else "node_modules"

    assert ask(fresh, asked) is not Ignored.YES


def test_what_a_search_finds_needs_a_rule_of_git(fresh: Path) -> None:
    """`find . -name node_modules` may find more than the one with a lock file."""
    assert ask(fresh, "", names=("node_modules",)) is Ignored.NO
