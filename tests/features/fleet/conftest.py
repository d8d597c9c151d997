"""Homes and crews for the tests of what people see of many agents."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.features.fleet.crew import Crew


@pytest.fixture
def crew(tmp_path: Path) -> Crew:
    """Nobody yet, and no daemon."""
    folder = tmp_path / "state"
    folder.mkdir(mode=0o700)
    return Crew(database=folder / "interlock.db")
