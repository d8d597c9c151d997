"""Laws of folders nobody else may look into."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from interlock.daemon.paths import MAX_SOCKET_PATH, check_socket_path, make_private
from interlock.errors import InterlockError


def test_a_folder_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    """The last folder of a new path has mode 0700, whatever the umask; one that is so already is taken."""
    before = os.umask(0)
    try:
        make_private(tmp_path / "a" / "b")
    finally:
        os.umask(before)
    make_private(tmp_path / "a" / "b")

    assert stat.S_IMODE((tmp_path / "a" / "b").stat().st_mode) == 0o700


@pytest.mark.req("Z01")
@pytest.mark.parametrize("mode", [0o777, 0o1777, 0o755, 0o710, 0o701])
def test_a_folder_open_to_others_is_refused(tmp_path: Path, mode: int) -> None:
    """Any right of anybody else is one too many."""
    tmp_path.chmod(mode)

    with pytest.raises(InterlockError, match="chmod 700"):
        make_private(tmp_path)


@pytest.mark.req("Z01")
@pytest.mark.parametrize("there", [True, False], ids=["leads to a folder", "leads nowhere"])
def test_a_link_in_its_place_is_refused(tmp_path: Path, there: bool) -> None:
    """Whoever made the link chose where it leads."""
    target = tmp_path / "target"
    if there:
        target.mkdir(mode=0o700)
    link = tmp_path / "link"
    link.symlink_to(target)

    with pytest.raises(InterlockError, match="is not a folder"):
        make_private(link)


@pytest.mark.req("Z01")
@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a folder away")
def test_a_folder_of_another_user_is_refused(tmp_path: Path) -> None:
    """Its owner could change what lies in it."""
    folder = tmp_path / "theirs"
    folder.mkdir(mode=0o700)
    os.chown(folder, 65534, 65534)

    with pytest.raises(InterlockError, match="another user"):
        make_private(folder)


def test_a_file_on_the_way_is_told(tmp_path: Path) -> None:
    """What cannot be made is a message, not a traceback."""
    (tmp_path / "file").write_text("")

    with pytest.raises(InterlockError, match=r"cannot create .*: not a directory"):
        make_private(tmp_path / "file" / "run")


def test_a_socket_path_is_cut_nowhere() -> None:
    """A path of 104 bytes is taken, a longer one is refused with a next step."""
    longest = Path("/" + "x" * (MAX_SOCKET_PATH - 1))
    check_socket_path(longest)

    with pytest.raises(InterlockError, match="choose a shorter home"):
        check_socket_path(Path(f"{longest}x"))
