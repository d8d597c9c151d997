"""Laws of a daemon whose policy names a fleet."""

from __future__ import annotations

import os
import signal
import socket
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import Any

import pytest
from tests.cli.typed import Interlock
from tests.daemon.home import Home, bash, decided, remove, wait_for
from tests.features.team_ledger.cluster import Cluster
from tests.features.team_ledger.fleet import Fleet

from interlock.cli.setup.doctor_checks import DoctorContext
from interlock.cli.setup.install import settings_here
from interlock.daemon.client import DaemonError, request
from interlock.daemon.paths import Places
from interlock.features.team_ledger import postgres
from interlock.features.team_ledger.cli import checks
from interlock.features.team_ledger.postgres import connect, migrate_postgres
from interlock.features.team_ledger.shipper import read_cursor
from interlock.hosts.host import Check, State
from interlock.hosts.launching import install_place

pytestmark = pytest.mark.deep

PASSWORD = "correct-Horse-7"
POLICY = """\
version: "2.0"
settings:
  team_ledger: {{{settings}}}
hooks:
  pre_tool_use:
    - {{name: no-push, type: deny, matcher: "Bash(git push *)"}}
"""


@pytest.fixture
def homes() -> Iterator[list[Home]]:
    """Two homes, as two machines would have them."""
    made = [Home(folder=Path(tempfile.mkdtemp(prefix="ilk-"))) for _ in range(2)]
    yield made
    for home in made:
        with suppress(OSError, ValueError):
            left = children(int(home.places.lock.read_text()))
            home.end()
            wait_for(lambda left=left: not any(map(alive, left)), "the processes of a daemon end")
        home.end()
        remove(home.folder)


def begin(home: Home, fleet: Fleet, machine: str, more: str = "") -> None:
    """Give a home its policy and start its daemon."""
    settings = f'url: "{fleet.server.url(fleet.name)}", machine: {machine}{more}'
    home.write_policy(POLICY.format(settings=settings))
    home.start()


def shipping(home: Home) -> dict[str, Any]:
    """How shipping stands, by the daemon's word."""
    status = home.status()
    found = status["team_ledger"] if status else None
    return found if isinstance(found, dict) else {}


def caught_up(home: Home) -> bool:
    """Whether everything this home has recorded is shipped."""
    found = shipping(home)
    return found.get("state") == "waiting" and found["behind"] == 0


def children(pid: int) -> list[int]:
    """The processes a process has started."""
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def alive(pid: int) -> bool:
    """Whether a process is there; one that ended and waits for its parent is not."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


@pytest.mark.req("L08")
def test_two_daemons_ship_to_one_ledger_and_each_keeps_its_own(fleet: Fleet, homes: list[Home]) -> None:
    """What both recorded stands in one chain, and each machine's ledger is as it would be alone."""
    for home, name in zip(homes, ("laptop", "server"), strict=True):
        begin(home, fleet, name)
    for number in range(5):
        for home in homes:
            assert decided(home.call(bash(f"git push {number}", tool_use_id=f"u{number}")))[0] == "deny"
    for home in homes:
        wait_for(lambda home=home: caught_up(home), "everything is shipped")
    found = fleet.entries()

    for home, name in zip(homes, ("laptop", "server"), strict=True):
        shipped = [
            (one.machine_seq, one.id, one.ts, one.machine_hash) for one in found if one.machine == name
        ]
        assert shipped == [(own.seq, own.id, own.ts, own.hash) for own in home.entries()]
        assert home.broken() is None
    assert len([one for one in found if one.decision == "deny"]) == 10
    assert fleet.verify().broken is None


def test_without_a_server_every_call_is_decided_and_shipped_later(
    own_server: Cluster, homes: list[Home], tmp_path: Path
) -> None:
    """The server's absence is told and changes no answer; when it is back, everything arrives."""
    home = homes[0]
    with ExitStack() as ends:
        fleet = Fleet(server=own_server, name=own_server.database(), folder=tmp_path, ends=ends)
        with closing(connect(fleet.settings("setup"), {})) as connection:
            migrate_postgres(connection)
        own_server.stop()
        begin(home, fleet, "laptop")
        wait_for(lambda: shipping(home).get("state") == "trouble", "the trouble is told")
        for number in range(5):
            assert decided(home.call(bash("git push", tool_use_id=f"u{number}")))[0] == "deny"
        found = shipping(home)
        assert (found["shipped"], found["behind"]) == (0, 5)
        assert "cannot be reached" in found["error"]
        own_server.start()
        wait_for(lambda: caught_up(home), "everything is shipped")

        assert shipping(home)["error"] is None
        assert [entry.decision for entry in fleet.entries()] == ["deny"] * 5


def test_the_process_ends_with_its_daemon_and_the_next_goes_on(fleet: Fleet, homes: list[Home]) -> None:
    """Killed with -9, the daemon leaves nobody behind; the next one ships what is missing, once."""
    home = homes[0]
    begin(home, fleet, "laptop")
    home.call(bash("git push", tool_use_id="u1"))
    wait_for(lambda: caught_up(home), "the first is shipped")
    daemon = int(home.places.lock.read_text())
    started = children(daemon)
    os.kill(daemon, signal.SIGKILL)
    home.started[0].wait()
    wait_for(lambda: not any(map(alive, started)), "its process ends")
    home.start()
    home.call(bash("git push", tool_use_id="u2"))
    wait_for(lambda: caught_up(home), "the second is shipped")

    assert started
    assert [entry.machine_seq for entry in fleet.entries()] == [1, 2]


def test_a_process_that_is_killed_is_started_anew(fleet: Fleet, homes: list[Home]) -> None:
    """Whoever ends it only delays shipping."""
    home = homes[0]
    begin(home, fleet, "laptop")
    wait_for(lambda: shipping(home).get("state") == "waiting", "it has connected")
    for pid in children(int(home.places.lock.read_text())):
        os.kill(pid, signal.SIGKILL)
    home.call(bash("git push", tool_use_id="u1"))
    wait_for(lambda: shipping(home).get("state") == "trouble", "its end is noticed")
    wait_for(lambda: caught_up(home), "everything is shipped")

    assert len(fleet.entries()) == 1


def test_a_refusal_that_lasts_is_an_alarm_once(
    bare: Fleet, homes: list[Home], monkeypatch: pytest.MonkeyPatch, interlock: Interlock
) -> None:
    """A database without a team ledger needs a person: it is recorded, and the status says what to run."""
    home = homes[0]
    begin(home, bare, "laptop")
    wait_for(lambda: shipping(home).get("state") == "stopped", "it has given up for now")
    wait_for(lambda: len(home.entries("alarm")) == 1, "the alarm is recorded")

    assert "interlock ledger team init" in home.entries("alarm")[0].body["reason"]
    assert "interlock ledger team init" in shipping(home)["error"]
    monkeypatch.setenv("INTERLOCK_HOME", str(home.folder))
    [check] = _checked(home.places)
    assert (check.state, check.what) == (State.FAIL, "team ledger")
    assert "laptop: stopped, 1 entry waits" in interlock("daemon", "status").out


def test_the_doctor_is_content_when_everything_arrives(
    fleet: Fleet, homes: list[Home], monkeypatch: pytest.MonkeyPatch, interlock: Interlock
) -> None:
    """It says so in the words of the daemon's status, and says nothing where no fleet is named."""
    home = homes[0]
    begin(home, fleet, "laptop")
    wait_for(lambda: caught_up(home), "it has connected")
    monkeypatch.setenv("INTERLOCK_HOME", str(home.folder))
    [check] = _checked(home.places)
    monkeypatch.setattr(postgres, "find_spec", lambda name: None)
    [bare] = _checked(home.places)
    monkeypatch.undo()
    monkeypatch.setenv("INTERLOCK_HOME", str(homes[1].folder))

    assert (check.state, check.detail.partition(": ")[2]) == (State.OK, "waiting, everything is there")
    assert (bare.state, bare.next) == (
        State.FAIL,
        "pip install 'interlock[postgres]' && interlock daemon restart",
    )
    assert _checked(homes[1].places) == []


def test_the_password_is_used_and_stands_nowhere(
    own_server: Cluster, homes: list[Home], tmp_path: Path
) -> None:
    """It is read from its file, and neither ledger, log, note nor any process' command line has it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    own_server.restart(port=port)
    home, name = homes[0], "fleet_secret"
    own_server.sql("postgres", f"CREATE DATABASE {name}", f"CREATE ROLE laptop LOGIN PASSWORD '{PASSWORD}'")
    with ExitStack() as ends:
        fleet = Fleet(server=own_server, name=name, folder=tmp_path, ends=ends)
        with closing(connect(fleet.settings("setup"), {})) as connection:
            migrate_postgres(connection)
        fleet.sql("SELECT interlock.let_ship('laptop')")
        secret = home.folder / "password"
        secret.touch(mode=0o600)
        secret.write_text("wrong\n")
        url = f"postgresql://laptop@127.0.0.1:{port}/{name}"
        settings = f'url: "{url}", machine: laptop, password_file: {secret}'
        home.write_policy(POLICY.format(settings=settings))
        home.start()
        wait_for(lambda: shipping(home).get("state") == "stopped", "the wrong one is refused")
        assert "rejects this role and password" in shipping(home)["error"]
        secret.write_text(f"{PASSWORD}\n")
        os.kill(children(int(home.places.lock.read_text()))[0], signal.SIGKILL)  # sooner than in a minute
        home.call(bash("git push", tool_use_id="u1"))
        wait_for(lambda: caught_up(home), "everything is shipped")
        request(home.places.socket, "stop")
        home.started[0].wait()

        assert fleet.entries()
        note = read_cursor(home.places.state)
        assert note is not None
        assert note.seq == len(home.entries())
        for file in (one for one in home.places.state.iterdir() if one.is_file()):
            assert PASSWORD.encode() not in file.read_bytes()


def test_what_is_not_shipped_is_not_pruned_unless_a_person_says_so(
    own_server: Cluster, homes: list[Home], tmp_path: Path
) -> None:
    """Retention keeps what the fleet does not have; a person may remove it and the fleet counts it."""
    home = homes[0]
    with ExitStack() as ends:
        fleet = Fleet(server=own_server, name=own_server.database(), folder=tmp_path, ends=ends)
        with closing(connect(fleet.settings("setup"), {})) as connection:
            migrate_postgres(connection)
        own_server.stop()
        begin(home, fleet, "laptop")
        for number in range(5):
            home.call(bash("git push", tool_use_id=f"u{number}"))
        asked = {"last": 3, "rule": "test"}
        with pytest.raises(DaemonError, match="entries from 1 on are not in the team ledger yet"):
            request(home.places.socket, "ledger.prune", asked)
        request(home.places.socket, "ledger.prune", {**asked, "unshipped": True})
        wait_for(lambda: home.entries()[0].seq == 4, "they are gone")
        own_server.start()
        wait_for(lambda: caught_up(home), "the rest is shipped")

        assert [(one.op, one.missing) for one in fleet.entries()][:2] == [("gap", 3), ("decision", 0)]
        assert fleet.verify().broken is None


def _checked(places: Places) -> list[Check]:
    """What the doctor says of the fleet's ledger."""
    home = Path.home()
    installed = install_place(os.environ, home=home, cwd=home)
    return list(checks(DoctorContext(places=places, settings=settings_here(), installed=installed)))
