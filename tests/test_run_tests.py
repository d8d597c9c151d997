"""Laws of the runner of the slow tiers: each failure is named, and one that repeats ends the run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from scripts.run_tests import MOST_AGAIN

pytestmark = pytest.mark.deep

ROOT = Path(__file__).resolve().parent.parent
ONCE = """
from pathlib import Path

def test_that_fails_once():
    mark = Path(__file__).with_name("failed")
    if not mark.exists():
        mark.touch()
        raise AssertionError
"""
ALWAYS = """
import pytest

@pytest.mark.parametrize("text", ["a b", "c"])
def test_that_fails(text):
    assert text == "c"
"""


def run(folder: Path, *options: str) -> tuple[int, str]:
    """The exit code of the runner and what it printed, for the tests in a folder."""
    (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "scripts.run_tests", "-q", *options],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


@pytest.mark.parametrize("options", [(), ("-n", "2")])
def test_a_test_that_passes_alone_fails_no_run_and_is_named(tmp_path: Path, options: tuple[str, ...]) -> None:
    """Whether the tests ran beside each other or not."""
    (tmp_path / "test_once.py").write_text(ONCE, encoding="utf-8")
    code, printed = run(tmp_path, *options)

    assert code == 0
    assert printed.endswith(
        "== passed only when run again, alone; find out why:\n   test_once.py::test_that_fails_once\n"
    )


def test_a_test_that_fails_twice_fails_the_run_and_is_named(tmp_path: Path) -> None:
    """Beside the others, which are named for what they are."""
    (tmp_path / "test_once.py").write_text(ONCE, encoding="utf-8")
    (tmp_path / "test_always.py").write_text(ALWAYS, encoding="utf-8")
    code, printed = run(tmp_path)

    assert code == 1
    assert "find out why:\n   test_once.py::test_that_fails_once\n" in printed
    assert printed.endswith("== failed twice:\n   test_always.py::test_that_fails[a b]\n")


def test_many_failures_are_no_accident(tmp_path: Path) -> None:
    """They are named, and none of them runs again."""
    count = MOST_AGAIN + 1
    body = "".join(f"def test_{number}():\n    assert not 'ran'\n" for number in range(count))
    (tmp_path / "test_many.py").write_text(body, encoding="utf-8")
    code, printed = run(tmp_path)

    assert code == 1
    assert f"{count} tests failed, and only up to {MOST_AGAIN} run again" in printed
    assert printed.count("short test summary") == 1
    assert printed.endswith(f"   test_many.py::test_{count - 1}\n")


def test_a_run_in_which_nothing_fails_says_nothing_more(tmp_path: Path) -> None:
    """And a run without tests ends as pytest ends it."""
    (tmp_path / "test_fine.py").write_text("def test_fine():\n    pass\n", encoding="utf-8")
    code, printed = run(tmp_path)
    assert (code, "==" in printed) == (0, False)

    (tmp_path / "test_fine.py").unlink()
    assert run(tmp_path)[0] == pytest.ExitCode.NO_TESTS_COLLECTED
