"""Laws of a daemon that is killed or finds no room, at every single change to a file."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.daemon.home import remove
from tests.fault_library import KILL, NO_SPACE, TEAR, build_faults

pytestmark = pytest.mark.deep

PROGRAM = Path(__file__).with_name("faulty_daemon.py")
ROOT = PROGRAM.parents[2]
# Which changes: every so many; `make nightly` takes each.
EVERY = int(os.environ.get("INTERLOCK_TEST_FAULTS_EVERY", "7"))
OBSERVED = {"after"}  # answered before it is recorded
CALLS = 6


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library that lets a change to a file go wrong."""
    return build_faults(tmp_path_factory.mktemp("faults"))


@pytest.fixture
def folder() -> Iterator[Path]:
    """Where the homes lie; a short path, because a socket's must be."""
    found = Path(tempfile.mkdtemp(prefix="ilk-"))
    yield found
    remove(found)


def every_n(library: Path, folder: Path, mode: int) -> list[dict[str, Any]]:
    """The report of each run."""
    run = subprocess.run(
        [sys.executable, PROGRAM, library, folder, str(mode), str(EVERY)],
        env={**os.environ, "LD_PRELOAD": str(library), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return [json.loads(line) for line in run.stdout.splitlines()]


def recovered(report: dict[str, Any]) -> bool:
    """The chain holds, nothing that shims noted is missing, and the next daemon decides everything."""
    held = (report["broken"], report["again"], report["again_ended"]) == (None, True, [False, None])
    return held and report["passed"] >= 1 and not report["again_unrecorded"]


@pytest.mark.req("D01")
@pytest.mark.parametrize("mode", [KILL, TEAR], ids=["before", "in the middle"])
def test_killed_at_any_change_to_a_file_every_answer_that_left_has_its_entry(
    library: Path, folder: Path, mode: int
) -> None:
    """No answer is another than the policy's, each has its entry, and the next daemon goes on."""
    reports = every_n(library, folder, mode)

    assert [report for report in reports if not recovered(report)] == []
    assert [report for report in reports if report["wrong"] or set(report["unrecorded"]) - OBSERVED] == []
    assert all(report["killed"] for report in reports[:-1])
    assert (reports[-1]["killed"], reports[-1]["error"], len(reports[-1]["answers"])) == (False, None, CALLS)
    assert len({len(report["answers"]) for report in reports}) > CALLS / 2


@pytest.mark.req("D02", "F01", "F03")
def test_without_room_at_any_change_to_a_file_the_daemon_lives_and_says_so(
    library: Path, folder: Path
) -> None:
    """It does not start, or it answers everything: a call it cannot record is denied and counted, once."""
    reports = every_n(library, folder, NO_SPACE)

    assert [report for report in reports if not recovered(report)] == []
    assert not any(report["killed"] for report in reports)
    assert {len(report["answers"]) for report in reports if report["error"] is None} == {CALLS}
    assert {len(report["answers"]) for report in reports if report["error"] is not None} <= {0}
    assert [report for report in reports if not counted(report)] == []
    assert any(report["wrong"] for report in reports)


def counted(report: dict[str, Any]) -> bool:
    """Whatever has no entry is in the one gap entry; what was refused says why and what to do."""
    denied = [name for name in report["unrecorded"] if report["answers"][name][0] == "deny"]
    reasons = [reason for _, reason in report["wrong"].values()]
    return (
        len(report["lost"]) <= 1
        and sum(report["lost"]) >= len(report["unrecorded"])
        and set(report["unrecorded"]) - OBSERVED == set(denied)
        and all(word in reason for reason in reasons for word in ("Tool denied: ", "the disk ", "; "))
    )
