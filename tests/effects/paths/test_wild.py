"""Laws of globs: what is written in one says which denied path is meant, a bare one is what is there."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.effects.paths.wild import DeniedGlobs, is_bare, list_matches, match_name

HOME = "/home/dev"
PROJECT = "/home/dev/app"
STATE_KEY = "/home/dev/.state/redaction.key"
NAMES = st.sampled_from(["a", "b", ".ssh", ".env", "id_rsa", "src"])
WRITTEN = st.sampled_from(["a", ".ssh", "s*", ".s*", "?d_rsa", "[ab]", "i*_rsa", "*", ".*"])


def may_be(glob: str, name: str) -> bool:
    """Whether a shell could make this name of a part of a path."""
    return glob == name or (fnmatchcase(name, glob) and (name[0] != "." or glob[0] == "."))


def met(denied: str, target: str, project: str = PROJECT) -> list[str]:
    return [*DeniedGlobs([denied], HOME).met_by(target, project, project)]


@pytest.mark.deep
@given(st.lists(NAMES, min_size=1, max_size=3), st.lists(WRITTEN, min_size=1, max_size=3))
def test_a_glob_with_a_written_part_is_met_whether_the_file_is_there_or_not(
    names: list[str], parts: list[str]
) -> None:
    """Name by name as a shell matches, if something written in it is a part of the denied path."""
    denied = "/nowhere/" + "/".join(names)
    fits = len(names) == len(parts) and all(map(may_be, parts, names))

    assert met(denied, "/nowhere/" + "/".join(parts)) == ([denied] if fits else [])


@pytest.mark.parametrize(
    ("denied", "target", "found"),
    [
        ("*/.ssh/id_rsa", "/home/dev/.s*/id_rsa", "/home/dev/.ssh/id_rsa"),
        ("*/.ssh/id_rsa", "/home/dev/.s?h/i*", "/home/dev/.ssh/id_rsa"),
        ("*/.ssh/id_rsa", "/home/*/.ssh/*", "/home/*/.ssh/id_rsa"),
        ("*/.ssh/*.pem", "/home/dev/.ssh/w*.pem", "/home/dev/.ssh/w.pem"),
        ("**/.claude/settings.json", "/home/dev/.cl*/settings.json", "/home/dev/.claude/settings.json"),
        ("/etc/shadow*", "/etc/sh*", "/etc/shadow"),
        ("*/keys/**", "/home/dev/keys/*", "/home/dev/keys/*"),
        (".env", "/home/dev/app/.e*", "/home/dev/app/.env"),
        # Nothing that is written says that it is meant.
        ("/etc/shadow*", "/etc/*-release", None),
        ("sitecustomize.py", "/home/dev/app/*", None),
        ("sitecustomize.py", "/home/dev/app/*.py", None),
        ("config/master.key", "/home/dev/app/*/*", None),
        ("config/master.key", "/home/dev/app/config/*", None),
        ("/home/dev", "/home/dev/app/*", None),
        ("*/.ssh/id_rsa", "/home/dev/*/id_rsa", None),  # a shell leaves hidden names out
    ],
)
def test_what_is_written_in_a_glob_says_what_is_meant(denied: str, target: str, found: str | None) -> None:
    """A name of its own does; the kind of a file or a plain folder of the project does not."""
    assert met(denied, target) == ([found] if found else [])


def test_a_bare_glob_stands_for_the_files_that_are_there(tmp_path: Path) -> None:
    """Those that are denied are among them only if they exist."""
    project = str(tmp_path)
    target = f"{project}/config/*"
    assert met("config/master.key", target, project) == []

    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "master.key").touch()
    (tmp_path / "config" / ".hidden").touch()
    assert met("config/master.key", target, project) == [f"{project}/config/master.key"]
    assert met("config/master.key", f"{project}/*/*", project) == [f"{project}/config/master.key"]


def test_few_of_many_files_are_looked_at(tmp_path: Path) -> None:
    """A folder of any size costs the same."""
    for number in range(300):
        (tmp_path / f"{number}.txt").touch()

    assert len([*list_matches([*tmp_path.parts[1:], "*"])]) <= 200


def test_a_folder_that_cannot_be_read_holds_nothing() -> None:
    """Nor does one whose name is none."""
    assert [*list_matches(["nowhere", "at", "*"])] == []
    assert [*list_matches(["a\0b", "*"])] == []


@pytest.mark.parametrize(
    ("denied", "target", "found"),
    [
        (STATE_KEY, "/**/redaction.key", STATE_KEY),
        (STATE_KEY, "/home/dev/.st*/**/redaction.key", STATE_KEY),
        (STATE_KEY, "/home/dev/.config/**/redaction.key", None),
        (STATE_KEY, "/home/dev/app/**/redaction.key", None),
        ("*/.docker/config.json", "/home/dev/**/config.json", "/home/dev/.docker/config.json"),
        ("*/.docker/config.json", "/home/dev/app/**/config.json", None),
        ("*/.docker/config.json", "/home/dev/app/**/*", None),
        ("*/.docker/config.json", "/**/*.json", None),
        ("*/.store/**", "/**/x", None),
    ],
)
def test_a_search_finds_what_a_tree_holds_by_that_name(denied: str, target: str, found: str | None) -> None:
    """A tree above the place that is meant holds it; another does if it is there."""
    assert met(denied, target) == ([found] if found else [])


def test_a_search_of_another_tree_finds_what_is_there(tmp_path: Path) -> None:
    """A project has settings of its own."""
    (tmp_path / ".docker").mkdir()
    (tmp_path / ".docker" / "config.json").touch()

    for name in ("config.json", "*.json", "*"):
        found = met("*/.docker/config.json", f"{tmp_path}/**/{name}", str(tmp_path))
        assert found == [f"{tmp_path}/.docker/config.json"], name
    assert met("*/.docker/config.json", f"{tmp_path}/**/*.txt", str(tmp_path)) == []


@pytest.mark.parametrize("name", ["*", ".*", "*.py", "*.*", "[a-z]*", ".[!.]*", "?"])
def test_a_bare_glob_says_a_kind_of_file_at_most(name: str) -> None:
    """Everything, hidden names, an ending."""
    assert is_bare(name)


@pytest.mark.parametrize("name", ["a*", "*rsa", ".e*", "id_rsa", "*.e*v"])
def test_a_written_part_makes_a_glob_more_than_bare(name: str) -> None:
    """A piece of a name is one."""
    assert not is_bare(name)


@pytest.mark.parametrize(
    ("glob", "denied", "name"),
    [
        ("*.key", "*.key", ".key"),
        ("work*.key", "*.key", "work.key"),
        ("id_w*", "id_*", "id_w"),
        ("*.pem", "*.key", None),
        ("*-release", "shadow*", None),
        (".*", "netrc", None),
        ("*", ".netrc", None),
        ("ID_RSA", "id_rsa", "id_rsa"),
    ],
)
def test_two_globs_meet_in_what_both_spell(glob: str, denied: str, name: str | None) -> None:
    """By a beginning or an end that they share."""
    found = match_name(glob, denied)
    assert (found.text if found else None) == name
