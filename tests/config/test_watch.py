"""A look at the files tells whether anything changed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from interlock.config.watch import Watch


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
    """A file that is not there has a stamp too; a place counts by being there, whatever is in it."""
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
    """A word of a command may be a folder that the agent works in; that is no change."""
    named, searched = Watch(files=(str(tmp_path),)), Watch(folders=(str(tmp_path), "a\0b"))
    before = named.stamp(), searched.stamp()
    os.utime(tmp_path, ns=(1, 1))

    assert named.stamp() == before[0]
    assert searched.stamp() != before[1]
