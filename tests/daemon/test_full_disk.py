"""Laws of a daemon whose disk is full or whose database another process holds, on a real small disk."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.daemon.home import Home, bash, decided, event, remove

pytestmark = pytest.mark.deep

PROGRAM = Path(__file__).with_name("full_disk.py")
ROOT = PROGRAM.parents[2]
SIZE = 64_000_000
WRITTEN: dict[str, Any] = {"tool_name": "Write", "tool_input": {"file_path": "/usr/share/x", "content": "x"}}
NO_ROOM = "Tool denied: the decision could not be recorded: the disk is full; free some space"
HELD = (
    "Tool denied: the decision could not be recorded: another process has locked the database; "
    "stop it or try again"
)


@pytest.fixture(scope="module")
def reports() -> list[dict[str, Any]]:
    """What happened on a small disk of its own, which only that program sees."""
    if not sys.platform.startswith("linux"):
        pytest.skip("needs a file system that only one program sees")
    home = Path(tempfile.mkdtemp(prefix="ilk-"))
    disk = ["--dev-bind", "/", "/", "--perms", "0700", "--size", str(SIZE), "--tmpfs", str(home)]
    run = subprocess.run(
        ["bwrap", *disk, "--die-with-parent", sys.executable, PROGRAM, home],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    remove(home)
    assert run.returncode == 0, run.stderr
    return [json.loads(line) for line in run.stdout.splitlines()]


@pytest.mark.req("D02", "F01", "F03", "F08")
def test_on_a_full_disk_calls_are_denied_and_what_is_lost_is_one_gap(reports: list[dict[str, Any]]) -> None:
    """Denied with the reason and the next step; what is over passes; with room the same daemon goes on."""
    *rounds, _ = reports

    for found in rounds:
        *passed, first, second, with_room = found["answers"]
        assert passed, found["free"]
        assert {verdict for verdict, _ in passed} == {None}
        assert first == second == ["deny", NO_ROOM]
        assert found["after"] == [[None, ""]] * 3
        assert with_room == [None, ""]
        assert found["recorded"] == len(passed) + 1
        assert found["lost"] == [5]
        assert found["broken"] is None
    assert len({found["pid"] for found in rounds}) == 1


@pytest.mark.req("D02", "D12", "F01")
def test_a_daemon_that_cannot_start_on_a_full_disk_starts_with_room(reports: list[dict[str, Any]]) -> None:
    """Until then calls are denied with a next step; then they pass and are recorded."""
    *_, found = reports

    verdict, reason = found["refused"]
    assert verdict == "deny"
    assert "run `interlock daemon status`" in reason
    assert found["passed"] == [0, ""]
    assert (found["with_room"], found["recorded"], found["broken"]) == ([None, ""], "room", None)


@contextmanager
def held(home: Home, how: str) -> Iterator[None]:
    """Another program holds the database."""
    with closing(sqlite3.connect(home.places.database, isolation_level=None, timeout=90)) as other:
        other.execute(how)
        yield
        other.execute("ROLLBACK")


@pytest.mark.req("D03", "F01", "F03", "F08")
@pytest.mark.parametrize("how", ["BEGIN IMMEDIATE", "BEGIN EXCLUSIVE"])
def test_while_another_holds_the_database_calls_are_denied_at_once(served: Home, how: str) -> None:
    """The same as on a full disk: denied, passed, counted once, and the daemon goes on by itself."""
    pid = served.started[0].pid
    before = decided(served.shim(bash("ls", tool_use_id="before")))
    with held(served, how):
        denied = [decided(served.shim(bash("ls", tool_use_id=f"held-{number}"))) for number in range(3)]
        after = decided(served.shim(event("PostToolUse", **WRITTEN, tool_response={}, tool_use_id="over")))
        last = decided(served.shim(bash("ls", tool_use_id="held-last")))
    again = decided(served.shim(bash("ls", tool_use_id="held-0")))

    assert before == after == again == (None, "")
    assert [*denied, last] == [("deny", HELD)] * 4
    assert [(gap.body["lost"], gap.body["open_passes"]) for gap in served.entries("gap")] == [(5, 1)]
    assert [entry.body["tool_use_id"] for entry in served.entries("decision")] == ["before", "held-0"]
    found = served.status()
    assert found is not None
    assert (found["pid"], found["open_passes"]) == (pid, 1)
    assert served.broken() is None


RECORDED = """\
version: "2.0"
hooks:
  pre_tool_use: [{name: keep, type: record_tool_use}]
  post_tool_use: [{name: keep, type: record_tool_use}]
"""


@pytest.mark.req("F01", "F03")
def test_the_end_of_a_recorded_call_that_meets_a_held_database_is_an_open_pass(place: Home) -> None:
    """Its hook could not write down how the call ended: it went on, so it is counted once, in the gap."""
    place.write_policy(RECORDED)
    place.start()
    call: dict[str, Any] = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t1"}
    assert decided(place.shim(event(**call)))[0] is None
    with held(place, "BEGIN IMMEDIATE"):
        assert decided(place.shim(event("PostToolUse", **call, tool_response={}))) == (None, "")
    place.shim(bash("ls", tool_use_id="next"))

    assert [gap.body["open_passes"] for gap in place.entries("gap")] == [1]
    found = place.status()
    assert found is not None
    assert found["open_passes"] == 1


@pytest.mark.req("D03", "F08")
@pytest.mark.parametrize("harm", ["deleted", "replaced", "log deleted"])
def test_a_database_taken_away_is_opened_anew_and_the_loss_is_told(served: Home, harm: str) -> None:
    """The call is denied; the next is decided by another daemon on a sound file, where the gap stands."""
    database = served.places.database
    decided(served.shim(bash("ls", tool_use_id="before")))
    if harm == "log deleted":
        database.with_name(f"{database.name}-wal").unlink()
    else:
        moved = database.rename(database.with_name("moved"))
        if harm == "replaced":
            shutil.copy(moved, database)
    denied = decided(served.shim(bash("ls", tool_use_id="t1")))
    served.started[0].wait(90)
    again = decided(served.shim(bash("ls", tool_use_id="t1")))

    assert denied[0] == "deny"
    assert "was replaced or deleted" in denied[1]
    assert again == (None, "")
    (gap,) = served.entries("gap")
    assert (gap.body["lost"], gap.body["outcomes"]) == (1, {"unrecorded": 1})
    assert [entry.body["tool_use_id"] for entry in served.entries("decision")][-1] == "t1"
    assert served.broken() is None
