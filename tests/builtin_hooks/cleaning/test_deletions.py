"""What the commands of a text would remove."""

from __future__ import annotations

import msgspec
import pytest

from interlock.builtin_hooks.cleaning.deletions import Deletion, find_deletions
from interlock.effects.reading import read_script


def removed(text: str) -> list[Deletion]:
    return find_deletions(read_script(text, "/w/app").commands)


@pytest.mark.parametrize(
    ("text", "target", "deep"),
    [
        ("rm a", "a", False),
        ("rm -rf a", "a", True),
        ("rm -fR a", "a", True),
        ("/bin/rm --recursive a", "a", True),
        ("sudo rm -r a", "a", True),
        ("bash -c 'rm -r a'", "a", True),
        ("grm -r a", "a", True),
        ("gfind a -delete", "a", True),
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
    ("text", "target", "deep"),
    [
        ('find a -type f | while read f; do rm "$f"; done', "a", True),
        ('find a -type f | grep x | while read f; do unlink "./$f"; done', "a", True),
        ('mapfile -t x < <(find a); rm "${x[@]}"', "a", True),
        ("rm $(find a)", "a", True),
        ("find a -exec sh -c 'rm \"$1\"' _ {} \\;", "a", True),
        ('ls a/*.o | while read f; do rm "$f"; done', "a/*.o", True),
        ('ls a | while read f; do rm "a/$f"; done', "a/*", True),
        ('ls | while read f; do rm "$f"; done', "*", True),
        ('git ls-files | while read f; do rm "$f"; done', "$(git ls-files)", False),
        ('ls "$d" | while read f; do rm "$d/$f"; done', '$d/$(ls "$d")', False),
        ('git ls-files | while read f; do rm "$f.bak"; done', "$_.bak", False),
        ('git ls-files | while read f; do : > "$f"; done', "$(git ls-files)", False),
        ('find a | while read f; do : > "$f"; done', "a", True),
        ('git ls-files | while read f; do truncate -s 0 "$f"; done', "$(git ls-files)", False),
        ('git ls-files | while read f; do cp /dev/null "$f"; done', "$(git ls-files)", False),
        ("git ls-files | xargs truncate -s 0", "", False),
    ],
)
def test_a_loop_removes_the_files_of_its_list(text: str, target: str, deep: bool) -> None:
    """Those that `find` finds and `ls` shows; of others nobody knows. To empty them all is the same."""
    (one,) = {msgspec.structs.replace(found, base=None, by="") for found in removed(text)}

    assert (one.target, one.deep) == (target, deep)


@pytest.mark.parametrize(
    "text",
    [
        'git ls-files | while read f; do echo x >> "$f"; done',
        'git ls-files | while read f; do sed s/a/b/ "$f" > "$f.new"; done',
        'git ls-files | while read f; do cp "$f" backup; done',
        ": > a",
        "truncate -s 0 a",
    ],
)
def test_to_change_a_file_is_not_to_empty_all_of_a_list(text: str) -> None:
    """Nor to add to each, or to write beside it."""
    assert removed(text) == []


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
