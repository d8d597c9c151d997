"""A window of the real browser: what it opens, what it complains of, and who could not use what it shows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, Final, Literal

from browser.install import axe
from playwright.sync_api import Browser, ConsoleMessage, Page
from tests.daemon.home import PATIENCE, Home
from tests.web.browser import link

Scheme = Literal["light", "dark"]
WIDE: Final = (1280, 800)
PHONE: Final = (390, 844)
GRAVE: Final = ("serious", "critical")


class Window:
    """One window with a login of its own."""

    def __init__(self, page: Page, home: Home) -> None:
        self.page: Final = page
        self.home: Final = home
        self.complaints: Final[list[str]] = []
        page.on("console", self._said)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def log_in(self, address: str | None = None) -> str:
        """Open a link and press its button; gives where that was."""
        used = address or link(self.home)
        self.page.goto(used)
        self.page.get_by_role("button", name="Open the dashboard").click()
        self.page.wait_for_url("**/live")
        return used

    def open(self, path: str) -> Page:
        """Go to a page of this dashboard."""
        self.page.goto(self.page.url.partition("://")[0] + "://" + self._host() + path)
        return self.page

    def follow(self) -> Page:
        """The page Live, once it would hear of a decision."""
        self.open("/live")
        self.listening()
        return self.page

    def listening(self) -> None:
        """Wait until the page Live would."""
        self.page.locator('#state[data-state="live"]').wait_for()

    def obstacles(self) -> list[str]:
        """What axe-core holds against the page, of what is serious."""
        # By the debugger and not by a tag: the page's own policy lets no foreign script in.
        self.page.evaluate(_axe())
        found: dict[str, Any] = self.page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")
        return [
            f"{self.page.url}: {one['id']}: {one['nodes'][0]['html'][:200]}"
            for one in found["violations"]
            if one["impact"] in GRAVE
        ]

    def overflow(self) -> int:
        """By how many pixels the page is wider than the window."""
        wider: int = self.page.evaluate("() => document.documentElement.scrollWidth - innerWidth")
        return max(0, wider)

    def _host(self) -> str:
        return self.page.url.split("/")[2]

    def _said(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            self.complaints.append(f"{self.page.url}: {message.text}")


@contextmanager
def opened(
    chromium: Browser, home: Home, *, size: tuple[int, int] = WIDE, scheme: Scheme = "light"
) -> Iterator[Window]:
    """A window nobody is logged in at."""
    width, height = size
    context = chromium.new_context(
        viewport={"width": width, "height": height}, color_scheme=scheme, locale="en-GB", timezone_id="UTC"
    )
    context.set_default_timeout(PATIENCE * 1_000)
    try:
        yield Window(context.new_page(), home)
    finally:
        context.close()


@cache
def _axe() -> str:
    return axe().read_text("utf-8")
