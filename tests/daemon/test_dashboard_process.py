"""Laws of the dashboard's process: who may have it started, how it is known, and when it ends."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from tests.daemon.approvers import AGENT
from tests.daemon.home import PATIENCE, SHIM, Home, wait_for

from interlock.daemon.agent_processes import Agents
from interlock.daemon.caller_kind import Roster, namespaces, write_roster
from interlock.daemon.client import DaemonError, request
from interlock.daemon.process_tree import process

pytestmark = pytest.mark.deep


def opened(home: Home, **params: Any) -> dict[str, Any]:
    """What a person is given who asks for the dashboard."""
    found: dict[str, Any] = request(home.places.socket, "ui.open", params, seconds=PATIENCE)
    return found


def dashboards(home: Home) -> list[int]:
    """The processes the daemon of this home has started for it."""
    (daemon,) = (one.pid for one in home.started if one.poll() is None)
    children = Path(f"/proc/{daemon}/task/{daemon}/children").read_text().split()
    of_it = (int(pid) for pid in children)
    return [pid for pid in of_it if b"interlock.web.main" in Path(f"/proc/{pid}/cmdline").read_bytes()]


def answers(port: int) -> bool:
    """Whether anybody listens there."""
    with closing(socket.socket()) as peer:
        return peer.connect_ex(("127.0.0.1", port)) == 0


def test_one_process_serves_every_link(asking: Home) -> None:
    """Each link has a token of its own; the port stays."""
    first, second = opened(asking), opened(asking)

    assert first["port"] == second["port"] == urlsplit(first["url"]).port
    assert first["url"] != second["url"]
    assert len(dashboards(asking)) == 1


def test_it_listens_on_this_machine_only(asking: Home) -> None:
    """No address but the loopback's answers, whichever the machine has."""
    port = opened(asking)["port"]
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    listening = {row[1] for row in rows if row[3] == "0A" and row[1].endswith(f":{port:04X}")}

    assert listening == {f"0100007F:{port:04X}"}


def test_a_port_can_be_chosen_and_not_changed(asking: Home) -> None:
    """Another one needs an end first; one that is taken is named in the answer."""
    with closing(socket.socket()) as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(DaemonError, match=f"port {port} cannot be used: address already in use; choose"):
            opened(asking, port=port)
    assert opened(asking, port=port)["port"] == port
    assert opened(asking, port=0)["port"] == port
    with pytest.raises(DaemonError, match=f"runs on port {port}; run `interlock ui --stop` first"):
        opened(asking, port=port - 1)


@pytest.mark.parametrize("port", [-1, 65_536, "80", None, True])
def test_what_is_no_port_is_refused(asking: Home, port: object) -> None:
    """In a sentence, and nothing is started."""
    with pytest.raises(DaemonError, match="is not a port; name one up to 65535"):
        opened(asking, port=port)
    assert dashboards(asking) == []


def test_it_ends_when_told_to(asking: Home) -> None:
    """And can be started anew."""
    port = opened(asking)["port"]

    assert request(asking.places.socket, "ui.close", seconds=PATIENCE) == {"closed": True}
    assert not answers(port)
    assert request(asking.places.socket, "ui.close", seconds=PATIENCE) == {"closed": False}
    assert answers(opened(asking)["port"])


@pytest.mark.parametrize("way", ["stop", "kill"])
def test_it_ends_with_the_daemon(asking: Home, way: str) -> None:
    """Also with one that was killed and could end nothing."""
    port = opened(asking)["port"]
    (pid,) = dashboards(asking)
    if way == "stop":
        request(asking.places.socket, "stop")
    else:
        asking.started[0].kill()
    asking.started[0].wait(PATIENCE)

    wait_for(lambda: process(pid) is None, "the dashboard has stopped")
    assert not answers(port)


def test_one_that_was_killed_is_started_anew(asking: Home) -> None:
    """The next person who asks gets a link that works."""
    opened(asking)
    (pid,) = dashboards(asking)
    os.kill(pid, 9)
    wait_for(lambda: dashboards(asking) == [], "its end was seen")

    assert answers(opened(asking)["port"])


@pytest.mark.req("Z02")
@pytest.mark.parametrize("method", ["ui.open", "ui.close", "ui.refused"])
def test_an_agents_process_gets_no_link(asking: Home, method: str) -> None:
    """It can neither start nor end it, nor speak in its name; each attempt is recorded."""
    code = (
        "import sys; from pathlib import Path; from interlock.daemon.client import request\n"
        "print(request(Path(sys.argv[1]), sys.argv[2], {'peer_pid': 1}))"
    )
    command = [sys.executable, "-c", code, str(asking.places.socket), method]
    agent = [sys.executable, str(AGENT), str(SHIM), str(asking.folder), json.dumps(command)]
    done = subprocess.run(agent, capture_output=True, text=True, timeout=60, check=True)
    status, _, err = json.loads(done.stdout)
    wait_for(lambda: asking.entries("refused"), "the refusal is recorded")
    (refused,) = asking.entries("refused")

    assert status == 1
    assert "this process belongs to an agent" in err
    assert (refused.body["command"], refused.body["session_id"]) == (method, "s-agent")
    assert dashboards(asking) == []


def test_nobody_but_the_dashboard_reports_whom_it_refused(asking: Home) -> None:
    """Otherwise anybody could fill the ledger with what never happened."""
    with pytest.raises(DaemonError, match="only the dashboard reports"):
        request(asking.places.socket, "ui.refused", {"command": "x"})
    assert asking.entries("refused") == []


def test_the_dashboard_of_a_daemon_that_an_agent_started_is_no_agents(tmp_path: Path) -> None:
    """A daemon may be an agent's child, and the dashboard the daemon's; people are heard all the same."""
    this = process(os.getpid())
    assert this is not None
    file = tmp_path / "agents"
    write_roster(file, Roster(known={this.pid: (this.started, "s-agent")}, namespaces=namespaces()))
    agents = Agents(file)
    before = agents.above(this.pid)
    agents.ours = lambda pid: pid == this.pid

    assert (before, agents.above(this.pid), agents.above(os.getppid())) == ("s-agent", None, None)
