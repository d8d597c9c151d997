"""Laws of our own writes: whole or not at all, never through a link, under a name nobody can guess."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from interlock.files.own_files import write_whole

pytestmark = pytest.mark.req("P06")


def test_a_link_at_the_place_is_replaced_and_what_it_leads_to_stays(tmp_path: Path) -> None:
    """Whoever puts a link where we write redirects nothing."""
    other, place = tmp_path / "other", tmp_path / "place"
    other.write_bytes(b"theirs")
    place.symlink_to(other)

    write_whole(place, b"ours", mode=0o600)

    assert not place.is_symlink()
    assert (place.read_bytes(), other.read_bytes()) == (b"ours", b"theirs")


def test_a_link_is_followed_only_where_that_is_meant(tmp_path: Path) -> None:
    """People keep settings behind links, and such a write says so."""
    other, place = tmp_path / "other", tmp_path / "place"
    other.write_bytes(b"old")
    place.symlink_to(other)

    write_whole(place, b"new", mode=0o600, follow=True)

    assert place.is_symlink()
    assert other.read_bytes() == b"new"


def test_an_interrupt_leaves_what_was_there(tmp_path: Path) -> None:
    """The old file stays in force until the new one is complete, and no half file is left."""
    file = tmp_path / "file"
    write_whole(file, b"first", mode=0o600)

    def pieces() -> Iterator[bytes]:
        yield b"sec"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_whole(file, pieces(), mode=0o600)

    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert file.read_bytes() == b"first"


def test_a_folder_that_is_swapped_meanwhile_changes_nothing(tmp_path: Path) -> None:
    """The file appears in the folder that was opened, wherever its path leads by then."""
    folder, elsewhere = tmp_path / "folder", tmp_path / "elsewhere"
    folder.mkdir()
    elsewhere.mkdir()

    def pieces() -> Iterator[bytes]:
        folder.rename(tmp_path / "moved")
        folder.symlink_to(elsewhere)
        yield b"content"

    write_whole(folder / "file", pieces(), mode=0o600)

    assert (tmp_path / "moved" / "file").read_bytes() == b"content"
    assert list(elsewhere.iterdir()) == []


def test_the_name_of_a_half_file_is_another_each_time(tmp_path: Path) -> None:
    """Nobody can put something in its place beforehand, and nobody else can read it meanwhile."""
    seen: list[tuple[str, int]] = []

    def pieces() -> Iterator[bytes]:
        half = next(path for path in tmp_path.iterdir() if path.name != "file")
        seen.append((half.name, half.stat().st_mode & 0o777))
        yield b"x"

    for _ in range(3):
        write_whole(tmp_path / "file", pieces(), mode=0o644)

    assert len({name for name, _ in seen}) == 3
    assert {mode for _, mode in seen} == {0o600}
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o644


def test_many_writers_leave_one_whole_file(tmp_path: Path) -> None:
    """At every moment the file holds what one of them wrote."""
    contents = [bytes([65 + number]) * 10_000 for number in range(8)]

    def write(content: bytes) -> None:
        for _ in range(20):
            write_whole(tmp_path / "file", content, mode=0o600)
            assert (tmp_path / "file").read_bytes() in contents

    writers = [threading.Thread(target=write, args=(content,)) for content in contents]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()

    assert (tmp_path / "file").read_bytes() in contents
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_target_that_is_a_folder_is_an_error_and_leaves_nothing(tmp_path: Path) -> None:
    """Nothing is moved away for it."""
    (tmp_path / "file").mkdir()

    with pytest.raises(OSError, match="directory"):
        write_whole(tmp_path / "file", b"x", mode=0o600)

    assert [path.name for path in tmp_path.iterdir()] == ["file"]
