"""Laws of what is lost while somebody looks, in the real browser: the dashboard, or the login."""

from __future__ import annotations

import os
import signal

from browser.window import opened
from playwright.sync_api import Browser, expect
from tests.daemon.home import Home


def test_a_dashboard_that_is_gone_is_told_on_the_page(chromium: Browser, place: Home) -> None:
    """What stands there is old from then on; every open page says so, and what to do."""
    with opened(chromium, place) as window:
        window.log_in()
        window.listening()
        other = window.page.context.new_page()
        other.goto(window.page.url.replace("/live", "/hooks"))
        os.kill(int(place.places.lock.read_text()), signal.SIGKILL)

        for page in (window.page, other):
            expect(page.locator("#lost")).to_contain_text("The dashboard has not answered since")
            expect(page.locator("#lost code")).to_have_text("interlock ui")
        expect(window.page.locator("#state")).to_have_text("not connected")


def test_a_login_that_has_ended_is_told_on_the_page(chromium: Browser, place: Home) -> None:
    """On the page that is open, and instead of the next one."""
    with opened(chromium, place) as window:
        window.log_in()
        window.open("/approvals")
        elsewhere = window.page.context.new_page()
        elsewhere.goto(window.page.url)
        elsewhere.get_by_role("button", name="Log out").click()

        expect(window.page.locator("#lost")).to_contain_text("This login has ended")
        refused = window.page.reload()
        assert refused is not None
        assert refused.status == 401
        expect(window.page.get_by_role("alert")).to_contain_text(
            "this browser is not logged in, or its login has ended"
        )
        expect(window.page.locator("pre")).to_have_text("interlock ui")


def test_leaving_pages_is_no_attempt_of_anybody(chromium: Browser, place: Home) -> None:
    """A browser drops what a page still asks when it is left; the ledger tells of no refusal for that."""
    with opened(chromium, place) as window:
        window.log_in()
        for path in ("/live", "/fleet", "/approvals") * 5:
            window.page.goto(window.page.url.rpartition("/")[0] + path, wait_until="commit")

    assert place.entries("refused") == []
