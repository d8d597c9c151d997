"""Laws of an append that is killed or finds no room, at every single change to a file."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.fault_library import KILL, NO_SPACE, TEAR, build_faults

pytestmark = pytest.mark.deep

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library that lets a change to a file go wrong, compiled for this machine."""
    return build_faults(tmp_path_factory.mktemp("faults"))


def every_n(library: Path, folder: Path, mode: int) -> list[dict[str, Any]]:
    """The report of each run."""
    run = subprocess.run(
        [sys.executable, HERE / "faulty.py", library, folder, str(mode)],
        env={**os.environ, "LD_PRELOAD": str(library)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return [json.loads(line) for line in run.stdout.splitlines()]


def held(report: dict[str, Any]) -> bool:
    """Whole groups only, all that was acknowledged, and a chain and a file that are sound."""
    found = (report["lost"], report["torn"], report["broken"], report["sound"], report["errors"])
    return found == (0, 0, None, "ok", [])


@pytest.mark.req("D01")
@pytest.mark.parametrize("mode", [KILL, TEAR], ids=["before", "in the middle"])
def test_killed_at_any_change_to_a_file_nothing_acknowledged_is_lost(
    library: Path, tmp_path: Path, mode: int
) -> None:
    """After a restart the chain verifies and every group that was acknowledged is there."""
    reports = every_n(library, tmp_path, mode)

    assert [report for report in reports if not held(report)] == []
    assert all(report["killed"] for report in reports[:-1])
    assert (reports[-1]["killed"], reports[-1]["acknowledged"]) == (False, 12)
    assert {report["acknowledged"] for report in reports} == {0, 3, 6, 9, 12}


@pytest.mark.req("D02")
def test_without_room_at_any_change_to_a_file_only_that_group_is_refused(
    library: Path, tmp_path: Path
) -> None:
    """The writer lives, says so, and goes on when there is room; nothing it acknowledged is missing."""
    reports = every_n(library, tmp_path, NO_SPACE)

    assert [report for report in reports if not held(report)] == []
    assert not any(report["killed"] for report in reports)
    assert all(report["refused"] <= 1 for report in reports)
    assert all(report["acknowledged"] >= 9 for report in reports)
    assert sum(report["refused"] for report in reports) > 4
    assert (reports[-1]["refused"], reports[-1]["acknowledged"]) == (0, 12)
