"""Laws of watching agents, in the real browser."""

from __future__ import annotations

import re

import pytest
from browser import scene
from browser.window import Window
from playwright.sync_api import expect
from tests.daemon.home import bash, wait_for


@pytest.mark.req("M45", "M85")
def test_a_decision_arrives_while_somebody_watches(window: Window) -> None:
    """Through the real shim, with the hook that fired and why; nobody reloads anything."""
    page = window.follow()
    window.home.shim(bash(scene.DENIED, tool_use_id="t1", session_id=scene.MAIN))
    line = page.locator("#lines tr").first

    expect(line).to_contain_text(scene.DENIED)
    expect(line.locator(".vote")).to_have_text("deny")
    expect(line).to_contain_text("a mirror overwrites every branch")
    expect(line.locator(".fired li")).to_have_text(["no-mirror denied"])


def test_a_pause_holds_what_comes(window: Window) -> None:
    """It is counted meanwhile, and stands on the page when it goes on."""
    page = window.follow()
    page.get_by_role("button", name="Pause").click()
    window.home.shim(bash("ls held", tool_use_id="t1"))
    expect(page.locator("#state")).to_contain_text("1 held")
    expect(page.locator("#lines tr")).to_have_count(0)
    page.get_by_role("button", name="Resume").click()

    expect(page.locator("#lines tr")).to_have_count(1)


def test_more_than_fits_is_counted(window: Window) -> None:
    """The newest stand on the page, in order; every decision is accounted for, also those in a pause."""
    page = window.follow()
    for number in range(130):
        window.home.call(bash(f"ls {number}", tool_use_id=f"t{number}"))
    expect(page.locator("#heard")).to_contain_text("130 decisions since")
    page.get_by_role("button", name="Pause").click()
    for number in range(130, 250):
        window.home.call(bash(f"ls {number}", tool_use_id=f"t{number}"))
    expect(page.locator("#state")).to_have_text("paused, 120 held")
    page.get_by_role("button", name="Resume").click()
    expect(page.locator("#lines tr")).to_have_count(200)

    expect(page.locator("#heard")).to_contain_text("250 decisions since")
    expect(page.locator("#heard")).to_contain_text("the newest 200 are shown")
    expect(page.locator("#missed")).to_be_hidden()
    shown = page.locator("#lines .call code").all_inner_texts()
    assert shown == [f"ls {number}" for number in range(249, 49, -1)]


def test_what_does_not_fit_the_filter_is_counted_too(window: Window) -> None:
    """So that nobody takes a quiet page for a quiet day."""
    page = window.open("/live?decision=deny")
    window.listening()
    for number in range(3):
        window.home.call(bash(f"ls {number}", tool_use_id=f"t{number}"))

    expect(page.locator("#heard")).to_contain_text("3 decisions since")
    expect(page.locator("#heard")).to_contain_text("0 match the filter")


def test_a_filter_holds_for_what_comes(window: Window) -> None:
    """What does not fit is not shown, also when it arrives later."""
    page = window.follow()
    page.get_by_role("combobox", name="Decision").select_option("deny")
    page.get_by_role("search").get_by_role("button").click()
    page.locator('#state[data-state="live"]').wait_for()
    window.home.shim(bash("ls first", tool_use_id="t1"))
    window.home.shim(bash(scene.DENIED, tool_use_id="t2"))

    expect(page.locator("#lines tr")).to_have_count(1)
    expect(page.locator("#lines tr")).to_contain_text(scene.DENIED)


@pytest.mark.req("M45")
def test_a_call_opens_with_its_trace(window: Window) -> None:
    """From the line on Live to its session, and from there to every hook that was asked."""
    page = window.follow()
    window.home.shim(bash(scene.DENIED, tool_use_id="t1", session_id=scene.MAIN))
    page.locator("#lines tr").first.get_by_role("link", name=scene.MAIN[:8]).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(scene.MAIN)
    page.locator(".moments li.call a").first.click()
    row = page.get_by_role("row").filter(has_text="no-mirror")

    expect(row.locator(".vote").first).to_have_text("deny")
    expect(row.locator("svg")).to_be_visible()
    expect(row).to_contain_text("genesis.key:6")
    expect(page.get_by_role("heading", name="Hooks")).to_be_visible()


def test_what_a_hook_changed_is_shown_as_a_diff(window: Window) -> None:
    """The old line and the new one."""
    window.home.shim(bash("npm install left-pad", tool_use_id="t1", session_id=scene.MAIN))
    wait_for(lambda: window.home.entries("decision"), "the call is recorded")
    page = window.open(f"/session?id={scene.MAIN}")
    page.locator(".moments li.call a").first.click()

    expect(page.locator(".diff .removed").first).to_contain_text("npm install left-pad")
    expect(page.locator(".diff .added").first).to_contain_text("npm install --ignore-scripts left-pad")


@pytest.mark.req("M45")
def test_the_events_of_a_call_are_one_row(window: Window) -> None:
    """As they come and after a reload alike, with every hook that fired and links to call and evidence."""
    page = window.follow()
    scene.play(window.home)
    lines = page.locator("#lines tr")
    row = lines.filter(has_text="npm install left-pad")
    expect(lines.first).to_contain_text("needs approval")
    pushed = page.locator("#lines").inner_text()
    expect(row.locator(".fired li")).to_have_text(
        [
            "quiet-installs changed the input",
            "known-packages ran",
            "look-alikes ran",
            re.compile(r"installs captured evidence #\d+ at PostToolUse"),
        ]
    )
    expect(row.locator(".events a")).to_have_text(["PreToolUse", "PostToolUse"])
    window.follow()

    assert page.locator("#lines").inner_text() == pushed
    row.locator(".call a").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Bash")
    expect(page.get_by_role("row").filter(has_text="installs").filter(has_text="evidence #")).to_be_visible()
