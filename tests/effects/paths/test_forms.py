"""Laws of the forms, globs and other names of paths."""

from __future__ import annotations

import os
import tempfile
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest
import re2
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.effects.paths.globs import (
    ProtectedFiles,
    compose,
    denied_paths,
    fold,
    fold_letters,
    folders_above,
    from_outside,
    inside,
    pattern_path,
    relative,
    squeeze,
    tidy,
)
from interlock.effects.paths.path import read_path
from interlock.patterns.glob import glob_expression

NAMES = st.text(st.characters(exclude_characters="/\0", codec="utf-8"), min_size=1, max_size=6)
PIECES = st.one_of(NAMES, st.sampled_from([".", "..", "", "a", ".git", "GIT~1", "x. ", ".g\u200bit"]))
PATHS = st.lists(PIECES, max_size=6).map("/".join)
ABSOLUTE = PATHS.map(lambda path: tidy("/" + path))


def hits(globs: tuple[str, ...], texts: tuple[str, ...]) -> bool:
    """Whether any glob matches any text as a whole."""
    options = re2.Options()
    options.dot_nl = True
    found = [re2.compile(glob_expression(glob), options) for glob in globs]
    return any(one.fullmatch(text) for one in found for text in texts)


@pytest.mark.deep
@given(PATHS)
def test_every_form_is_its_own_form(path: str) -> None:
    """Bringing a path to a form twice changes nothing."""
    for form in (tidy, squeeze, fold, compose):
        once = form(path)
        assert form(once) == once


@given(ABSOLUTE, ABSOLUTE)
def test_a_path_is_inside_exactly_when_its_names_begin_with_the_folders(path: str, folder: str) -> None:
    """Containment is by component, never by character."""
    names = [name for name in path.split("/") if name]
    begins = [name for name in folder.split("/") if name]

    assert inside(path, folder) is (names[: len(begins)] == begins)
    assert (relative(path, folder) is not None) is inside(path, folder)


@given(ABSOLUTE, ABSOLUTE)
def test_a_path_seen_from_a_folder_leads_back(path: str, folder: str) -> None:
    """Joined with the folder, the relative form is the path."""
    assert tidy(f"{folder}/{from_outside(path, folder)}") == path


@pytest.mark.req("P02")
def test_a_longer_name_is_another_folder() -> None:
    """`app-evil` is not in `app`."""
    assert not inside("/w/app-evil/x", "/w/app")
    assert not inside("/w/app/../x", "/w/app")
    assert inside("/w/app//x/", "/w/app/")
    assert inside("/w/app", "/w/app")


@given(PATHS, st.text(max_size=20))
def test_no_text_breaks_a_reading(path: str, cwd: str) -> None:
    """Any path from any folder has spellings, and each can be matched."""
    reading = read_path(path, "/" + cwd)

    assert reading.deny
    assert all(text.encode() is not None for text in reading.deny)


TREE = ("real/deep/File.txt", "real/other", "plain.txt")


@pytest.fixture(scope="module")
def tree() -> Iterator[Path]:
    """A folder with files, links to them and links to their folders."""
    with tempfile.TemporaryDirectory() as name:
        base = Path(name).resolve()
        for file in TREE:
            (base / file).parent.mkdir(parents=True, exist_ok=True)
            (base / file).touch()
        (base / "folder").symlink_to("real")
        (base / "real" / "up").symlink_to("..")
        (base / "deep").symlink_to(base / "real" / "deep")
        (base / "alias").symlink_to("deep/File.txt")
        yield base


STEPS = st.lists(
    st.sampled_from(
        ["real", "folder", "up", "deep", "..", ".", "", "other", "File.txt", "alias", "plain.txt"]
    ),
    max_size=8,
)


@settings(max_examples=300)
@given(steps=STEPS)
def test_every_spelling_of_a_file_shares_its_real_path(tree: Path, steps: list[str]) -> None:
    """Whatever way leads to an existing file, its real path is among the texts a deny sees."""
    path = "/".join([str(tree), *steps])
    if Path(path).exists():
        real = os.path.realpath(path)
        reading = read_path(path, str(tree))
        assert real in reading.deny
        assert any(real in part for part in reading.allow)


@settings(max_examples=300)
@given(steps=STEPS)
def test_an_allow_sees_nothing_but_real_paths(tree: Path, steps: list[str]) -> None:
    """No text offered to an allow holds a link."""
    for part in read_path("/".join(steps), str(tree)).allow:
        absolute = next(text for text in part if text.startswith("/"))
        assert os.path.realpath(absolute) == absolute


@pytest.mark.req("P04")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        (".GIT", ".git"),
        (".g\u200bit", ".git"),
        (".\ufeffgit", ".git"),
        ("GIT~1", ".git"),
        (".git::$DATA", ".git"),
        (".git::$INDEX_ALLOCATION", ".git"),
        (".git. .", ".git"),
        (".git ", ".git"),
        ("\uff0e\uff47\uff49\uff54", ".git"),
        (".git\\hooks", ".git/hooks"),
        ("INTERL~1", ".interlock"),
        (unicodedata.normalize("NFD", "Überblick"), unicodedata.normalize("NFC", "überblick")),
        ("\u212aey", "key"),
    ],
)
def test_names_some_disk_takes_for_the_same_fold_to_one(one: str, other: str) -> None:
    """Letter case, composition, invisible characters, streams and short names do not count."""
    assert fold(one) == fold(other) == other


HOME = "/h/u"


@pytest.mark.req("P03")
@pytest.mark.parametrize(
    ("glob", "globs"),
    [
        ("~/.aws/", ("/h/u/.aws", "/h/u/.aws/*")),
        ("$HOME/.ssh/**", ("/h/u/.ssh/**",)),
        ("${HOME}/x", ("/h/u/x",)),
        ("$HOMER/x", ("./$HOMER/x",)),
        ("./src//a/../*.py", ("src/*.py",)),
        ("./**", ("./**",)),
        ("./", (".", "./*")),
        ("//x/./y", ("/x/y",)),
        ("a/*/../b", ("a/*/../b",)),
        ("../**", ("../**",)),
        ("/../x", ("/x",)),
        ("~*/x", ("./~*/x",)),
        (".env*", (".env*",)),
    ],
)
def test_a_path_glob_is_tidied_as_paths_are(glob: str, globs: tuple[str, ...]) -> None:
    """Homes are put in and detours taken out; a wildcard keeps its place."""
    assert pattern_path(glob, HOME) == globs


def test_a_linked_home_is_the_home(tmp_path: Path) -> None:
    """An allow is compared with where paths lead, so its home leads there too."""
    (tmp_path / "real").mkdir()
    (tmp_path / "home").symlink_to("real")

    assert pattern_path("~/x", f"{tmp_path}/home") == (f"{tmp_path}/home/x", f"{tmp_path}/real/x")


def test_a_denied_folder_is_denied_itself_wherever_it_leads(tmp_path: Path) -> None:
    """`dir/**` also means `dir`, its target, and both in any letter case."""
    base = tmp_path.resolve()
    (base / "Vault").mkdir()
    (base / "door").symlink_to("Vault")
    globs = denied_paths(f"{base}/door/**", HOME)

    assert {f"{base}/door", f"{base}/Vault/**", f"{base}/vault".lower()} <= set(globs)
    assert denied_paths("**/*", HOME) == ("**/*",)
    assert "." in denied_paths("./**", HOME)
    assert denied_paths("Library/*", HOME) == ("Library/*", "Library", "library/*", "library")


def test_removing_a_folder_above_removes_what_is_below() -> None:
    """The folders above a glob are named up to the root."""
    assert folders_above("/a/b/*", HOME) == ("/a/b", "/a", "/")
    assert {"x", ".", "..", "/"} <= set(folders_above("x/*.key", HOME))
    assert folders_above("**/.env", HOME) == ()


@given(st.lists(st.sampled_from(["a", "b*", "..", ".", "", "~", "**", "C"]), max_size=6).map("/".join))
def test_a_tidied_glob_stays_as_it_is(glob: str) -> None:
    """Bringing a glob to its form twice changes nothing."""
    for one in pattern_path(glob, HOME):
        assert pattern_path(one, HOME)[0] == one
    assert set(pattern_path(glob, HOME)) <= set(denied_paths(glob, HOME))


@given(ABSOLUTE.filter(lambda path: not set("*?~$") & set(path)))
def test_a_literal_glob_denies_its_own_path(path: str) -> None:
    """A path written as a pattern meets that path in any letter case."""
    assert hits(denied_paths(path, HOME), read_path(path, "/w").deny)
    shouted = path.upper()
    if fold_letters(shouted) == fold_letters(path):
        assert hits(denied_paths(path, HOME), read_path(shouted, "/w").deny)


@pytest.mark.req("P07")
def test_a_hard_link_is_known_by_its_inode(tmp_path: Path) -> None:
    """A second name of a protected file is found for literals, folders and names in the project."""
    (tmp_path / "safe" / "deep").mkdir(parents=True)
    for name in ("safe/deep/key", ".env", "lone", "twin"):
        (tmp_path / name).write_text(name)
    os.link(tmp_path / "safe/deep/key", tmp_path / "notes")
    os.link(tmp_path / ".env", tmp_path / "other")
    os.link(tmp_path / "twin", tmp_path / "twin2")
    files = ProtectedFiles([f"{tmp_path}/safe/**", "**/.env", "lone"], HOME)
    base = str(tmp_path)

    assert files.hit("notes", base) == f"{tmp_path}/safe/**"
    assert files.hit(f"{tmp_path}/other", base) == "**/.env"
    assert files.hit("twin2", base) is None
    assert files.hit("lone", base) is None  # it has one name, which the patterns see
    assert files.hit("missing", base) is None
    assert files.hit("safe", base) is None
    assert files.hit("a\0b", base) is None
