"""Dashboards of real daemons."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.daemon.approvers import policy
from tests.daemon.home import Home, remove
from tests.web.browser import Browser, browser


@contextmanager
def served() -> Iterator[Home]:
    """A home whose daemon asks before a push; what was started in it ends with it."""
    home = Home(folder=Path(tempfile.mkdtemp(prefix="ilk-")))
    home.write_launch()
    home.write_policy(policy())
    home.start()
    try:
        yield home
    finally:
        home.end()
        remove(home.folder)


@pytest.fixture
def place() -> Iterator[Home]:
    """A home of this test's own."""
    with served() as home:
        yield home


@pytest.fixture(scope="module")
def standing() -> Iterator[Browser]:
    """A logged-in browser for tests that change nothing, at a home they share."""
    with served() as home:
        found = browser(home)
        assert found.log_in().status == 303
        yield found


@pytest.fixture
def visitor(place: Home) -> Browser:
    """A browser that nobody logged in."""
    return browser(place)


@pytest.fixture
def person(visitor: Browser) -> Browser:
    """A browser somebody logged in by a link."""
    assert visitor.log_in().status == 303
    return visitor
