"""Laws of what the daemon does for views of many agents: panes, looks, notices, and who is watched."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.daemon.home import SHIM, Home, event, wait_for
from tests.handlers.endpoint import Endpoint, serving

from interlock.daemon.client import DaemonError, request
from interlock.daemon.process_tree import process
from interlock.features.fleet.service import WatchedSessions
from interlock.features.notifications.service import ring, terminal_of
from interlock.store.database import open_to_read

pytestmark = pytest.mark.deep

POLICY = """\
version: "2.0"
settings: {packs: [work], work: {notify: NOTIFY}}
"""
WAITS = {"message": "may I?", "notification_type": "permission_prompt"}
HOST = """\
import fcntl, subprocess, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
shim, home, payload = sys.argv[1:]
done = subprocess.run([shim, "--home", home], input=payload.encode(), env={"CLAUDE_PROJECT_DIR": "/usr"})
sys.exit(done.returncode)
"""


def working(place: Home, notify: str = "{}") -> None:
    """A daemon whose policy has the pack."""
    place.write_policy(POLICY.replace("NOTIFY", notify))
    place.start()


def agents(place: Home, columns: str) -> list[Any]:
    """The agents' rows."""
    with closing(open_to_read(place.places.database)) as connection:
        return connection.execute(f"SELECT {columns} FROM fleet_status ORDER BY agent").fetchall()


def test_an_agent_is_known_by_its_pane(place: Home) -> None:
    """The shim passes on what tmux set, and a payload cannot claim it."""
    working(place)
    start = event("SessionStart", source="startup", tmux="claimed", tmux_pane="%99")
    place.shim(start, TMUX="/tmp/tmux-1/default,7,0", TMUX_PANE="%3")
    wait_for(lambda: agents(place, "agent"), "the agent is kept")

    assert agents(place, "agent, pane, tmux") == [("s", "%3", "/tmp/tmux-1/default,7,0")]


def test_people_hear_of_an_agent_that_waits_and_of_one_that_ended(place: Home) -> None:
    """By webhook, with who it is and no more; a turn that goes on tells nobody."""
    with serving(Endpoint()) as told:
        working(place, f'{{webhook: "{told.url}"}}')
        place.call(event("SessionStart", source="startup"))
        place.call(event("UserPromptSubmit", prompt="go"))
        place.call(event("Notification", **WAITS))
        wait_for(lambda: len(told.requests) == 1, "the webhook hears that it waits")
        place.call(event("SessionEnd", reason="other"))
        wait_for(lambda: len(told.requests) == 2, "the webhook hears that it ended")
        waits, ended = (one.document for one in told.requests)

    assert waits == {
        "event": "agent_attention",
        "agent": "s",
        "label": "usr",
        "session_id": "s",
        "text": "may I?",
        "next": "interlock fleet",
    }
    assert (ended["event"], ended["label"]) == ("agent_session_ended", "usr")
    assert place.entries("alarm") == []


def test_the_bell_rings_where_the_agent_runs(place: Home) -> None:
    """The terminal of the host is found by its process, and one character is written there."""
    working(place, "{bell: true}")
    ours, theirs = pty.openpty()
    payload = event("Notification", **WAITS).decode()
    command = [sys.executable, "-I", "-S", "-c", HOST, str(SHIM), str(place.folder), payload]
    host = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True)
    try:
        ready, _, _ = select.select([ours], [], [], 90)
        heard = os.read(ours, 100) if ready else b""
    finally:
        code = host.wait(90)
        os.close(theirs)
        os.close(ours)

    assert (heard, code) == (b"\a", 0)


def test_a_bell_that_is_none_stops_nobody(tmp_path: Path) -> None:
    """A file is not written to, and a terminal that has gone is not an error."""
    file = tmp_path / "file"
    file.write_text("whole")
    ring(file)
    ring(tmp_path / "gone")

    assert file.read_text() == "whole"
    assert terminal_of(2**22 + 1) is None


def test_a_look_is_a_persons_and_is_recorded(place: Home) -> None:
    """Once it is answered it is lasting; unknown names are left out."""
    working(place)
    place.call(event("SessionStart", source="startup"))
    place.call(event("Notification", **WAITS))
    done = request(place.places.socket, "fleet.check", {"agents": ["s", "nobody"]})

    assert done == {"checked": ["s"]}
    assert agents(place, "shown") == [("checked",)]
    (entry,) = place.entries("work")
    assert (entry.body["deed"], entry.body["agents"]) == ("looked", ["s"])
    assert place.broken() is None


def test_an_agent_does_not_look_for_a_person(place: Home) -> None:
    """What belongs to an agent is told by the kernel, not by what it says."""
    working(place)
    place.call(event("SessionStart", session_id="other", source="startup"))
    place.call(event("Notification", session_id="other", **WAITS))
    asked = {"jsonrpc": "2.0", "id": 1, "method": "fleet.check", "params": {"agents": ["other"]}}
    script = (
        "import json, socket, subprocess, sys\n"
        "shim, home, path, payload, asked = sys.argv[1:]\n"
        "env = {'CLAUDE_PROJECT_DIR': '/usr'}\n"
        "subprocess.run([shim, '--home', home], input=payload.encode(), env=env, check=True)\n"
        "peer = socket.socket(socket.AF_UNIX); peer.connect(path)\n"
        "peer.sendall(asked.encode() + b'\\n'); print(peer.makefile().readline())\n"
    )
    words = [str(SHIM), str(place.folder), str(place.places.socket), event("Notification", **WAITS).decode()]
    done = subprocess.run(
        [sys.executable, "-I", "-c", script, *words, json.dumps(asked)],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )

    assert "this process belongs to an agent" in done.stdout
    assert agents(place, "agent, shown")[0] == ("other", "attention")


def test_only_what_runs_below_a_process_is_told_to_it() -> None:
    """By whom it was started; the newest has the highest number."""
    watched, own = WatchedSessions(), process(os.getpid())
    assert own is not None
    before = watched.below(os.getpid())
    watched.note_call(own, "first")
    watched.note_call(own, "second")
    watched.note_call(own, "first")
    parent = process(os.getppid())
    assert parent is not None
    watched.note_call(parent, "not below")
    found = watched.below(os.getpid())

    assert before == {}
    assert max(found, key=lambda name: found[name]) == "first"
    assert set(found) == {"first", "second"}


def test_what_is_kept_of_those_who_watch_is_bounded() -> None:
    """Both the sessions of one of them and how many there are."""
    watched, own = WatchedSessions(), process(os.getpid())
    assert own is not None
    watched.below(os.getpid())
    for number in range(100):
        watched.note_call(own, f"s{number}")

    assert len(watched.below(os.getpid())) == 32
    assert watched.below(2**22 + 1) == {}


def test_a_check_of_nothing_is_refused(place: Home) -> None:
    """With what is missing."""
    working(place)
    with pytest.raises(DaemonError, match="agents"):
        request(place.places.socket, "fleet.check", {})
