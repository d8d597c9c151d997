"""What every test in the real browser gets: Chromium, and a home where agents are at work."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

# The rig is imported as `browser.…` and `tests.…`, whichever way pytest was started.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from browser import install, scene
from browser.window import Window, opened
from tests.daemon.home import PATIENCE, Home

expect.set_options(timeout=PATIENCE * 1_000)
SCREENSHOTS = install.ROOT / "build" / "screenshots"


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """The browser itself, once for all tests; its sandbox does not work for root."""
    flags = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=install.chromium(), args=flags)
        yield browser
        browser.close()


@pytest.fixture
def place() -> Iterator[Home]:
    """A home of this test's own."""
    with scene.staged() as home:
        yield home


@pytest.fixture
def window(chromium: Browser, place: Home) -> Iterator[Window]:
    """A window somebody logged in at; whatever it complained of fails the test."""
    with opened(chromium, place) as found:
        found.log_in()
        yield found
        assert found.complaints == []


@pytest.fixture(scope="module")
def played() -> Iterator[Home]:
    """A home after two sessions, for tests that only look."""
    with scene.staged() as home:
        scene.play(home)
        yield home


@pytest.fixture(scope="session")
def screenshots() -> Path:
    """Where pictures of the pages go."""
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    return SCREENSHOTS
