"""Acceptance: the real client under `interlock watch`, from one context window to the next."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from clients.claude_code import FLAGS, environment
from clients.install import install
from clients.interlock_home import PROGRAM, InterlockHome
from clients.model_request import MAIN, ModelRequest
from clients.model_server import ModelServer
from clients.turns import Turn, bash, say

START = bash("interlock effort start tasks/parser implement")
FINISH = bash("interlock effort finish")
LEFT = {
    "summary": "Half of the parser is done.",
    "lastAction": "Wrote the lexer.",
    "nextSteps": ["Write the grammar."],
    "requiredFiles": [],
}
# What comes after it takes so long that the agent is stopped before it asks the model again.
DEHYDRATE = bash(f"interlock session dehydrate <<'END'\n{json.dumps(LEFT)}\nEND\nsleep 60")


@pytest.fixture
def interlock(home: Path) -> Iterator[InterlockHome]:
    """Interlock installed for the user of this home, with the pack that keeps the state of work."""
    installed = InterlockHome(home=home)
    installed.policy(settings={"packs": ["work"]})
    try:
        installed.install()
        yield installed
    finally:
        installed.end()


def watched(
    project: Path, interlock: InterlockHome, *turns: Turn, own_prompt: bool = False
) -> tuple[int, str, list[ModelRequest]]:
    """Watch the client to its last end: the exit code, what was said, and what the model was asked."""
    command = [
        str(PROGRAM),
        "watch",
        "--agent",
        "api",
        *([] if own_prompt else ["--prompt", "go"]),
        "--restarts",
        "3",
        "--pause",
        "0.1",
        "--",
    ]
    with ModelServer(turns, None) as server:
        env = {
            **environment(interlock.home, server.address),
            "INTERLOCK_HOME": str(interlock.folder),
            "PATH": f"{PROGRAM.parent}:{os.defpath}",
        }
        done = subprocess.run(
            [*command, str(install()), "-p", "go" if own_prompt else "{prompt}", *FLAGS],
            cwd=project,
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        seen = [one for one in server.seen() if one.conversation == MAIN]
    return done.returncode, done.stderr, seen


def sessions(interlock: InterlockHome) -> list[dict[str, Any]]:
    """Every session there was, oldest first."""
    lines = interlock.call("session", "list", "--all", "--json").stdout.splitlines()
    return sorted(map(json.loads, lines), key=lambda row: int(row["id"]))


def test_an_agent_goes_on_until_its_effort_is_finished(project: Path, interlock: InterlockHome) -> None:
    """A run that ends before the work does is followed by one that is told to continue it."""
    code, said, seen = watched(project, interlock, START, say("bye"), FINISH, say("done"))
    first, second = sessions(interlock)

    assert (code, said.splitlines()[-1]) == (0, "interlock watch: its effort is finished")
    assert "it ended, and its effort is not finished; starting it again in 0.1 s (1/3)" in said
    assert [one for one in seen if "Continue effort e1 (`implement`)" in one.said()] == seen[2:]
    assert second["prev_session_id"] == first["id"]


def test_a_restart_prompt_is_read_instead_of_the_one_in_the_command(
    project: Path, interlock: InterlockHome
) -> None:
    """The client takes the first prompt of its command line and no other."""
    code, _, seen = watched(project, interlock, START, say("bye"), FINISH, say("done"), own_prompt=True)

    assert code == 0
    assert [one for one in seen if "Continue effort e1 (`implement`)" in one.said()] == seen[2:]


@pytest.mark.req("E41")
def test_an_agent_whose_window_is_full_is_stopped_and_its_restart_prompt_reaches_the_next(
    project: Path, interlock: InterlockHome
) -> None:
    """In the middle of a call; the new one is asked to go on, and knows what was left for it."""
    code, said, seen = watched(project, interlock, START, DEHYDRATE, FINISH, say("done"))
    first, second = sessions(interlock)
    opening = seen[2].said()

    assert (code, said.splitlines()[-1]) == (0, "interlock watch: its effort is finished")
    assert "its context window is full; starting it again" in said
    assert "Continue effort e1 (`implement`)" in opening
    assert "Next: Write the grammar." in opening
    assert opening.count("## Session Recovery (Dehydrated Context)") == 1
    assert (first["end_reason"], second["prev_session_id"]) == ("dehydrated", first["id"])
