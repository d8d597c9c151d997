"""What the commands of a text would remove."""

from __future__ import annotations

import pytest

from interlock.builtin.removals import Removal, removals
from interlock.reading.script import read_script


def removed(text: str) -> list[Removal]:
    return removals(read_script(text, "/w/app").commands)


@pytest.mark.parametrize(
    ("text", "target", "deep"),
    [
        ("rm a", "a", False),
        ("rm -rf a", "a", True),
        ("rm -fR a", "a", True),
        ("/bin/rm --recursive a", "a", True),
        ("sudo rm -r a", "a", True),
        ("bash -c 'rm -r a'", "a", True),
        ("unlink a", "a", False),
        ("shred -u a", "a", False),
        ("npx rimraf a", "a", True),
        ("echo a | xargs rm -r", "a", True),
        ("find a -delete", "a", True),
        ("find a -type f -exec rm {} +", "a", True),
        ("find a -type f | xargs rm", "a", True),
        ("find -delete", ".", True),
        ("ls | xargs rm -r", "", True),
        ("ls | xargs rm", "", False),
    ],
)
def test_a_removal_is_found_under_any_wrapper(text: str, target: str, deep: bool) -> None:
    """With its target, and whether it takes all that lies below."""
    (one,) = removed(text)

    assert (one.target, one.deep, one.base) == (target, deep, "/w/app")


@pytest.mark.parametrize(
    "text",
    ["mv a b", "git rm -r a", "rmdir a", "trash a", "ls", "shred a", "find . -name a", "echo rm -rf a"],
)
def test_what_can_be_had_back_is_no_removal(text: str) -> None:
    """Nor is what only looks, moves, or takes empty folders."""
    assert removed(text) == []


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("find . -name '*.pyc' -delete", ("*.pyc",)),
        ("find . -type d -iname build -prune -exec rm -rf {} +", ("build",)),
        (r"find . \( -name a -o -name b \) -delete", ("a", "b")),
        ("find . -delete", ()),
        ("find . ! -name '*.pyc' -delete", ()),
        ("find . -name a -o -delete", ()),
        (r"find . \( -name a -o -type f \) -delete", ()),
        (r"find . \( -name a -o -name b -delete \)", ()),
    ],
)
def test_names_narrow_a_search_only_where_they_surely_do(text: str, names: tuple[str, ...]) -> None:
    """An alternative or a `not` may let everything else through."""
    (one,) = removed(text)

    assert one.names == names


def test_empty_files_and_folders_are_no_loss() -> None:
    """`-empty` alone decides what goes."""
    assert removed("find . -type d -empty -delete") == []
    assert len(removed("find . -empty -o -name a -delete")) == 1
