"""Laws of what a path may turn out to be: found by its parts, the denied folders are those it may lie in."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.reading.paths.forms import tidy
from interlock.reading.paths.guesses import DeniedFolders

PARTS = st.sampled_from(["a", "b", ".ssh", ".env", "home", "src"])
WILD = st.sampled_from(["a", "b", ".ssh", "*", ".*", "?", "[ab]", "s*", ".s*"])
FOLDERS = st.lists(
    st.tuples(st.sampled_from(["/", ""]), st.lists(PARTS, min_size=1, max_size=3)), max_size=5
).map(lambda found: [root + "/".join(parts) for root, parts in found])
BASES = st.sampled_from(["/a", "/home/b", "/a/b"])


def may_be(glob: str, name: str) -> bool:
    """Whether a shell could make this name of a part of a path."""
    return glob == name or (fnmatchcase(name, glob) and (name[0] != "." or glob[0] == "."))


@pytest.mark.req("P03")
@given(FOLDERS, st.sampled_from(["/", ""]), st.lists(WILD, min_size=1, max_size=4), BASES)
def test_a_glob_meets_every_denied_folder_that_it_may_lie_in(
    folders: list[str], root: str, parts: list[str], base: str
) -> None:
    """The same ones that are found by looking at each of them."""
    target = root + "/".join(parts)
    found = {path for path in DeniedFolders(folders).holding(target, base, known=False) if "//" not in path}

    whole = tidy(str(PurePosixPath(base) / target)).split("/")
    for folder in folders:
        names = tidy(str(PurePosixPath(base) / folder)).split("/")
        met = len(names) <= len(whole) and all(map(may_be, whole, names))
        path = "/".join((*names, *whole[len(names) :]))
        assert (path in found) or not (met and set(target) & set("*?["))
    assert len(found) <= len(folders)


@pytest.mark.parametrize(
    ("target", "met"),
    [
        ("$x/.ssh/id", ["/h/.ssh/id"]),
        ("${d%/}/.ssh", ["/h/.ssh"]),
        ("$x/ssh/id", []),
        ("$x/.sshd/id", []),
        ("$x", []),
    ],
)
def test_a_hidden_name_says_where_it_belongs(target: str, met: list[str]) -> None:
    """Whatever the variable before it may be."""
    assert list(DeniedFolders(["/h/.ssh", "/etc"]).holding(target, "/p", known=False)) == met
