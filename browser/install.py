"""Gets what the browser tests need, unless it is there: Debian's Chromium and the pinned axe-core."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

from clients.install import fetch

ROOT: Final = Path(__file__).resolve().parent.parent
PINNED: Final = ROOT / "browser" / "axe"
CACHE: Final = ROOT / ".cache" / "browser"
NAMES: Final = ("chromium", "chromium-browser", "google-chrome")


def chromium() -> Path:
    """The browser of this machine, installed first where that is possible."""
    found = _found()
    if found is None and os.geteuid() == 0 and shutil.which("apt-get"):
        environ = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        # What apt prints is for whoever watches, not for whoever reads the path.
        subprocess.run(["apt-get", "update", "-qq"], check=True, stdout=sys.stderr)
        subprocess.run(
            ["apt-get", "install", "-y", "-qq", "--no-install-recommends", "chromium"],
            env=environ,
            check=True,
            stdout=sys.stderr,
        )
        found = _found()
    if found is None:
        sys.exit("the browser tests need Chromium; on Debian: apt-get install chromium")
    return Path(found)


def axe() -> Path:
    """The script that looks for what keeps people out of a page."""
    lock = json.loads((PINNED / "package-lock.json").read_text("utf-8"))
    folder = CACHE / f"axe-{lock['packages']['node_modules/axe-core']['version']}"
    fetch(PINNED, folder)
    return folder / "node_modules" / "axe-core" / "axe.min.js"


def _found() -> str | None:
    return next((path for name in NAMES if (path := shutil.which(name))), None)


if __name__ == "__main__":
    sys.stdout.write(f"{chromium()}\n{axe()}\n")
