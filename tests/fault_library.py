"""The library that lets a change to a file go wrong, compiled for this machine."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

KILL, TEAR, NO_SPACE = 1, 2, 3  # at a change to a file, in the middle of it, or instead of it
_SOURCE: Final = Path(__file__).with_name("ledger") / "faults.c"


def build_faults(folder: Path) -> Path:
    """Compile it into a folder; a test that needs it is skipped where it cannot stand in between."""
    compiler = shutil.which("cc")
    if compiler is None or not sys.platform.startswith("linux"):
        pytest.skip("needs a C compiler and LD_PRELOAD to stand between the program and the kernel")
    built = folder / "faults.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", built, _SOURCE, "-ldl"], check=True)
    return built
