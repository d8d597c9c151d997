"""Laws of agents that are killed: nobody says so, and people see it all the same."""

from __future__ import annotations

import os
import subprocess
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.cli.typed import SCRIPT
from tests.daemon.home import Home, event, wait_for
from tests.features.commitments.test_commitment_methods import ask, commit
from tests.handlers.endpoint import Endpoint, serving
from tests.living_agent import living_agent

from interlock.features.fleet.fleet import Fleet
from interlock.store.database import open_to_read

pytestmark = pytest.mark.deep

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
    assert told.requests[0].document["text"] == "its process ended without a report"
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


@pytest.mark.req("M8", "M44")
@pytest.mark.parametrize("killed_with_the_daemon", [False, True])
def test_what_a_killed_agent_claimed_its_actor_goes_on_with(
    place: Home, tmp_path: Path, killed_with_the_daemon: bool
) -> None:
    """Its next session carries it, also after a restart of the daemon; one beside a living agent does not."""
    (tmp_path / ".git").mkdir()
    place.start()
    name = commit(place, tmp_path)

    def carried(session: str) -> object:
        place.call(event("UserPromptSubmit", session_id=session, prompt="go on", cwd=str(tmp_path)))
        wait_for(lambda: place.entries("decision")[-1].session_id == session, "it is recorded")
        return place.entries("decision")[-1].body.get("commitment_id")

    with living_agent(place, session="first", cwd=str(tmp_path)) as agent:
        ask(place, tmp_path, "claim", "agent:main", commitment=name, session="first")
        assert (carried("first"), carried("second")) == (name, None)
        if killed_with_the_daemon:
            place.end()
        agent.running.kill()
    if killed_with_the_daemon:
        place.start()
        assert carried("third") == name
    wait_for(lambda: carried("third") == name, "the next one carries it")
