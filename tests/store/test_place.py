"""Laws of where a database may lie."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from interlock.errors import StoreError
from interlock.store.files import file_system, secure_folder

ROOT = "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw"


def mounted(point: Path | str, kind: str) -> str:
    """One line of mountinfo, as the kernel writes it."""
    text = str(point).replace(" ", "\\040")
    return f"40 22 0:51 / {text} rw,relatime shared:7 - {kind} server:/export rw,vers=4.2"


@pytest.mark.parametrize("kind", ["nfs", "nfs4", "cifs", "smb3", "fuse.sshfs", "9p", "ceph"])
def test_a_network_file_system_is_refused(tmp_path: Path, kind: str) -> None:
    """Locks do not hold across machines, so no database is kept there."""
    with pytest.raises(StoreError, match=f"network file system \\({kind}\\)"):
        secure_folder(tmp_path / "state", uid=os.getuid(), mounts=f"{ROOT}\n{mounted(tmp_path, kind)}\n")


@pytest.mark.parametrize("kind", ["ext4", "btrfs", "xfs", "tmpfs", "overlay", "fuse.gocryptfs"])
def test_a_disk_of_this_machine_is_fine(tmp_path: Path, kind: str) -> None:
    """What is local is used."""
    secure_folder(tmp_path / "state", uid=os.getuid(), mounts=f"{ROOT}\n{mounted(tmp_path, kind)}\n")

    assert (tmp_path / "state").is_dir()


def test_the_longest_mount_point_counts_and_the_last_of_equals() -> None:
    """A mount inside a mount hides it; a name that only begins alike does not."""
    mounts = "\n".join(
        [mounted("/srv", "nfs"), mounted("/srv/local", "ext4"), mounted("/srv/local", "xfs"), ROOT]
    )

    assert file_system(Path("/srv/local/state"), mounts) == "xfs"
    assert file_system(Path("/srv/locale"), mounts) == "nfs"
    assert file_system(Path("/srv"), mounts) == "nfs"
    assert file_system(Path("/var"), mounts) == "ext4"


def test_a_mount_point_with_a_blank_is_recognised(tmp_path: Path) -> None:
    """The kernel writes blanks in octal."""
    folder = tmp_path / "my files"
    folder.mkdir()

    assert file_system(folder / "state", mounted(folder, "nfs4")) == "nfs4"


@pytest.mark.parametrize("text", ["", "nonsense", "1 2 3", "1 2 3 4 / rw no separator"])
def test_what_the_kernel_does_not_say_is_no_reason_to_refuse(text: str) -> None:
    """Lines that cannot be read are passed over."""
    assert file_system(Path("/var"), text) is None
