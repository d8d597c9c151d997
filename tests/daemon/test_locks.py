"""Laws of the locks."""

from __future__ import annotations

import stat
import subprocess
import sys
from pathlib import Path

import pytest

from interlock.daemon.paths import FileLock

HOLDER = """
import sys, time
from pathlib import Path
from interlock.daemon.paths import FileLock
lock = FileLock(Path(sys.argv[1]))
assert lock.take()
lock.sign("me")
print("held", flush=True)
time.sleep(60)
"""


def test_one_of_two_has_it(tmp_path: Path) -> None:
    """A lock that is held is not given again until it is released."""
    one, other = FileLock(tmp_path / "lock"), FileLock(tmp_path / "lock")

    assert one.take()
    assert not other.take()
    one.release()
    assert other.take()
    other.release()


@pytest.mark.deep
def test_the_kernel_gives_back_what_a_dead_process_held(tmp_path: Path) -> None:
    """A holder killed in the middle leaves its file and its name, and no lock."""
    path = tmp_path / "lock"
    with subprocess.Popen([sys.executable, "-c", HOLDER, path], stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        taken_meanwhile = FileLock(path).take()
        holder.kill()

    assert not taken_meanwhile
    assert path.read_text() == "me"
    lock = FileLock(path)
    assert lock.take()
    lock.release()


def test_the_file_is_private_and_holds_the_last_name_only(tmp_path: Path) -> None:
    """Nobody else reads who holds it, and a shorter name leaves nothing of a longer one."""
    lock = FileLock(tmp_path / "lock")
    assert lock.take()
    lock.sign("12345\n")
    lock.sign("7\n")
    lock.release()
    lock.sign("nobody holds it now")

    assert (tmp_path / "lock").read_text() == "7\n"
    assert stat.S_IMODE((tmp_path / "lock").stat().st_mode) == 0o600


@pytest.mark.req("Z01")
def test_a_link_is_not_followed(tmp_path: Path) -> None:
    """A link in the lock's place cannot make us write elsewhere."""
    (tmp_path / "lock").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(OSError, match="symbolic link"):
        FileLock(tmp_path / "lock").take()
    assert not (tmp_path / "elsewhere").exists()
