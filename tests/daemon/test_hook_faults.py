"""Laws of hooks that misbehave, seen from the host."""

from __future__ import annotations

import os
import re
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest
from tests.daemon.home import PATIENCE, Home, bash, decided, event, wait_for

from interlock.hosts.all_hosts import HOSTS
from interlock.search.counts import recent_calls
from interlock.store.clock import timestamp
from interlock.store.database import open_database, open_to_read
from interlock.store.statements import statements

pytestmark = pytest.mark.deep

# Each law looks for its own sleepers by how long they sleep; the same law may be under test elsewhere.
SLEEPS, WAITS, GROUP, MANY = (f"600.{law}{os.getpid()}s" for law in ("04", "14", "05", "07"))
BOMB = f"i=0; while [ $i -lt 100 ]; do sleep {MANY} & i=$((i+1)); done;"
POLICY = """\
version: "2.0"
hooks:
  {event}:
    - name: bad
      type: command
      timeout: {timeout}
      config:
        command: '{command}'
"""


def serve(place: Home, command: str, *, at: str = "pre_tool_use", timeout: float = 1) -> None:
    """Start a daemon whose only hook is this one."""
    place.write_policy(POLICY.format(event=at, timeout=timeout, command=command))
    place.start()


def alive(marker: str) -> list[int]:
    """The processes whose command line holds a text."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and marker in (folder / "cmdline").read_text():
                found.append(int(folder.name))
        except OSError:
            continue  # it has ended meanwhile
    return found


def peak(pid: int) -> int:
    """The most memory a process has had, in bytes."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))


@pytest.mark.req("D04")
def test_a_hook_that_sleeps_is_killed_at_its_timeout(place: Home) -> None:
    """The call is denied, the trace says why, and the sleeper is gone."""
    serve(place, f"exec sleep {SLEEPS}")
    verdict, reason = decided(place.shim(bash("ls")))

    assert verdict == "deny"
    assert "no answer within 1 s" in reason
    wait_for(lambda: alive(SLEEPS) == [], "the sleeper is gone")
    (entry,) = place.entries("decision")
    assert entry.body["trace"][0]["outcome"] == "timeout"


@pytest.mark.req("D04")
def test_an_answer_leaves_before_the_host_gives_up(place: Home) -> None:
    """A hook with a minute of its own has no more than the event's budget, and its answer leaves then."""
    budget = HOSTS["claude-code"].budget("SessionEnd")
    serve(place, f"exec sleep {WAITS}", at="session_end", timeout=60)
    done = place.shim(event("SessionEnd", reason="exit"))

    assert (done.returncode, done.stdout) == (0, b"")
    wait_for(lambda: alive(WAITS) == [], "the hook is gone")
    wait_for(lambda: place.entries("decision"), "the event is recorded")
    (entry,) = place.entries("decision")
    waited = re.search(r"no answer within ([\d.]+) s", entry.body["trace"][0]["reason"])
    assert waited is not None
    assert 0 < float(waited[1]) <= budget < 60  # less the time until it began
    assert entry.body["open_passes"] == 1


@pytest.mark.req("D05")
@pytest.mark.parametrize(
    "command",
    [
        f'trap "" TERM; sleep {GROUP}; sleep {GROUP}',
        f"(sleep {GROUP} &); exec sleep {GROUP}",
        f"(sleep {GROUP} & sleep {GROUP} &) & sleep 0.1; exit 0",
        f"exec sleep {GROUP} >/dev/null 2>&1",
    ],
    ids=["ignores TERM", "forks twice", "leaves children with the pipes", "closes the pipes"],
)
def test_the_whole_group_of_a_hook_ends_with_it(place: Home, command: str) -> None:
    """Whatever it started in its group is gone when the answer is there."""
    serve(place, command)
    place.shim(bash("ls"))

    wait_for(lambda: alive(GROUP) == [], "no process is left")
    assert len(place.entries("decision")) == 1


@pytest.mark.req("D06")
@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("head -c 1000000000 /dev/zero", "more than 1 MiB"),
        ("head -c 100000 /dev/urandom", "expected"),
        ('echo "{\\"decision\\": \\"al"', "expected"),
        ('echo "{\\"decision\\": \\"allow\\"}"; exit 1', "exit"),
    ],
    ids=["a gigabyte", "noise", "half an answer", "an answer and an error"],
)
def test_garbage_is_a_failure_and_costs_no_memory(place: Home, command: str, reason: str) -> None:
    """A tool call is denied, and the daemon has grown by less than 10 MB."""
    serve(place, command, timeout=60)
    pid = place.started[0].pid
    place.call(event("Notification"))
    before = peak(pid)
    verdict, said = decided(place.shim(bash("ls")))

    assert verdict == "deny"
    assert reason in said
    assert peak(pid) - before < 10 * 1024 * 1024


@pytest.mark.req("D07")
def test_a_hook_that_forks_a_hundred_stops_no_other_session(place: Home, tmp_path: Path) -> None:
    """While they run others are answered; when it ends all of them are gone."""
    begun, enough = tmp_path / "begun", tmp_path / "enough"
    command = f"{BOMB} touch {begun}; while [ ! -e {enough} ]; do sleep 0.05; done"
    place.write_policy(
        POLICY.format(event="pre_tool_use", timeout=60, command=command) + "      matcher: Bash\n"
    )
    place.start()
    answers: list[object] = []
    bomb = threading.Thread(target=lambda: answers.append(decided(place.shim(bash("ls")))[0]))
    bomb.start()
    wait_for(begun.exists, "all of them run")
    running = len(alive(MANY))
    others = [
        decided(place.shim(event(tool_name="Read", tool_input={"file_path": "a"}, session_id=f"s{n}")))
        for n in range(20)
    ]
    meanwhile = list(answers)
    enough.touch()
    bomb.join(PATIENCE)

    assert running >= 100
    assert others == [(None, "")] * 20
    assert meanwhile == []
    assert answers == [None]
    wait_for(lambda: alive(MANY) == [], "no process is left")


@pytest.mark.req("D07")
def test_a_hook_that_forks_a_hundred_ends_with_its_time(place: Home) -> None:
    """The call is denied, and none of them is left."""
    serve(place, f"{BOMB} wait")

    assert decided(place.shim(bash("ls")))[0] == "deny"
    wait_for(lambda: alive(MANY) == [], "no process is left")


@pytest.mark.req("F01")
@pytest.mark.parametrize("kind", ["loop_guard", "budget"])
def test_a_guard_that_lost_its_memory_denies_and_is_counted(place: Home, kind: str) -> None:
    """Its row in the store is not what it wrote: the call is denied, and the failures of the hook say so."""
    place.write_policy(f'version: "2.0"\nhooks: {{pre_tool_use: [{{name: guard, type: {kind}}}]}}\n')
    with closing(open_database(place.places.database)) as connection:
        row = ("s", "guard", '{"calls": "many"}', timestamp(time.time()))
        connection.execute(statements("memory")["put"], row)
    place.start()
    verdict, reason = decided(place.shim(bash("ls")))
    with closing(open_to_read(place.places.database)) as connection:
        (found,) = recent_calls(connection, since="").failures

    assert verdict == "deny"
    assert "hook `guard` crashed" in reason
    assert (found.hook, found.type, found.count) == ("guard", kind, 1)
