"""The examples, run as a reader would run them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parent.parent.parent / "examples"

TELLING = {
    "agent_loop.py": "  → Tool denied: `.env` is not yours to write",
    "decorator.py": "'pytest tests': allow as `pytest tests -q`",
    "hook_table.py": "Tool denied: Missing field content; give file_path, content",
    "policy_file.py": "agent:executor WebFetch: deny by no_network: this agent works offline",
    "registry.py": "Write config/.env: Reject(reason='Cannot write to sensitive files')",
}


def test_every_example_is_run() -> None:
    """A new script without a telling line is noticed."""
    assert {file.name for file in EXAMPLES.glob("*.py")} == set(TELLING)


@pytest.mark.deep
@pytest.mark.req("C64", "C66", "C71", "U3", "U4")
@pytest.mark.parametrize(("name", "line"), TELLING.items())
def test_an_example_runs_and_tells(name: str, line: str, tmp_path: Path) -> None:
    """It ends well wherever it is started, without a warning, and says what it is about."""
    command = [sys.executable, "-W", "error", "-X", "utf8", str(EXAMPLES / name)]
    done = subprocess.run(
        command, capture_output=True, encoding="utf-8", cwd=tmp_path, check=False, timeout=60
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert line in done.stdout.splitlines()
