"""Laws of answering agents, in the real browser and through the real shim."""

from __future__ import annotations

import re

import pytest
from browser import scene
from browser.window import Window
from playwright.sync_api import expect
from tests.daemon.approvers import ME, states, told
from tests.daemon.home import Home, bash, decided

COUNTING = """() => {
  window.tones = 0;
  const made = AudioContext.prototype.createOscillator;
  AudioContext.prototype.createOscillator = function () { tones += 1; return made.call(this); };
}"""


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


def test_the_policy_lines_on_the_page_allow_the_call(window: Window) -> None:
    """They stand below a lone request; written to the policy, the same call passes and another waits."""
    home = window.home
    assert tried(home, "t1", "git push origin a") == "deny"
    shown = window.open("/approvals").locator("#ap_1 details pre")
    expect(shown).to_be_visible()
    home.write_policy(scene.POLICY.replace("settings:\n", f"{shown.inner_text().rstrip()}\n", 1))

    assert tried(home, "t2", "git push origin a") is None
    assert tried(home, "t3", "git push origin b") == "deny"


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


def test_a_request_is_heard_where_somebody_wants_to(window: Window) -> None:
    """One tone to say that it is on, one for each request that comes, and none when it is off again."""
    page = window.open("/ledger")
    page.evaluate(COUNTING)
    sound = page.get_by_role("button", name="Sound")
    tried(window.home, "t1", "git push origin a")
    expect(page.locator("#pending")).to_contain_text("1")
    assert page.evaluate("() => tones") == 0
    sound.click()
    expect(sound).to_have_attribute("aria-pressed", "true")
    tried(window.home, "t2", "git push origin b")
    page.wait_for_function("() => tones === 2")
    sound.click()
    tried(window.home, "t3", "git push origin c")
    expect(page.locator("#pending")).to_contain_text("3")

    assert page.evaluate("() => tones") == 2


def test_a_request_counts_down(window: Window) -> None:
    """By the second, until it is over."""
    tried(window.home, "t1", "git push origin a")
    left = window.open("/approvals").locator("#ap_1 .left time")
    expect(left).to_have_text(re.compile(r"^in 59:\d\d$"))
    first = left.inner_text()

    expect(left).not_to_have_text(first)
    expect(left).to_have_text(re.compile(r"^in 59:\d\d$"))
