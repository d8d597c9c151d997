"""Gets what the browser tests need, unless it is there: Debian's Chromium and the pinned axe-core."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

from clients.install import RETRIES, fetch

ROOT: Final = Path(__file__).resolve().parent.parent
PINNED: Final = ROOT / "browser" / "axe"
CACHE: Final = ROOT / ".cache" / "browser"
NAMES: Final = ("chromium", "chromium-browser", "google-chrome")
GET: Final = ("apt-get", "install", *RETRIES, "-y", "-qq", "--no-install-recommends", "chromium")


def found() -> Path | None:
    """The browser of this machine, if there is one."""
    return next((Path(path) for name in NAMES if (path := shutil.which(name))), None)


def chromium() -> Path:
    """The browser of this machine, installed first where that is possible."""
    there = found()
    if there is None:
        _get()
        there = found()
    if there is None:
        sys.exit("Chromium was installed and is not on the PATH as one of: " + ", ".join(NAMES))
    return there


def axe() -> Path:
    """The script that looks for what keeps people out of a page."""
    lock = json.loads((PINNED / "package-lock.json").read_text("utf-8"))
    folder = CACHE / f"axe-{lock['packages']['node_modules/axe-core']['version']}"
    fetch(PINNED, folder)
    return folder / "node_modules" / "axe-core" / "axe.min.js"


def _get() -> None:
    """Install the browser, or end with the next step."""
    if shutil.which("apt-get") is None:
        sys.exit("the browser tests need Chromium; install it, or Chrome, so that it is on the PATH")
    if os.geteuid() != 0:
        sys.exit(
            "the browser tests need Chromium, which only root can install: sudo apt-get install chromium"
        )
    sys.stderr.write("installing Chromium for the browser tests\n")
    environ = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (("apt-get", "update", *RETRIES, "-qq"), GET):
        # What apt prints is for whoever watches, not for whoever reads the path.
        if subprocess.run(command, env=environ, stdout=sys.stderr, check=False).returncode:
            said = " ".join(command)
            sys.exit(
                f"the browser tests need Chromium, and `{said}` failed as told above; fix that and try again"
            )


if __name__ == "__main__":
    sys.stdout.write(f"{chromium()}\n{axe()}\n")
