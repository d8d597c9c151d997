"""Laws of getting the browser where there is none: it is installed, or one sentence says what to do."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from browser.install import ROOT

NOBODY = 65_534
root_only = pytest.mark.skipif(
    os.geteuid() != 0, reason="only root may install, and only root may become another"
)


def program(folder: Path, name: str, text: str) -> None:
    """A program of this machine that is none."""
    folder.chmod(0o755)
    (folder / name).write_text(f"#!/bin/sh\n{text}\n")
    (folder / name).chmod(0o755)


def got(folder: Path, user: int | None = None) -> subprocess.CompletedProcess[str]:
    """What comes of asking for the browser where only the programs of a folder are."""
    # Another user may not reach this interpreter: it becomes that user when it has read all it needs.
    code = (
        "import os, sys; sys.path.insert(0, sys.argv[1]); from browser.install import chromium\n"
        "os.setuid(int(sys.argv[2])); print(chromium())"
    )
    return subprocess.run(
        [sys.executable, "-c", code, str(ROOT), str(os.geteuid() if user is None else user)],
        env={"PATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"},
        cwd="/",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@root_only
def test_root_gets_it_from_the_system(tmp_path: Path) -> None:
    """By the system's own client, without a question; afterwards it is found."""
    line = 'echo "$DEBIAN_FRONTEND $*" >> "$0.log"\n'
    program(
        tmp_path,
        "apt-get",
        line + f'[ "$1" = update ] || {{ echo > {tmp_path}/chromium; /bin/chmod +x {tmp_path}/chromium; }}',
    )
    done = got(tmp_path)

    assert (done.returncode, done.stdout) == (0, f"{tmp_path}/chromium\n")
    asked = (tmp_path / "apt-get.log").read_text().splitlines()
    assert asked == [
        "noninteractive update -o Acquire::Retries=3 -qq",
        "noninteractive install -o Acquire::Retries=3 -y -qq --no-install-recommends chromium",
    ]


@root_only
def test_what_the_system_refuses_is_told(tmp_path: Path) -> None:
    """With its own words above, and no traceback."""
    program(tmp_path, "apt-get", 'echo "E: no such package"; [ "$1" = update ]')
    done = got(tmp_path)

    assert done.returncode == 1
    assert "E: no such package\nthe browser tests need Chromium, and `apt-get install" in done.stderr
    assert "Traceback" not in done.stderr


@root_only
def test_somebody_else_is_told_what_to_do(tmp_path: Path) -> None:
    """Only root can install; nothing is tried."""
    program(tmp_path, "apt-get", "exit 7")
    tmp_path.parent.chmod(0o755)
    tmp_path.parent.parent.chmod(0o755)
    done = got(tmp_path, NOBODY)

    assert done.returncode == 1
    said = "the browser tests need Chromium, which only root can install: sudo apt-get install chromium\n"
    assert done.stderr == said


def test_another_system_is_told_what_to_do(tmp_path: Path) -> None:
    """Where there is no client of Debian's."""
    done = got(tmp_path)

    assert done.returncode == 1
    assert (
        done.stderr == "the browser tests need Chromium; install it, or Chrome, so that it is on the PATH\n"
    )
