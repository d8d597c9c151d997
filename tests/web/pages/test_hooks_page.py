"""Laws of the page Hooks."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

from tests.web.pages.calls import before, hook
from tests.web.pages.conftest import Record
from tests.web.pages.dashboard import Dashboard, words

PATTERN = ("Bash(git", "push", "*)")


def test_every_hook_stands_with_its_figures_the_busiest_first(seen: Dashboard, record: Record) -> None:
    """Calls, asks, denials, failures, open passes and durations of each."""
    for _ in range(3):
        record(**before("make"), trace=[hook("busy", duration_ms=2.0), hook("idle", duration_ms=9.0)])
    broken = hook("busy", outcome="timeout", passed_open=True, duration_ms=2.0)
    record(**before("git push", "deny", decided_by="busy"), trace=[hook("busy", "deny", duration_ms=2.0)])
    record(**before("make"), trace=[broken])
    shown = seen.seen("/hooks").partition("Hooks that ran")[2]

    assert re.search(r"busy Calls of busy .*? 5 0 1 1 1 2(\.\d)? ms 2(\.\d)? ms /etc/p.key", shown)
    assert shown.index("busy Calls") < shown.index("idle Calls")


def test_the_charts_tell_what_they_show_without_being_seen(seen: Dashboard, record: Record) -> None:
    """Every picture has a title and a description with the numbers, or is silent beside its number."""
    record(**before("make"))
    record(**before("git push", "deny", decided_by="no-push"), trace=[hook("no-push", "deny")])
    page = seen.get("/hooks").text
    pictures = [ET.fromstring(one) for one in re.findall(r"<svg.*?</svg>", page, re.DOTALL)]
    told = {one.findtext("title"): one.findtext("desc") for one in pictures if one.get("role") == "img"}

    assert told["Decisions over time, last 7 days"] == "1 allow, 0 ask, 1 deny"
    assert (told["How long decisions took, last 7 days"] or "").startswith("2 decisions, p50 1.5 ms")
    assert all(one.get("role") == "img" or one.get("aria-hidden") == "true" for one in pictures)
    assert "style=" not in page


def test_what_is_denied_most_names_rule_and_pattern(seen: Dashboard, record: Record) -> None:
    """The ranking counts by rule and by what it matches, and leads to the entries."""
    for name, count in (("rare", 1), ("often", 3)):
        for _ in range(count):
            record(**before("git push", "deny", decided_by=name), trace=[hook(name, "deny")])
    page = seen.get("/hooks").text
    ranking = words(page).partition("Denied most")[2].partition("Busiest")[0]

    assert ranking.split() == ["often", *PATTERN, "3", "rare", *PATTERN, "1"]
    assert 'href="/ledger?rule=often&amp;decision=deny"' in page


def test_a_window_holds_what_happened_in_it(seen: Dashboard, record: Record) -> None:
    """Each of the three can be chosen; an unknown one is the usual one."""
    record(**before("make"), trace=[hook("a")])
    for name, title in (("24h", "last 24 hours"), ("30d", "last 30 days"), ("soon", "last 7 days")):
        shown = seen.seen("/hooks", since=name)
        assert f"Hooks that ran, {title}" in shown
        assert "1 allow" in shown


def test_a_new_home_has_a_page_too(seen: Dashboard) -> None:
    """Nothing recorded is a sentence, not a failure."""
    shown = seen.seen("/hooks")

    assert "Nothing was denied." in shown
    assert "No hooks ran in this period." in shown


def test_hostile_names_stay_names(seen: Dashboard, record: Record) -> None:
    """Names of hooks come from files, and are escaped in pictures too."""
    bad = "<script>alert(1)</script>\u202e"
    record(**before("x", "deny", decided_by=bad), trace=[hook(bad, "deny", matcher=bad, source=bad)])
    page = seen.get("/hooks").text

    assert "<script>alert" not in page
    assert "\u202e" not in page
    assert page.count("&lt;script&gt;") >= 4
