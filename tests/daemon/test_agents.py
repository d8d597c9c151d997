"""Laws of knowing agents: by the kernel's word, only while they live, and never a person's shell."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from interlock.daemon.agent_processes import Agents, agent_above, host_of
from interlock.daemon.caller_kind import Kind, read_roster
from interlock.daemon.process_tree import process
from interlock.daemon.protocol import Call

pytestmark = pytest.mark.deep

MARKED = {"CLAUDE_PROJECT_DIR": "/w"}
WAITING = "import sys; sys.stdin.read()"


def reported(session: str = "s", env: dict[str, str] | None = None, tool: str = "Bash") -> Call:
    """A hook call of a session."""
    payload = json.dumps({"session_id": session, "tool_name": tool}).encode()
    return Call(host="claude-code", payload=payload, env=MARKED if env is None else env)


@contextmanager
def child(*command: str) -> Iterator[int]:
    """A process of ours that waits; the shell's own child where a shell is between."""
    process = subprocess.Popen([*command, sys.executable, "-c", WAITING], stdin=subprocess.PIPE)
    try:
        yield process.pid
    finally:
        process.communicate()


@contextmanager
def many_children(count: int) -> Iterator[list[int]]:
    """Processes below one of ours that wait."""
    each = f"for one in $(seq {count}); do sleep 60 & done; echo; wait"
    with subprocess.Popen(["sh", "-c", each], stdout=subprocess.PIPE) as shell:
        assert shell.stdout is not None
        shell.stdout.readline()
        pids = [int(one) for one in Path(f"/proc/{shell.pid}/task/{shell.pid}/children").read_text().split()]
        try:
            yield pids
        finally:
            for pid in pids:
                os.kill(pid, signal.SIGKILL)


@pytest.fixture
def agents(tmp_path: Path) -> Agents:
    return Agents(tmp_path / "agents", clock=lambda: 0.0)


@pytest.mark.req("Z02")
def test_whoever_has_no_number_here_is_no_person(agents: Agents) -> None:
    """An agent could have started the daemon in a container of its own, and asks from outside."""
    assert agents.standing(0).kind is Kind.UNKNOWN
    assert agents.standing(os.getpid()).kind is Kind.PERSON


@pytest.mark.req("Z02", "Z08")
def test_a_hosts_children_are_an_agents_and_others_are_not(agents: Agents) -> None:
    """Whoever had the shim run is the host; what it starts is its doing, what started it is not."""
    with child() as shim, child() as other:
        agents.see(reported("mine"), lambda: shim)

        assert agents.above(os.getpid()) == "mine"
        assert agents.above(other) == "mine"
        assert agents.above(os.getppid()) is None


def test_a_process_is_in_the_session_it_reported_last(agents: Agents) -> None:
    """A host that begins anew in the same process is a new session, also after a restart of the daemon."""
    with child() as shim:
        agents.see(reported("first"), lambda: shim)
        agents.see(reported("second"), lambda: shim)

        assert agents.above(os.getpid()) == "second"


def test_a_call_no_host_marked_makes_nobody_an_agent(agents: Agents) -> None:
    """A person who tries the shim by hand, and the self-test, stay what they are."""
    with child() as shim:
        agents.see(reported(env={}), lambda: shim)
        agents.see(reported(tool="InterlockSelfTest"), lambda: shim)

    assert agents.above(os.getpid()) is None


def started_by(shell: subprocess.Popen[bytes], out: Path) -> int:
    """The number a shell wrote down of what it started."""
    while not (out.exists() and out.read_text().endswith("\n")):
        assert shell.poll() is None
        time.sleep(0.01)
    return int(out.read_text())


def test_a_shell_around_the_one_command_is_looked_through(tmp_path: Path) -> None:
    """Hosts run hooks by `sh -c`; the shell is gone at the next call, the host is not."""
    out = tmp_path / "pid"
    shell = subprocess.Popen(["sh", "-c", f"sleep 60 & echo $! > {out}; wait"])
    shim = started_by(shell, out)
    found = host_of(shim)
    os.kill(shim, signal.SIGKILL)
    shell.wait()

    assert found == process(os.getpid())


def test_a_script_around_the_shim_is_looked_through(tmp_path: Path) -> None:
    """It goes by a name of its own and ends with the call, so it cannot stand for the host."""
    out, script = tmp_path / "pid", tmp_path / "wrapper"
    script.write_text(f"#!/bin/sh\nsleep 60 & echo $! > {out}; wait\n")
    script.chmod(0o755)
    with subprocess.Popen([script]) as wrapper:
        shim = started_by(wrapper, out)
        found = host_of(shim)
        os.kill(shim, signal.SIGKILL)

    assert found == process(os.getpid())


def test_a_shell_people_type_into_is_no_agent(tmp_path: Path) -> None:
    """Else a terminal would be taken for one, and its person locked out."""
    out = tmp_path / "pid"
    shell = subprocess.Popen(["sh"], stdin=subprocess.PIPE)
    assert shell.stdin is not None
    shell.stdin.write(f"sleep 60 & echo $! > {out}\nwait\n".encode())
    shell.stdin.flush()
    shim = started_by(shell, out)
    found = host_of(shim)
    os.kill(shim, signal.SIGKILL)
    shell.communicate()

    assert found is None


def test_what_is_known_is_kept_for_the_next_daemon(tmp_path: Path) -> None:
    """One file, for its owner only; another clock tick of the same number is another process."""
    file = tmp_path / "agents"
    with child() as shim:
        Agents(file).see(reported("kept"), lambda: shim)
    known = read_roster(file).known

    assert file.stat().st_mode & 0o777 == 0o600
    assert Agents(file).above(os.getpid()) == "kept"
    assert agent_above(os.getpid(), known) == "kept"
    assert agent_above(os.getpid(), {os.getpid(): ("another", "kept")}) is None


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"1": 2}', b"\xff"])
def test_a_file_that_is_none_says_nothing(tmp_path: Path, content: bytes) -> None:
    """Nor does it keep a daemon from starting."""
    (tmp_path / "agents").write_bytes(content)

    assert read_roster(tmp_path / "agents").known == {}


def test_a_session_is_looked_up_once_in_a_while(tmp_path: Path) -> None:
    """Calls come by the thousand; who is behind them changes rarely."""
    now, looked = [0.0], []
    agents = Agents(tmp_path / "agents", clock=lambda: now[0])

    def peer() -> int:
        looked.append(now[0])
        return 0

    for seconds in (0.0, 1.0, 29.0, 30.0, 31.0):
        now[0] = seconds
        agents.see(reported(), peer)
    agents.see(reported("another"), peer)

    assert looked == [0.0, 30.0, 31.0]


def test_a_session_that_starts_is_looked_up_at_once(tmp_path: Path) -> None:
    """It may be an old one in a new process, which would count as a person's until the next look."""
    looked: list[int] = []
    agents = Agents(tmp_path / "agents", clock=lambda: 0.0)
    start = json.dumps({"session_id": "s", "hook_event_name": "SessionStart"}).encode()

    def peer() -> int:
        looked.append(len(looked))
        return 0

    for call in (reported(), reported(), Call(host="claude-code", payload=start, env=MARKED)):
        agents.see(call, peer)

    assert len(looked) == 2


def test_sessions_without_end_do_not_fill_the_memory(agents: Agents) -> None:
    """An agent may invent as many names as it likes."""
    for number in range(2_000):
        agents.see(reported(f"s{number}"), lambda: 0)

    assert len(agents._last_lookup) <= 512


@pytest.mark.req("Z02")
def test_whoever_lives_is_never_forgotten(tmp_path: Path) -> None:
    """However many others say that they are agents; those below one agent are bounded, and an alarm tells."""
    alarms: list[str] = []
    agents = Agents(tmp_path / "agents", clock=lambda: 0.0, alarm=alarms.append)
    with child() as shim, many_children(530) as others:
        agents.see(reported("real"), lambda: shim)
        for number, pid in enumerate(others):
            found = process(pid)
            assert found is not None
            agents._add(found, f"pretended-{number}")

        assert agents.above(os.getpid()) == "real"
        assert [agents.above(pid) for pid in (others[0], others[63], others[64])] == [
            "pretended-0",
            "pretended-63",
            "real",
        ]
        assert len(alarms) == 1
        assert "more than 64 processes below the agent of session `real`" in alarms[0]


@pytest.mark.req("Z02")
def test_where_not_all_agents_can_be_known_nobody_is_a_person(tmp_path: Path) -> None:
    """Until some of them end, or without the passphrase: one that is missing could be above whoever asks."""
    alarms: list[str] = []
    agents = Agents(tmp_path / "agents", clock=lambda: 0.0, alarm=alarms.append)
    with many_children(513) as others:
        for pid in others[:512]:
            found = process(pid)
            assert found is not None
            agents._add(found, "s")
        before = agents.standing(os.getpid()).kind
        found = process(others[512])
        assert found is not None
        agents._add(found, "s")
        full = agents.standing(os.getpid()).kind
        agents.believe(os.getpid())
        proven = agents.standing(os.getpid()).kind

    assert (before, full, agents.standing(os.getpid()).kind) == (Kind.PERSON, Kind.UNKNOWN, Kind.PERSON)
    assert proven is Kind.PERSON
    assert len(alarms) == 1


@pytest.mark.req("Z02")
def test_a_shim_that_was_left_alone_makes_nobody_an_agent(tmp_path: Path) -> None:
    """What takes it in is the system's first process, and not an agent that everything belongs to."""
    out = tmp_path / "pid"
    subprocess.run(["sh", "-c", f"sleep 60 >/dev/null & echo $! > {out}"], check=True)
    shim = int(out.read_text())
    found = host_of(shim)
    os.kill(shim, signal.SIGKILL)

    assert found is None


def test_a_disk_that_is_full_stops_no_call(tmp_path: Path) -> None:
    """What cannot be kept is known until the daemon ends."""
    (tmp_path / "file").touch()
    agents = Agents(tmp_path / "file" / "agents")
    with child() as shim:
        agents.see(reported("kept"), lambda: shim)

    assert agents.above(os.getpid()) == "kept"
