"""Installs the two pinned Claude Codes into .cache/clients; does nothing when they are there already."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
PINNED: Final = ROOT / "clients" / "claude-code"  # the oldest version that is tried, in most tests
NEW: Final = ROOT / "clients" / "claude-code-new"  # a recent one, where versions differ
CACHE: Final = ROOT / ".cache" / "clients"
PACKAGE: Final = "@anthropic-ai/claude-code"
MACHINES: Final = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}
RETRIES: Final = ("-o", "Acquire::Retries=3")  # of apt, after a dropped connection
FILES: Final = ("package.json", "package-lock.json")


def version(pinned: Path = PINNED) -> str:
    """The one version a lock file names."""
    lock = json.loads((pinned / "package-lock.json").read_text("utf-8"))
    found: str = lock["packages"][f"node_modules/{PACKAGE}"]["version"]
    return found


def install(pinned: Path = PINNED) -> Path:
    """Give the program of a lock file, installed first if need be."""
    folder = CACHE / f"claude-code-{version(pinned)}"
    program = folder / "node_modules" / f"{PACKAGE}-{_platform()}" / "claude"
    fetch(pinned, folder)
    if not program.is_file():
        sys.exit(
            f"{PACKAGE} {version(pinned)} has no program for {_platform()}; the client tests cannot run here"
        )
    return program


def fetch(pinned: Path, folder: Path) -> None:
    """Install what a lock file names, unless it is there; two at once end with one of them in place."""
    if _current(pinned, folder):
        return
    npm = _npm()
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix="new-") as new:
        _fetch(npm, pinned, Path(new) / folder.name)
        _put(pinned, Path(new) / folder.name, folder)


def _current(pinned: Path, folder: Path) -> bool:
    """The lock file is copied beside what was installed by it."""
    copy = folder / "package-lock.json"
    return copy.is_file() and copy.read_bytes() == (pinned / "package-lock.json").read_bytes()


def _fetch(npm: str, pinned: Path, folder: Path) -> None:
    folder.mkdir()
    for name in FILES:
        shutil.copy(pinned / name, folder)
    # No package's script runs: the program lies ready in the package of this platform.
    command = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    subprocess.run(command, cwd=folder, check=True)


def _put(pinned: Path, new: Path, folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    try:
        new.rename(folder)
    except OSError:
        if not _current(pinned, folder):  # nobody else was faster, so it is a real failure
            raise


def _npm() -> str:
    found = shutil.which("npm")
    if found is None and os.geteuid() == 0 and shutil.which("apt-get"):
        subprocess.run(["apt-get", "update", *RETRIES, "-qq"], check=True)
        subprocess.run(["apt-get", "install", *RETRIES, "-y", "-qq", "nodejs", "npm"], check=True)
        found = shutil.which("npm")
    if found is None:
        sys.exit("npm is not installed; on Debian: apt-get install nodejs npm")
    return found


def _platform() -> str:
    system = "darwin" if sys.platform == "darwin" else "linux"
    machine = MACHINES.get(platform.machine().lower(), platform.machine())
    # Only glibc names itself; the other C library of Linux has its own package.
    musl = system == "linux" and platform.libc_ver()[0] != "glibc"
    return f"{system}-{machine}{'-musl' if musl else ''}"


if __name__ == "__main__":
    sys.stdout.write(f"{install()}\n{install(NEW)}\n")
