"""Laws of telling people from agents by processes alone."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.daemon.home import wait_for
from tests.orphan import left_alone

from interlock.daemon.caller_kind import (
    FILE,
    Kind,
    Roster,
    namespaces,
    read_roster,
    standing_of,
    write_roster,
)
from interlock.daemon.process_tree import began, process, real_user

pytestmark = [pytest.mark.req("Z02"), pytest.mark.deep]

NOBODY = 65534
TELL = (
    "import os, sys\n"
    "from pathlib import Path\n"
    "from interlock.daemon.caller_kind import read_roster\n"
    "from interlock.daemon.caller_kind import standing_of\n"
    "print(standing_of(os.getpid(), read_roster(Path(sys.argv[1]))).kind)\n"
)
AGENT_INSIDE = (
    "import subprocess, sys\n"
    "from pathlib import Path\n"
    "from interlock.daemon.process_tree import process\n"
    "from interlock.daemon.caller_kind import Roster, namespaces, write_roster\n"
    "agent = subprocess.Popen(['sleep', '60'])\n"
    "known = {agent.pid: (process(agent.pid).started, 's')}\n"
    "write_roster(Path(sys.argv[1]), Roster(known=known, namespaces=namespaces()))\n"
    "print(flush=True)\n"
    "sys.stdin.read()\n"
)
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="becomes another user")


@pytest.fixture
def agent() -> Iterator[int]:
    """A process that lives, younger than what runs the tests."""
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as running:
        yield running.pid


@pytest.fixture
def file(agent: int, tmp_path: Path) -> Path:
    """What a daemon kept that knows this agent."""
    found = process(agent)
    assert found is not None
    write_roster(tmp_path / FILE, Roster(known={agent: (found.started, "s")}, namespaces=namespaces()))
    return tmp_path / FILE


def told(file: Path, *before: str, user: int = 0) -> str:
    """Whose process it is that lost its parent."""
    code, screen = left_alone(
        file.with_name("out"), *before, sys.executable, "-c", TELL, str(file), user=user
    )
    assert code == 0, screen
    return screen.strip()


def test_older_than_every_agent_is_a_persons_and_left_alone_is_nobodys(file: Path, agent: int) -> None:
    """And what is below the agent is the agent's; what has gone may be anybody's."""
    roster = read_roster(file)
    ended = subprocess.Popen(["true"])
    ended.wait()

    assert standing_of(os.getpid(), roster).kind is Kind.PERSON
    assert standing_of(agent, roster)[:2] == (Kind.AGENT, "s")
    assert standing_of(ended.pid, roster).kind is Kind.UNKNOWN
    assert told(file) == Kind.UNKNOWN


def test_numbers_of_another_namespace_say_nothing(file: Path) -> None:
    """Nobody is a person by processes that are counted elsewhere."""
    write_roster(file, Roster(known=read_roster(file).known, namespaces="pid:[1],time:[1]"))

    assert standing_of(os.getpid(), read_roster(file)).kind is Kind.UNKNOWN


@as_root
def test_who_came_in_through_a_program_of_roots_is_a_person(file: Path) -> None:
    """As ssh, login and sudo let them in; beside it the same without such a program."""
    file.parent.chmod(0o777)
    through = told(file, "/usr/bin/setpriv", f"--ruid={NOBODY}")

    assert (through, told(file, user=NOBODY)) == (Kind.PERSON, Kind.UNKNOWN)


@as_root
def test_who_enters_a_container_from_outside_is_a_person(tmp_path: Path) -> None:
    """`docker exec` gives a process without a parent in there; what an agent left alone has one."""
    file, out = tmp_path / FILE, tmp_path / "out"
    made = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child", sys.executable, "-c"]
    pipe = subprocess.PIPE
    with subprocess.Popen([*made, AGENT_INSIDE, str(file)], stdin=pipe, stdout=pipe) as container:
        assert container.stdout is not None
        container.stdout.readline()
        first = Path(f"/proc/{container.pid}/task/{container.pid}/children").read_text().split()[0]
        enter = ["/usr/bin/nsenter", "--target", first, "--pid", "--mount"]
        tell = [sys.executable, "-c", TELL, str(file)]
        entered = subprocess.run([*enter, *tell], capture_output=True, text=True, timeout=60, check=True)
        orphan = [sys.executable, str(Path(__file__).parents[1] / "orphan.py"), str(out), "0", "[]"]
        subprocess.run([*enter, *orphan, *tell], timeout=60, check=True)
        wait_for(out.exists, "what was left alone has ended")
        container.kill()

    assert entered.stdout.strip() == Kind.PERSON
    assert Kind.UNKNOWN in out.read_text()


def test_who_a_process_belongs_to_and_when_it_began_is_known() -> None:
    """A parent began before its child, or at the same moment."""
    own, parent = process(os.getpid()), process(os.getppid())
    assert own is not None
    assert parent is not None

    assert began(parent) <= began(own) < float("inf")
    assert real_user(own.pid) == os.getuid()
    assert began(own._replace(started="no time")) == float("inf")
    assert began(own._replace(started="Mon_Jan_1_10:00:00_2024")) < began(
        own._replace(started="Mon_Jan_1_10:00:01_2024")
    )
