"""A look at the files tells whether anything changed."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis.strategies import DataObject, data, lists, sampled_from, tuples

from interlock.policy.file_watch import Watch


@pytest.mark.req("T03")
def test_a_change_shows_even_when_its_time_is_set_back(tmp_path: Path) -> None:
    """Same size and same time of modification: the change is still seen."""
    file = tmp_path / "file"
    file.write_text("one")
    os.utime(file, ns=(1, 1))
    watch = Watch(files=(str(file),))
    before = watch.stamp()
    assert watch.stamp() == before

    other = tmp_path / "other"
    other.write_text("two")
    os.utime(other, ns=(1, 1))
    other.replace(file)
    assert watch.stamp() != before


def test_what_appears_and_goes_is_seen(tmp_path: Path) -> None:
    """A file that does not exist has a stamp too; a place counts by being there, whatever is in it."""
    watch = Watch(files=(str(tmp_path / "file"),)) + Watch(places=(str(tmp_path / "place"), "a\0b"))
    nothing = watch.stamp()
    assert nothing == (None, None, None)
    (tmp_path / "place").mkdir()
    empty = watch.stamp()
    assert empty != nothing
    (tmp_path / "place" / "inner").touch()
    assert watch.stamp() == empty
    (tmp_path / "file").touch()
    assert watch.stamp() != empty


def test_a_folder_counts_by_its_entries_only_where_it_is_watched_as_one(tmp_path: Path) -> None:
    """A word of a command may be a folder that the agent works in; that is not a change."""
    named, searched = Watch(files=(str(tmp_path),)), Watch(folders=(str(tmp_path), "a\0b"))
    before = named.stamp(), searched.stamp()
    os.utime(tmp_path, ns=(1, 1))

    assert named.stamp() == before[0]
    assert searched.stamp() != before[1]


def test_a_folder_on_the_way_counts_by_being_one(tmp_path: Path) -> None:
    """What is in it does not matter; that it becomes a link does, whatever number the link gets."""
    way = tmp_path / "way"
    way.mkdir()
    watch = Watch(ways=(str(way), "a\0b"))
    before = watch.stamp()
    (way / "inner").touch()
    same = watch.stamp()
    way.rename(tmp_path / "elsewhere")
    way.symlink_to(tmp_path / "elsewhere")

    assert before == same
    assert watch.stamp() != before


STEPS: dict[str, Callable[[Path], object]] = {
    "write": lambda path: path.write_text("x") if not path.is_dir() else None,
    "more": lambda path: path.write_text("longer") if not path.is_dir() else None,
    "remove": lambda path: path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink(True),
    "folder": lambda path: path.mkdir() if not os.path.lexists(path) else None,
    "dangling": lambda path: path.symlink_to("nowhere") if not os.path.lexists(path) else None,
    "link": lambda path: path.symlink_to("other") if not os.path.lexists(path) else None,
    "nothing": lambda _: None,
}


@given(data())
def test_a_glance_says_what_two_stamps_say(
    tmp_path_factory: pytest.TempPathFactory, drawn: DataObject
) -> None:
    """Whatever is made, changed, linked or removed in between, in every kind of watch."""
    folder = tmp_path_factory.mktemp("glance")
    (folder / "other").write_text("z")
    names = [folder / name for name in ("one", "two")]
    paths = (*map(str, names), str(folder / "other"), "a\0b")
    steps = lists(tuples(sampled_from(sorted(STEPS)), sampled_from(names)), max_size=4)
    for step, name in drawn.draw(steps):
        STEPS[step](name)
    watch = Watch(files=paths, folders=paths, places=paths, ways=paths)
    stamp = watch.stamp()
    glance = watch.glance(stamp)
    for step, name in drawn.draw(steps):
        STEPS[step](name)

    assert glance.unchanged() == (watch.stamp() == stamp)
