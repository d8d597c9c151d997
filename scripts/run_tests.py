"""Run tests; the few that fail run once more, alone, and the last lines name every one of them.

`python -m scripts.run_tests` takes what pytest takes. A test that fails on a busy machine and passes
alone is named and does not fail the run; a test that fails twice does, and so do more than five failures.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

MOST_AGAIN = 5  # more than these are no accident
MOST_NAMED = 40
TESTS_FAILED = 1  # how pytest ends when tests failed; every other code but 0 is a fault of the run itself


def main(arguments: Sequence[str]) -> int:
    """Run the tests and return the code to exit with."""
    with tempfile.TemporaryDirectory(prefix="pytest-cache-") as cache:
        code = _pytest(cache, arguments)
        if code != TESTS_FAILED:
            return code
        failed = _failed(cache)
        if not 0 < len(failed) <= MOST_AGAIN:
            _list(f"{len(failed)} tests failed, and only up to {MOST_AGAIN} run again", failed)
            return code
        _list("these tests failed and run once more, alone", failed)
        code = _pytest(cache, failed)
        failed_twice = _failed(cache) if code == TESTS_FAILED else []
        passed = [test for test in failed if test not in failed_twice]
    if code not in {0, TESTS_FAILED}:
        _list(f"pytest ended with {code} when these ran again", failed)
        return code
    if passed:
        _list("passed only when run again, alone; find out why", passed)
    if failed_twice:
        _list("failed twice", failed_twice)
    return code


def _pytest(cache: str, arguments: Sequence[str]) -> int:
    command = [sys.executable, "-m", "pytest", "-o", f"cache_dir={cache}", *arguments]
    pytest = subprocess.Popen(command)
    while True:
        try:
            return pytest.wait()
        except KeyboardInterrupt:
            continue  # pytest got the Ctrl-C too; it ends what its tests started, and then itself


def _failed(cache: str) -> list[str]:
    """The tests that failed, as pytest wrote them down for its option `--last-failed`."""
    file = Path(cache, "v", "cache", "lastfailed")
    return sorted(json.loads(file.read_text(encoding="utf-8"))) if file.exists() else []


def _list(title: str, tests: Sequence[str]) -> None:
    print(f"\n== {title}:")
    for test in tests[:MOST_NAMED]:
        print(f"   {test}")
    if len(tests) > MOST_NAMED:
        print(f"   and {len(tests) - MOST_NAMED} more")
    sys.stdout.flush()


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
