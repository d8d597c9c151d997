"""Laws of finding things, in the real browser."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from browser import scene
from browser.window import Window, opened
from playwright.sync_api import Browser, expect
from tests.daemon.home import Home


@pytest.fixture
def looking(chromium: Browser, played: Home) -> Iterator[Window]:
    """A window at a home where two sessions were."""
    with opened(chromium, played) as found:
        found.log_in()
        yield found
        assert found.complaints == []


@pytest.mark.req("M45")
def test_the_ledger_is_filtered_and_searched(looking: Window) -> None:
    """By decision, then by a word, which is marked where it stands; one entry opens with its proof."""
    page = looking.open("/ledger")
    search = page.get_by_role("search")
    search.get_by_label("Decision").select_option("deny")
    search.get_by_text("More filters").click()
    search.get_by_label("Kind").fill("decision")
    search.get_by_role("button", name="Search").click()
    rows = page.locator("table.rows tbody tr")
    expect(rows.filter(has_text=scene.DENIED)).to_have_count(1)
    assert {text.strip() for text in rows.locator(".vote").all_inner_texts()} == {"deny", "needs approval"}

    search.get_by_role("link", name="Clear").click()
    search.get_by_label("Words").fill("mirror")
    search.get_by_role("button", name="Search").click()
    expect(rows.locator("mark").first).to_have_text("mirror")
    assert all("mirror" in text for text in rows.all_inner_texts())
    rows.first.get_by_role("link").first.click()
    expect(page.get_by_text("proof", exact=False).first).to_be_visible()


def test_words_that_are_nowhere_find_nothing(looking: Window) -> None:
    """And the page says so."""
    page = looking.open("/ledger?q=nobodywroteit")

    expect(page.get_by_text("No entries match.")).to_be_visible()


def test_the_chain_is_verified_by_a_button(looking: Window) -> None:
    """And a checkpoint comes as a file."""
    page = looking.open("/ledger")
    page.get_by_role("button", name="Verify the chain").click()
    expect(page.locator("main")).to_contain_text("entries")
    page = looking.open("/ledger")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download a checkpoint").click()

    assert download.value.path().stat().st_size > 0


def test_a_command_is_tried_and_read(looking: Window) -> None:
    """The box on Policy says what the rules would decide; nothing is run or recorded for it."""
    before = len(looking.home.entries())
    page = looking.open("/policy")
    page.get_by_label("Command, path or address").fill(scene.DENIED)
    page.get_by_role("button", name="Try").click()

    expect(page.locator("#outlook h3 .vote").first).to_have_text("deny")
    expect(page.locator("#outlook .tree")).to_contain_text("git push --mirror")
    assert len(looking.home.entries()) == before
