"""What every test with a real client gets: a project and a home nobody else uses."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

# The rig is imported as `clients.…`, whichever way pytest was started.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder for the agent to work in, with something to lose."""
    folder = tmp_path / "project"
    (folder / "build").mkdir(parents=True)
    (folder / "build" / "kept.txt").write_text("kept\n", encoding="utf-8")
    return folder


@pytest.fixture
def home() -> Iterator[Path]:
    """The home of the person at this machine, for one test; its path is short, since sockets lie below it."""
    with tempfile.TemporaryDirectory(prefix="home-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)
