"""Reading files that must be ours alone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from interlock.files.own_files import read_private


def private(path: Path, content: bytes = b"secret\n") -> Path:
    """A file of mode 0600."""
    path.write_bytes(content)
    path.chmod(0o600)
    return path


def test_a_file_of_ours_alone_is_read(tmp_path: Path) -> None:
    """Whole, or no more of it than was asked for."""
    file = private(tmp_path / "key")

    assert read_private(file) == b"secret\n"
    assert read_private(file, 3) == b"sec"


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o601])
def test_what_others_can_reach_is_refused(tmp_path: Path, mode: int) -> None:
    """Whoever can read or write it may have done so."""
    file = private(tmp_path / "key")
    file.chmod(mode)

    with pytest.raises(PermissionError, match="other users can"):
        read_private(file)


def test_a_link_is_not_followed_and_a_pipe_not_waited_for(tmp_path: Path) -> None:
    """Neither is a file that we wrote."""
    link, pipe = tmp_path / "link", tmp_path / "pipe"
    link.symlink_to(private(tmp_path / "key"))
    os.mkfifo(pipe, 0o600)

    with pytest.raises(OSError, match="symbolic link"):
        read_private(link)
    with pytest.raises(PermissionError, match="other users can"):
        read_private(pipe)
    with pytest.raises(FileNotFoundError):
        read_private(tmp_path / "nothing")
