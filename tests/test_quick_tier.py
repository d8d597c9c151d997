"""Laws of the two tiers: a test that is not marked `deep` is quick, or it fails."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.deep

ROOT = Path(__file__).resolve().parent.parent


def outcome(folder: Path, body: str, mark: str = "") -> str:
    """What becomes of a test with this body."""
    file = folder / "test_one.py"
    imports = "import asyncio, os, subprocess, sys, threading, time, pytest"
    file.write_text(f"{imports}\n{mark}\nasync def test_one(monkeypatch):\n    {body}\n")
    options = [
        "-p",
        "tests.quick_tier",
        "-p",
        "no:cacheprovider",
        "-c",
        str(ROOT / "pyproject.toml"),
        "--rootdir",
        str(folder),
    ]
    command = [sys.executable, "-m", "pytest", *options, str(file)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout


# Whatever this machine's speed is: a hundredth of the limit, of which the body needs ten times as much.
SLOW_MACHINE = "monkeypatch.setattr('tests.quick_tier.SECONDS', 0.001)"
DEEP = {
    "subprocess.run([sys.executable, '-V'])": "it starts a process",
    "os.waitpid(os.fork() or os._exit(0), 0)": "it starts a process",
    "await (await asyncio.create_subprocess_exec(sys.executable, '-V')).wait()": "it starts a process",
    "time.sleep(0.2)": "it sleeps",
    "await asyncio.sleep(0.2)": "it sleeps",
    "[time.sleep(0.05) for _ in range(12)]": "it sleeps",
    f"{SLOW_MACHINE}; [number * number for number in range(2_000_000)]": "of the processor",
}


@pytest.mark.parametrize(("body", "why"), DEEP.items())
def test_what_is_not_quick_fails_unless_it_is_marked(tmp_path: Path, body: str, why: str) -> None:
    """Processes, sleep and long computing belong into the deep tier."""
    assert why in outcome(tmp_path, body)
    assert "1 passed" in outcome(tmp_path, body, "@pytest.mark.deep")


def test_a_fixture_is_judged_as_its_test(tmp_path: Path) -> None:
    """What is shared by many tests is started by one of them."""
    fixture = "@pytest.fixture\ndef monkeypatch():\n    subprocess.run([sys.executable, '-V'])\n"

    assert "it starts a process" in outcome(tmp_path, "pass", fixture)


@pytest.mark.parametrize(
    "body", ["pass", "time.sleep(0.01)", "await asyncio.sleep(0)", "threading.Thread().start()"]
)
def test_what_is_quick_passes(tmp_path: Path, body: str) -> None:
    """A thread is not a process, and a moment no wait."""
    assert "1 passed" in outcome(tmp_path, body)
