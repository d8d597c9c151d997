"""What holds for every test: none of them sees the home or the settings of the person who runs it."""

from __future__ import annotations

import itertools
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from interlock.cli.agent_marks import MARKS

# Tests share what lies beside them as `tests.…`, whichever way pytest was started.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

# A shell starts what it runs in the background deaf to Ctrl-C, and its children inherit that: the tests that
# interrupt a command would wait for ever on a machine that runs its checks that way.
signal.signal(signal.SIGINT, signal.default_int_handler)

# How long one example took says how busy the machine was.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

MOST_WORKERS = 16  # each reads all the tests before it begins


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Two a core with `-n auto`: most of the time is spent waiting for processes."""
    cores = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
    return min(2 * cores, MOST_WORKERS)


@pytest.fixture(scope="session")
def fresh_homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Folders nobody has used yet, one after the other."""
    base = tmp_path_factory.mktemp("homes")
    return (base / str(number) for number in itertools.count())


@pytest.fixture(autouse=True)
def home(fresh_homes: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home of this test's own, with no Interlock setting and no mark of an agent inherited."""
    folder = next(fresh_homes)
    runtime = folder / "run"
    runtime.mkdir(parents=True, mode=0o700)
    inherited = [name for name in os.environ if name.startswith(("INTERLOCK_", "XDG_"))]
    for name in (*inherited, *(mark for mark in MARKS if mark in os.environ)):
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("INTERLOCK_HOME", str(folder / "interlock"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder / ".config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(folder / ".local" / "share"))
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / ".local" / "state"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / ".cache"))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
    return folder
