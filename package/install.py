"""Installs the locked release tools and downloads what Interlock needs into .cache/package, once."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import venv
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
CACHE: Final = ROOT / ".cache" / "package"
_REQUIREMENTS: Final = ROOT / "requirements"
_PIP: Final = (sys.executable, "-m", "pip", "-qq", "--disable-pip-version-check")


def install_tools() -> Path:
    """The folder of programs that package.lock names: uv, pipx, cibuildwheel, auditwheel, zizmor."""
    lock = _REQUIREMENTS / "package.lock"
    folder = _folder("tools", lock)
    if not (folder / "complete").exists():
        shutil.rmtree(folder, ignore_errors=True)
        venv.create(folder)
        command = [
            *_PIP,
            "--python",
            str(folder),
            "install",
            "--require-hashes",
            "--no-deps",
            "-r",
            str(lock),
        ]
        subprocess.run(command, check=True)
        (folder / "complete").touch()
    return folder / "bin"


def download_wheels() -> Path:
    """A folder with every package that an installed Interlock needs, as the locks have them."""
    locks = [_REQUIREMENTS / name for name in ("run.lock", "package.lock")]
    folder = _folder("wheels", *locks)
    if not (folder / "complete").exists():
        shutil.rmtree(folder, ignore_errors=True)
        for lock in locks:
            command = [*_PIP, "download", "--require-hashes", "--no-deps", "-r", str(lock), "-d", str(folder)]
            subprocess.run(command, check=True)
        (folder / "complete").touch()
    return folder


def _folder(name: str, *locks: Path) -> Path:
    """Another one for each state of the lock files and each Python."""
    known = b"".join(lock.read_bytes() for lock in locks) + sys.version.encode()
    digest = hashlib.sha256(known).hexdigest()
    return CACHE / f"{name}-{digest[:12]}"


if __name__ == "__main__":
    sys.stdout.write(f"{install_tools()}\n{download_wheels()}\n")
