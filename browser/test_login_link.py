"""Laws of logging in by the link, in the real browser."""

from __future__ import annotations

import pytest
from browser.window import opened
from playwright.sync_api import Browser, expect
from tests.daemon.home import Home
from tests.web.browser import link


@pytest.mark.req("M45")
def test_the_link_logs_in_once(chromium: Browser, place: Home) -> None:
    """The button leads to Live; who opens the same link again is told that it was used, and gets no page."""
    with opened(chromium, place) as first, opened(chromium, place) as second:
        used = first.log_in()
        expect(first.page.get_by_role("heading", name="Live")).to_be_visible()
        second.page.goto(used)
        second.page.get_by_role("button", name="Open the dashboard").click()
        expect(second.page.get_by_role("alert")).to_contain_text("this link was already used or has expired")
        refused = second.page.goto(used.partition("/login")[0] + "/live")

        assert refused is not None
        assert refused.status == 401
        assert first.complaints == []


def test_looking_at_the_link_does_not_use_it_up(chromium: Browser, place: Home) -> None:
    """A preview may open it; only the button counts."""
    with opened(chromium, place) as preview, opened(chromium, place) as person:
        fresh = link(place)
        preview.page.goto(fresh)
        person.log_in(fresh)

        expect(person.page.get_by_role("heading", name="Live")).to_be_visible()


def test_logging_out_closes_the_pages(chromium: Browser, place: Home) -> None:
    """The cookie is worth nothing afterwards."""
    with opened(chromium, place) as found:
        found.log_in()
        found.page.get_by_role("button", name="Log out").click()
        expect(found.page.get_by_role("heading", name="Log in")).to_be_visible()
        refused = found.open("/ledger").title()

        assert "Ledger" not in refused
