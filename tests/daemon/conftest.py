"""Homes for daemons."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.daemon.approvers import policy
from tests.daemon.home import Home

from interlock.config.locations import MANAGED


@pytest.fixture
def place() -> Iterator[Home]:
    """A home with no daemon yet; what was started in it ends with it."""
    home = Home(folder=Path(tempfile.mkdtemp(prefix="ilk-")))
    home.write_launch()
    yield home
    home.end()
    shutil.rmtree(home.folder)


@pytest.fixture
def person(place: Home) -> Home:
    """A home whose launch file leads to the daemon that a person's command starts and speaks to."""
    launch = place.folder / "launch"
    launch.write_text(launch.read_text().replace(str(place.places.managed_config), str(MANAGED)))
    return place


@pytest.fixture
def served(place: Home) -> Home:
    """A home whose daemon answers, without a policy."""
    place.start()
    return place


@pytest.fixture
def asking(place: Home) -> Home:
    """A daemon whose policy asks before a push."""
    place.write_policy(policy())
    place.start()
    return place
