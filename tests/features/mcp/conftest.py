"""Agents for tests, each with a daemon and a project of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.daemon.home import Home
from tests.features.mcp.agent import Agent


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository."""
    (tmp_path / ".git").mkdir()
    return tmp_path


@pytest.fixture
def agent(served: Home, project: Path) -> Iterator[Agent]:
    """An agent that reports to its daemon."""
    started = Agent.start(served, project)
    yield started
    started.end()
