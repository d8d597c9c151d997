"""Laws of the page Fleet."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator

import pytest
from tests.daemon.home import Home
from tests.features.fleet.crew import Crew
from tests.web.browser import Browser, browser
from tests.web.conftest import served
from tests.web.pages.dashboard import Dashboard, words

from interlock.features.fleet.fleet import BACKGROUNDS, COORDINATOR


@pytest.fixture
def crew(place: Home) -> Crew:
    """Agents in the store of this home, now."""
    return Crew(database=place.places.database, now=time.time())


@pytest.fixture
def person() -> Iterator[Browser]:
    """A browser somebody logged in, at a home with a daemon."""
    with served() as home:
        found = browser(home)
        assert found.log_in().status == 303
        yield found


def panes(page: str) -> dict[str, str]:
    """The colour's class of every agent on a page, in its order."""
    return {
        words(name): colour for colour, name in re.findall(r'<li class="pane ([\w-]+)">\s*<h3>([^<]*)', page)
    }


@pytest.mark.deep
def test_agents_stand_by_status_those_first_that_want_a_look(seen: Dashboard, crew: Crew) -> None:
    """Each below its status, in the class of its colour; a coordinator in its own while nothing is urgent."""
    for name, status in (("idle", "idle"), ("busy", "working"), ("over", "done"), ("stuck", "error")):
        crew.agent(name, status)
    for name in ("asks", "known"):
        crew.agent(name, "attention")
    crew.look("known")
    crew.agent("lead", "working")
    with crew.work() as work:
        work.agents.set_manages("lead", ["busy"])
    page = seen.get("/fleet").text

    assert panes(page) == {
        "stuck": "pane-error",
        "asks": "pane-attention",
        "over": "pane-unchecked",
        "busy": "pane-working",
        "lead": "pane-coordinator",
        "known": "pane-checked",
        "idle": "pane-idle",
    }
    assert re.findall(r'<h2 id="status-(\w+)"', page) == [
        "error",
        "attention",
        "unchecked",
        "working",
        "checked",
        "idle",
    ]


@pytest.mark.deep
def test_the_colours_are_those_of_the_panes(seen: Dashboard) -> None:
    """One class of the sheet for each status, with the very ground a terminal gives it."""
    sheet = seen.get("/static/fleet.css").text
    grounds = dict(re.findall(r"\.pane-(\w+) \{ background: (#\w+);", sheet))

    assert grounds == {name: exact for name, (exact, _) in BACKGROUNDS.items()} | {
        "coordinator": COORDINATOR[0]
    }


@pytest.mark.deep
def test_an_agent_is_shown_with_its_effort_phase_and_log_count(seen: Dashboard, crew: Crew) -> None:
    """And leads to its session."""
    session = crew.effort("a-1", "implement", phase="1: Plan")
    crew.agent("a-1", "working", label="builder")
    with crew.work() as work:
        work.sessions.beat(session.id, "u-1")
        work.sessions.set_usage(session.id, 0.93)
    page = seen.get("/fleet").text

    assert "Effort e1 implement · 1: Plan" in words(page)
    assert "Log count 1/10" in words(page)
    assert "Context 93% nearly full" in words(page)
    assert 'href="/session?id=a-1"' in page


def test_who_ended_long_ago_is_history(seen: Dashboard, crew: Crew) -> None:
    """Counted, and shown to whoever asks for everybody."""
    crew.now -= 7_200
    crew.agent("gone", "done")
    crew.look("gone")

    assert "gone" not in panes(seen.get("/fleet").text)
    assert "Show 1 earlier agent" in seen.seen("/fleet")
    assert panes(seen.get("/fleet", all="1").text) == {"gone": "pane-done"}


def test_a_new_home_has_nobody(seen: Dashboard) -> None:
    """Nothing recorded is a sentence, not a failure."""
    assert "No agents are working." in seen.seen("/fleet")


def test_hostile_names_of_agents_stay_names(seen: Dashboard, crew: Crew) -> None:
    """A label is whatever somebody wrote."""
    crew.agent("<b>a</b>", "working", label="<script>alert(1)</script>\u202e")
    page = seen.get("/fleet").text

    assert "<script>alert" not in page
    assert "<b>a</b>" not in page
    assert "\u202e" not in page


@pytest.mark.deep
def test_a_look_is_told_to_everybody_who_watches(person: Browser) -> None:
    """The button says so to the daemon, which records it; the stream brings the agents anew."""
    crew = Crew(database=person.home.places.database, now=time.time() - 5)
    crew.agent("over", "done")
    stream = person.events("/fleet/events", "fleet")
    assert next(stream) is None
    assert panes(next(stream)) == {"over": "pane-unchecked"}
    assert person.submit("/fleet/look", agent="over").status == 303

    assert panes(next(stream)) == {"over": "pane-done"}
    assert [entry.body["agents"] for entry in person.home.entries("work")] == [["over"]]
    assert person.submit("/fleet/look", agent="nobody").status == 404
