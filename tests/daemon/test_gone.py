"""Laws of agents that are killed: nobody says so, and people see it all the same."""

from __future__ import annotations

import os
import subprocess
from contextlib import closing
from typing import Any

import pytest
from tests.cli.typed import SCRIPT
from tests.daemon.home import Home, event, wait_for
from tests.handlers.endpoint import Endpoint, serving
from tests.living_agent import living_agent

from interlock.fleet.fleet import Fleet
from interlock.store.database import open_to_read

POLICY = 'version: "2.0"\nsettings: {packs: [work], work: {notify: NOTIFY}}\n'


def working(place: Home, notify: str = "{}") -> None:
    """A daemon whose policy has the pack."""
    place.write_policy(POLICY.replace("NOTIFY", notify))
    place.start()


def shown(place: Home) -> list[str]:
    """How the agents look."""
    with closing(Fleet(place.places.database)) as fleet:
        return [row.shown for row in fleet.rows()]


def ends(place: Home) -> list[Any]:
    """Why each session ended; None for one that is open."""
    with closing(open_to_read(place.places.database)) as connection:
        return [row[0] for row in connection.execute("SELECT end_reason FROM sessions ORDER BY id")]


@pytest.mark.req("E42")
def test_a_killed_agent_is_shown_as_gone_and_people_hear_of_it(place: Home) -> None:
    """Also while nobody has waited for its process; its session has ended, and a look settles it."""
    with serving(Endpoint()) as told:
        working(place, f'{{webhook: "{told.url}"}}')
        with living_agent(place) as agent:
            place.call(event("UserPromptSubmit", session_id="s-agent", prompt="go"))
            wait_for(lambda: shown(place) == ["working"], "it works")
            agent.running.kill()
            wait_for(lambda: shown(place) == ["gone"], "it is gone")
        wait_for(lambda: told.requests, "the webhook hears of it")
    env = {**os.environ, "INTERLOCK_HOME": str(place.folder)}
    table = subprocess.run([SCRIPT, "fleet", "--once"], env=env, capture_output=True, text=True, check=True)

    assert ends(place) == ["gone"]
    assert table.stdout.startswith("1 agent: 1 gone\n")
    assert told.requests[0].document["text"] == "its process has ended without a word"
    (entry,) = place.entries("work")
    assert (entry.body["deed"], entry.body["session_id"]) == ("gone", "s-agent")


def test_an_agent_that_ended_while_no_daemon_ran_is_gone(place: Home) -> None:
    """The next one remembers who was at work."""
    working(place)
    with living_agent(place) as agent:
        wait_for(lambda: shown(place), "it is known")
        place.end()
        agent.running.kill()
    place.start()
    wait_for(lambda: shown(place) == ["gone"], "it is gone")


def test_who_said_that_it_ends_is_not_gone(place: Home) -> None:
    """Its own word stays the reason."""
    working(place)
    with living_agent(place, session="one"), living_agent(place, session="two") as other:
        place.call(event("SessionEnd", session_id="one", reason="other"))
        other.running.kill()
        wait_for(lambda: ends(place)[1] is not None, "the other is gone")

    assert ends(place) == ["other", "gone"]
    assert sorted(shown(place)) == ["gone", "unchecked"]
