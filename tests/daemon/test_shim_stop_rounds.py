"""A user's own hooks at the end of a turn, between the real shim and a real daemon."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.daemon.home import Home

pytestmark = pytest.mark.deep

# What the hook read of the agent's last words stands in its reason, so that the test sees it arrive.
SCRIPT = """\
import json, sys
print(json.load(sys.stdin)["last_assistant_message"], file=sys.stderr)
sys.exit(2)
"""
POLICY = """\
version: "2.0"
hooks:
  user_prompt_submit:
    - {{type: deny, if: 'event.prompt.contains("hunter2")', config: {{reason: no passwords here}}}}
  stop:
    - {{name: said, type: command, max_rounds: {rounds}, config: {{command: "/usr/bin/python3 {script}"}}}}
"""


def sent(home: Home, name: str, **fields: Any) -> dict[str, Any]:
    """What the host hears when it reports an event."""
    event = {"session_id": "s1", "hook_event_name": name, "transcript_path": "/t", "cwd": "/", **fields}
    done = home.shim(json.dumps(event).encode())
    assert (done.returncode, done.stderr) == (0, b"")
    reply: dict[str, Any] = json.loads(done.stdout or b"{}")
    return reply


def stop(home: Home, words: str, *, active: bool = True) -> str | None:
    """Why the agent is sent back; None where its turn ends."""
    reply = sent(home, "Stop", stop_hook_active=active, last_assistant_message=words)
    return reply.get("reason")


@pytest.fixture
def script(tmp_path: Path) -> Path:
    """The hook of the user."""
    script = tmp_path / "said.py"
    script.write_text(SCRIPT)
    return script


@pytest.mark.req("U11", "M40")
def test_a_users_hook_blocks_until_its_rounds_are_over(place: Home, script: Path) -> None:
    """The count outlives the daemon, a prompt begins it anew, and the trace tells the rest."""
    place.write_policy(POLICY.format(rounds=3, script=script))
    daemon = place.start()
    first = stop(place, "one", active=False)
    second = stop(place, "two")
    daemon.terminate()
    daemon.wait()
    place.start()
    third, fourth = stop(place, "three"), stop(place, "four")
    (row,) = (body := place.entries("decision")[-1].body)["trace"]
    refused = sent(place, "UserPromptSubmit", prompt="hunter2")
    counted_on = stop(place, "five")
    sent(place, "UserPromptSubmit", prompt="go on")

    assert [first, second, third, fourth] == [
        "Stop blocked: one",
        "Stop blocked: two",
        "Stop blocked: three",
        None,
    ]
    assert body["decision"] == "allow"
    assert row["reason"] == f"not carried out: {body['degraded'][0]}; it said: four"
    assert body["degraded"] == ["`said` would send the turn back again; its `max_rounds` is 3"]
    assert (refused["decision"], refused["reason"]) == ("block", "Prompt refused: no passwords here")
    assert counted_on is None
    assert stop(place, "six", active=False) == "Stop blocked: six"


@pytest.mark.req("M49")
def test_all_of_them_stay_within_the_hosts_cap(place: Home, script: Path) -> None:
    """However many rounds a hook asks for."""
    place.write_policy(POLICY.format(rounds=50, script=script))
    place.start()
    found = [stop(place, str(number), active=number > 0) for number in range(8)]

    assert [one is not None for one in found] == [True] * 7 + [False]
    (row,) = place.entries("decision")[-1].body["trace"]
    assert "that is allowed 7 times a turn; it said: 7" in row["reason"]
