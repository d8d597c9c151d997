"""Laws of answering agents, in the real browser and through the real shim."""

from __future__ import annotations

import pytest
from browser.window import Window
from playwright.sync_api import expect
from tests.daemon.approvers import ME, states, told
from tests.daemon.home import Home, bash, decided


def tried(home: Home, use_id: str, command: str) -> str | None:
    """What the agent's call comes to."""
    return decided(home.shim(bash(command, tool_use_id=use_id, permission_mode="default")))[0]


@pytest.mark.req("M45", "M85")
def test_a_yes_lets_the_retry_proceed_and_a_no_does_not(window: Window) -> None:
    """Both requests come to the open page by themselves; the ledger says who answered."""
    page, home = window.open("/approvals"), window.home
    assert tried(home, "t1", "git push origin a") == "deny"
    assert tried(home, "t2", "git push origin b") == "deny"
    first = page.locator("#ap_1")
    expect(first.locator("pre.call")).to_contain_text("git push origin a")
    first.get_by_label("Note").fill("looked at it")
    first.get_by_role("button", name="Approve ap_1").click()
    expect(page.get_by_role("row").filter(has_text="ap_1")).to_contain_text("approved")
    second = page.locator("#ap_2")
    second.get_by_label("Note").fill("not today")
    second.get_by_role("button", name="Deny ap_2").click()
    expect(page.get_by_role("row").filter(has_text="ap_2")).to_contain_text("not today")

    assert tried(home, "t3", "git push origin a") is None
    assert tried(home, "t4", "git push origin b") == "deny"
    assert states(home)[:2] == ["used", "denied"]
    assert {("ap_1", "approved", ME), ("ap_2", "denied", ME)} <= set(told(home))


def test_what_waits_is_counted_on_every_page(window: Window) -> None:
    """In the navigation and in the tab's title, as soon as it waits and until it is answered."""
    page = window.follow()
    tried(window.home, "t1", "git push origin a")

    expect(page).to_have_title("(1) Live · Interlock")
    expect(page.locator("#pending")).to_contain_text("1")


def test_enter_in_the_note_answers_nothing(window: Window) -> None:
    """Only a button does."""
    tried(window.home, "t1", "git push origin a")
    page = window.open("/approvals")
    page.locator("#ap_1").get_by_label("Note").fill("because")
    page.locator("#ap_1").get_by_label("Note").press("Enter")
    page.get_by_role("button", name="Approve ap_1").click()
    expect(page.get_by_role("row").filter(has_text="ap_1")).to_contain_text("because")

    assert states(window.home) == ["approved"]
