"""Files of hosts and of ours in their places: whole, and with the permissions they had."""

from __future__ import annotations

import stat
from pathlib import Path

from interlock.files.own_files import write_whole as write_in_folder


def write_whole(path: Path, content: bytes, *, mode: int) -> None:
    """Write in one step; people keep settings behind links, and what those lead to is what changes."""
    write_in_folder(path, content, mode=mode, follow=True)


def mode_of(path: Path, default: int) -> int:
    """The permissions a file has, or those it is to get."""
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        return default
