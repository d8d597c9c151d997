"""Laws of every page, in the real browser: wide and on a phone, light and dark, for everybody."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from browser import scene
from browser.window import PHONE, WIDE, Scheme, Window, opened
from playwright.sync_api import Browser
from tests.daemon.home import Home
from tests.web.browser import link

from interlock.web.main import all_pages

PATHS: Final = {
    "live": "/live",
    "approvals": "/approvals",
    "sessions": "/sessions",
    "session": f"/session?id={scene.MAIN}",
    "call": "/calls/{call}",
    "fleet": "/fleet",
    "work": "/work",
    "task": "/tasks/1",
    "ledger": "/ledger",
    "entry": "/ledger/{call}",
    "hooks": "/hooks",
    "policy": "/policy",
    "missing": "/nothing-here",
}
LOOKS: Final = {
    "wide-light": (WIDE, "light"),
    "wide-dark": (WIDE, "dark"),
    "phone-light": (PHONE, "light"),
    "phone-dark": (PHONE, "dark"),
}


def path_of(name: str, home: Home) -> str:
    """A page's address, with the denied call where one is meant."""
    denied = [one.seq for one in home.entries("decision") if one.body.get("decided_by") == "no-mirror"]
    return PATHS[name].format(call=denied[0])


def ground(window: Window) -> int:
    """How light the page's ground is, from 0 to 765."""
    colour: str = window.page.evaluate("() => getComputedStyle(document.body).backgroundColor")
    return sum(int(part) for part in colour.strip("rgb()").split(","))


def test_every_listed_page_is_looked_at() -> None:
    """A page that is added is tried here too."""
    assert {page.name for page in all_pages() if page.listed} <= set(PATHS)


def test_the_laws_of_pages_can_fail(chromium: Browser, played: Home) -> None:
    """A field without a name, an error on the console and a line that does not fit are all seen."""
    with opened(chromium, played, size=PHONE) as window:
        window.log_in()
        window.page.evaluate("() => document.querySelector('main').append(document.createElement('input'))")
        window.page.evaluate("() => console.error('something is wrong')")
        window.page.evaluate("() => document.querySelector('.brand').append('x'.repeat(200))")

        assert [one for one in window.obstacles() if ": label: " in one]
        assert [one for one in window.complaints if "something is wrong" in one]
        assert window.overflow() > 0


@pytest.mark.parametrize("look", LOOKS)
def test_pages_keep_nobody_out(chromium: Browser, played: Home, screenshots: Path, look: str) -> None:
    """Nothing serious for axe-core, nothing said on the console, nothing wider than the window; pictures."""
    size, scheme = LOOKS[look]
    known: Scheme = "dark" if scheme == "dark" else "light"
    obstacles: list[str] = []
    with opened(chromium, played, size=size, scheme=known) as window:
        window.log_in()
        for name in PATHS:
            window.open(path_of(name, played))
            if name == "live":
                window.listening()
            window.page.screenshot(path=screenshots / f"{name}-{look}.png", full_page=True)
            obstacles += window.obstacles()
            if window.overflow():
                obstacles.append(f"{name}: {window.overflow()} pixels wider than the window")
            assert (ground(window) > 382) is (scheme == "light"), name

        expected = [one for one in window.complaints if "404" in one and "/nothing-here" in one]
        assert obstacles == []
        assert window.complaints == expected


@pytest.mark.parametrize("look", LOOKS)
def test_the_way_in_keeps_nobody_out(chromium: Browser, played: Home, screenshots: Path, look: str) -> None:
    """The same for the page of the link, which comes before any login."""
    size, scheme = LOOKS[look]
    with opened(chromium, played, size=size, scheme="dark" if scheme == "dark" else "light") as window:
        window.page.goto(link(played))
        window.page.screenshot(path=screenshots / f"login-{look}.png")

        assert window.obstacles() == []
        assert window.overflow() == 0
        assert window.complaints == []


def test_the_keyboard_reaches_every_page(chromium: Browser, played: Home) -> None:
    """The first key leads past the navigation, the next ones through it."""
    with opened(chromium, played) as window:
        window.log_in()
        window.open("/sessions")
        window.page.keyboard.press("Tab")
        assert window.page.evaluate("() => document.activeElement.className") == "skip"
        reached = set()
        for _ in range(len(all_pages()) + 2):
            window.page.keyboard.press("Tab")
            reached.add(window.page.evaluate("() => document.activeElement.getAttribute('href')"))

        assert {next(iter(page.shows)) for page in all_pages() if page.listed} <= reached
