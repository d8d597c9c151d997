"""Laws of who may pause: not an agent, nor what cannot be told from one; the daemon need not run for that."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.orphan import left_alone
from tests.shim.shim_home import ShimHome
from tests.terminal import at_terminal

from interlock.daemon.caller_kind import FILE, STARTERS, Known, Roster, namespaces, write_roster
from interlock.daemon.process_tree import process

pytestmark = [pytest.mark.req("Z02"), pytest.mark.deep]

NOBODY = 65534
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="becomes another user")


@pytest.fixture
def alone(place: ShimHome) -> ShimHome:
    """A home whose daemon cannot be had, with the shim in it."""
    place.write_launch([str(place.folder / "gone")])
    (place.folder / "state").mkdir(mode=0o700)
    return ShimHome(shim=Path(shutil.copy(place.shim, place.folder)), folder=place.folder)


@pytest.fixture
def agent() -> Iterator[int]:
    """A process that lives, younger than what runs the tests."""
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as running:
        yield running.pid


def known(place: ShimHome, *pids: int, started: str = "", adopter: int = 0) -> None:
    """Let the daemon have known these agents."""
    found: Known = {}
    for pid in pids:
        one = process(pid)
        assert one is not None
        found[pid] = (started or one.started, "s with words")
    roster = Roster(known=found, namespaces=namespaces(), adopter=adopter)
    write_roster(place.folder / "state" / FILE, roster)


def paused(place: ShimHome) -> bool:
    return (place.folder / "state" / "pause").exists()


def orphan(place: ShimHome, *before: str, user: int = 0) -> tuple[int, str]:
    """Pause from a process that lost its parent."""
    command = (*before, *place.command("pause", "15m"))
    return left_alone(place.folder / "out", *command, typed=("yes\n",), user=user)


def test_an_agents_process_on_a_terminal_does_not_pause(alone: ShimHome) -> None:
    """Whatever it has taken out of its environment: it is below an agent that lives."""
    known(alone, os.getpid())
    code, screen = at_terminal(alone.command("pause", "15m"), b"yes\n", env={})

    assert code == 1
    assert "an agent started this" in screen
    assert not paused(alone)


def test_what_an_agent_left_alone_is_sent_to_the_passphrase(alone: ShimHome, agent: int) -> None:
    """`setsid -f` with a clean environment is no way to become a person."""
    known(alone, agent)
    code, screen = orphan(alone)

    assert code == 1
    assert "`interlock pause`, which asks for your passphrase" in screen
    assert not paused(alone)


def test_a_terminal_that_was_open_before_the_agent_is_a_persons(alone: ShimHome, agent: int) -> None:
    """An editor's terminal, a tmux that ran already: what is above it is older than the agent."""
    known(alone, agent)

    assert at_terminal(alone.command("pause", "15m"), b"yes\n", env={})[0] == 0
    assert paused(alone)


def test_while_no_agent_lives_whoever_types_is_a_person(alone: ShimHome, agent: int) -> None:
    """One that has ended, or whose number is another process's now, is none."""
    known(alone, agent, started="another/1")

    assert orphan(alone)[0] == 0
    assert paused(alone)


@pytest.mark.parametrize(
    "content",
    [b"", b"\n", b"interlock-agents 2 pid:[1] 0\n", b"interlock-agents 1 pid:[1],time:[1] 0\n", b"\0" * 9000],
)
def test_a_file_that_cannot_be_used_makes_nobody_a_person(alone: ShimHome, content: bytes) -> None:
    """Not ours, or of processes that are counted elsewhere."""
    (alone.folder / "state" / FILE).write_bytes(content)

    assert at_terminal(alone.command("pause", "15m"), b"yes\n", env={})[0] == 1
    assert not paused(alone)


def test_who_is_below_what_adopts_shows_nothing_by_its_age(alone: ShimHome, agent: int) -> None:
    """The daemon wrote down which process takes in those that lost their parent; here it is ours."""
    known(alone, agent, adopter=os.getpid())

    assert at_terminal(alone.command("pause", "15m"), b"yes\n", env={})[0] == 1


def test_many_agents_are_all_looked_at(alone: ShimHome, checked_shim: Path) -> None:
    """The one that matters may stand last in a long file; no step in memory goes wrong on the way."""
    lines = "".join(f"{number} boot/1 {'long ' * 40}\n" for number in range(2, 800))
    known(alone, os.getpid())
    file = alone.folder / "state" / FILE
    first, last = file.read_text().splitlines()
    file.write_text(f"{first}\n{lines}{last}\n")

    for shim in (alone.shim, checked_shim):
        pause = ShimHome(shim=shim, folder=alone.folder).command("pause", "15m")
        assert "an agent started this" in at_terminal(pause, b"yes\n", env={})[1]


@as_root
def test_who_came_in_through_a_program_of_roots_is_a_person(alone: ShimHome, agent: int) -> None:
    """As by ssh, login or sudo; beside it the control, which has no such program above it."""
    known(alone, agent)
    for path in (alone.folder, alone.launch, alone.folder / "state", alone.folder / "state" / FILE):
        os.chown(path, NOBODY, NOBODY)
    refused, screen = orphan(alone, user=NOBODY)
    let_in, screen = orphan(alone, "/usr/bin/setpriv", f"--reuid={NOBODY}", "--clear-groups")

    assert (refused, let_in) == (1, 0), screen
    assert paused(alone)


def test_the_shim_knows_the_same_starters() -> None:
    """What says nothing of who is below it is the same in both languages."""
    source = Path(__file__).resolve().parents[2] / "shim" / "person.h"
    listed = source.read_text("utf-8").partition("starters[] = {")[2].partition("};")[0]

    assert {word.strip().strip('"') for word in listed.split(",") if word.strip()} == STARTERS


@as_root
def test_who_enters_a_container_from_outside_is_a_person(alone: ShimHome) -> None:
    """`docker exec` gives a process that has no parent in there; what an agent leaves alone has one."""
    inside = (
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
    made = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"]
    program = [sys.executable, "-c", inside, str(alone.folder / "state" / FILE)]
    with subprocess.Popen([*made, *program], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as container:
        assert container.stdout is not None
        container.stdout.readline()
        children = Path(f"/proc/{container.pid}/task/{container.pid}/children").read_text().split()
        enter = ["/usr/bin/nsenter", "--target", children[0], "--pid", "--mount"]
        entered = at_terminal([*enter, *alone.command("pause", "15m")], b"yes\n", env={})
        (alone.folder / "state" / "pause").unlink(missing_ok=True)
        left = [sys.executable, str(Path(__file__).parents[1] / "orphan.py"), str(alone.folder / "out"), "0"]
        subprocess.run([*enter, *left, '["yes\\n"]', *alone.command("pause", "15m")], check=True, timeout=60)
        while not (alone.folder / "out").exists():
            assert container.poll() is None
        container.kill()

    assert entered[0] == 0, entered[1]
    assert not paused(alone)
