"""Files are written in one piece."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.files.own_files import mode_of, write_whole


def test_a_file_is_replaced_with_its_mode_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    """The new content stands there with the mode asked for, alone in its folder."""
    file = tmp_path / "below" / "file"
    write_whole(file, b"old", mode=0o600, follow=True)

    write_whole(file, b"new", mode=0o755, follow=True)

    assert file.read_bytes() == b"new"
    assert mode_of(file, 0) == 0o755
    assert list(file.parent.iterdir()) == [file]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    """What the link leads to changes; people keep their settings in other folders."""
    real, link = tmp_path / "dotfiles" / "real", tmp_path / "link"
    write_whole(real, b"old", mode=0o600, follow=True)
    link.symlink_to(real)

    write_whole(link, b"new", mode=0o600, follow=True)

    assert link.is_symlink()
    assert real.read_bytes() == b"new"


def test_what_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    """A target that is a folder is an error, and no half file stays."""
    (tmp_path / "file").mkdir()

    with pytest.raises(OSError, match="directory"):
        write_whole(tmp_path / "file", b"x", mode=0o600, follow=True)

    assert [path.name for path in tmp_path.iterdir()] == ["file"]
