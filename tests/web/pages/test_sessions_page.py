"""Laws of the page Sessions, of one session and of one call."""

from __future__ import annotations

import re

import pytest
from tests.daemon.home import Home
from tests.web.pages.calls import after, before, hook
from tests.web.pages.conftest import Record
from tests.web.pages.dashboard import Dashboard, words


def test_sessions_stand_with_their_counts_the_newest_first(seen: Dashboard, record: Record) -> None:
    """Calls, asks and denials of each, by who did something last."""
    record(**before("make a", "deny"), session_id="first")
    record(**before("make b"), session_id="second")
    record(**before("make c", "ask"), session_id="first")
    page = seen.get("/sessions").text

    assert re.findall(r'href="/session\?id=(\w+)"', page) == ["first", "second"]
    assert "agent:main 2 1 1 2" in words(page)


def test_a_session_is_a_line_of_moments(seen: Dashboard, record: Record) -> None:
    """Prompts, calls with how they ended, sub-agents and compactions stand in the order they happened."""
    record(event="SessionStart", decision="allow")
    record(event="UserPromptSubmit", decision="allow", prompt="please build it")
    record(**before("make build"), trace=[hook("a"), hook("b")])
    record(**after())
    record(event="SubagentStart", decision="allow", agent_type="Explore")
    record(**{**before("rm x", "deny", reason="keep it", decided_by="keep"), "tool_use_id": "toolu_2"})
    record(event="PreCompact", decision="allow")
    record(event="Stop", decision="allow")
    page = seen.get("/session", id="s-1").text
    kinds = re.findall(r'<li class="([\w-]+) ', page)

    assert kinds == ["session", "prompt", "call", "sub-agent", "call", "compaction", "stop"]
    shown = words(page)
    assert "please build it" in shown
    assert "make build allow succeeded a ran b ran decided in 1.5 ms, ran for 40 ms" in shown
    assert "rm x deny keep it" in shown
    assert 'href="/calls/3"' in page


def test_a_long_session_goes_on_before_its_first_moment(seen: Dashboard, record: Record) -> None:
    """Every moment is met once on the way back."""
    for number in range(250):
        record(event="Notification", decision="allow", prompt=f"n{number}.")
    newest = seen.get("/session", id="s-1").text
    link = re.search(r'href="(/session\?[^"]+before=\d+)"', newest)
    assert link is not None
    older = seen.get(link[1].replace("&amp;", "&")).text
    found = [int(n) for page in (older, newest) for n in re.findall(r"<code>n(\d+)\.</code>", page)]

    assert found == list(range(250))


def test_a_session_nobody_knows_is_not_found(seen: Dashboard) -> None:
    """Also an empty name, and one that looks like markup."""
    for name in ("nobody", "<b>"):
        answer = seen.get("/session", id=name)
        assert answer.status_code == 404
        assert "<b>`" not in answer.text


def test_a_call_opens_its_trace(seen: Dashboard, record: Record) -> None:
    """Every hook that fired: where it is written, its vote, reason and duration, one after the other."""
    trace = [
        hook("first", duration_ms=1.0, source="/etc/p.key:3"),
        hook("second", "deny", duration_ms=3.0, reason="not on main", source="/etc/p.key:9"),
    ]
    seq = record(**before("git push", "deny", reason="not on main", decided_by="second"), trace=trace)
    page = seen.get(f"/calls/{seq}").text
    bars = re.findall(r'<rect x="([\d.]+)" y="1" width="([\d.]+)" height="8" class="mark-(\w+)"/>', page)

    assert bars == [("0.0", "25.0", "abstain"), ("25.0", "75.0", "deny")]
    shown = words(page)
    assert "second deny Bash(git push *) deny 3 ms not on main /etc/p.key:9" in shown
    assert "git push" in shown


def test_a_call_that_was_stopped_shows_what_would_allow_it(
    place: Home, seen: Dashboard, record: Record
) -> None:
    """The lines for the user's policy, as long as the rules of that folder still stop the call."""
    file = place.places.user_config / "genesis.key"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text('version: "2.0"\nsettings: {packs: [baseline]}\n')
    stopped = record(**before("git push --force", "deny", reason="no", decided_by="baseline/force-push"))
    passes = record(**before("git status", "deny", reason="no", decided_by="gone"))
    shown = seen.seen(f"/calls/{stopped}")

    assert f"Add this to {file} :" in shown
    assert (
        'baseline: force-push: ask projects: /w/app: grants: agent:main: - "Bash(git push --force)"' in shown
    )
    assert "Allow this in the policy" not in seen.seen(f"/calls/{passes}")


def test_a_changed_input_is_shown_as_a_difference(seen: Dashboard, record: Record) -> None:
    """The line that went, the line that came, and by which hook."""
    new = {"command": "git status\ngit push --dry-run"}
    trace = [hook("safer", updated_input=new)]
    seq = record(**before("git status\ngit push"), updated_input=new, trace=trace)
    page = seen.get(f"/calls/{seq}").text

    assert (
        page.count('<span class="removed">  git push</span>') == 1
    )  # what one hook alone changed stands once
    assert page.count('<span class="added">  git push <mark>--dry-run</mark></span>') == 1
    assert "changed the input" in words(page)
    assert '<span class="same">  git status</span>' in page


def test_what_several_hooks_changed_stands_with_each(seen: Dashboard, record: Record) -> None:
    """And once more for all of them together."""
    first, both = {"command": "git push -n"}, {"command": "git push -n -v"}
    trace = [hook("dry", updated_input=first), hook("loud", updated_input=both)]
    page = seen.get(f"/calls/{record(**before('git push'), updated_input=both, trace=trace)}").text

    assert page.count('<span class="added">command: git push <mark>-n</mark></span>') == 1
    assert page.count('<span class="added">command: git push <mark>-n -v</mark></span>') == 2


@pytest.mark.deep
def test_a_call_shows_what_came_back(seen: Dashboard, record: Record) -> None:
    """The end is the one with the host's id of the call, of this session."""
    seq = record(**before("make"))
    record(**after(tool_output={"stdout": "another session"}), session_id="other")
    record(**after(tool_output={"stdout": "built\nall of it"}))
    shown = seen.seen(f"/calls/{seq}")

    assert "Result (PostToolUse, entry 3 )" in shown
    assert "built all of it" in shown
    assert "another session" not in shown


@pytest.mark.deep
def test_a_call_whose_end_nobody_saw_says_so(seen: Dashboard, record: Record) -> None:
    """Nothing is concluded from silence."""
    assert "No result was recorded" in seen.seen(f"/calls/{record(**before('make'))}")


def test_traces_of_another_shape_break_no_page(seen: Dashboard, record: Record) -> None:
    """An entry of another version is shown as far as it is understood."""
    seq = record(**before("make"), trace=[7, {"hook": 3}], skipped="none", updated_input="text")
    for path in (f"/calls/{seq}", f"/ledger/{seq}", "/session?id=s-1", "/sessions", "/ledger"):
        assert seen.get(path).status_code == 200, path


def test_what_is_no_decision_has_no_trace(seen: Dashboard, record: Record) -> None:
    """It is a sentence, not a failure."""
    answer = seen.get(f"/calls/{record('gap', lost=1)}")

    assert answer.status_code == 404
    assert "is not a decision" in answer.text


def test_hostile_calls_stay_texts(seen: Dashboard, record: Record) -> None:
    """Markup, and characters that cannot be seen, in commands, reasons, names and outputs."""
    bad = "</pre><script>alert(1)</script>\u202e\x1b[2J"
    trace = [hook(bad, reason=bad, source=bad, matcher=bad)]
    seq = record(**before(bad, reason=bad), trace=trace)
    record(**after(tool_output={bad: bad}))
    for path in (f"/calls/{seq}", "/session?id=s-1"):
        page = seen.get(path).text
        assert "<script>alert" not in page
        assert "\u202e" not in page
        assert "\x1b" not in page
        assert "&lt;U+202E&gt;" in page
