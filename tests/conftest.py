"""What holds for every test: none of them sees the home or the settings of the person who runs it."""

from __future__ import annotations

import io
import itertools
import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.strategies import text
from tests import quick_tier
from tests.cli.typed import Interlock, Typed
from tests.daemon.approvers import policy
from tests.daemon.home import PATIENCE, Home, remove
from tests.handlers.endpoint import Endpoint, serving

from interlock.cli.main import main
from interlock.cli.people_only import MARKS
from interlock.daemon import client, launcher
from interlock.policy.locations import MANAGED

# A shell starts what it runs in the background deaf to Ctrl-C, and its children inherit that: the tests that
# interrupt a command would wait for ever on a machine that runs its checks that way.
signal.signal(signal.SIGINT, signal.default_int_handler)

# The same examples each time, so that only a change makes a test fail; `make nightly` draws new ones.
# How long an example took, to draw or to run, says how busy the machine was.
settings.register_profile(
    "steady",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize="INTERLOCK_TEST_NEW_EXAMPLES" not in os.environ,
    database=None,
    print_blob=True,
)
settings.load_profile("steady")

MOST_WORKERS = 16  # each reads all the tests before it begins


def pytest_configure(config: pytest.Config) -> None:
    """Watch what the tests do that are not marked `deep`."""
    config.pluginmanager.register(quick_tier)


@pytest.fixture(scope="session", autouse=True)
def _characters() -> None:
    """Have Hypothesis make its table of all characters, which it keeps in a file for the next run.

    It takes a second, which would count as the time of the first test that draws a text.
    """
    text().validate()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """With `-n auto`, one a core for tests that wait for nothing; two for those that wait for processes."""
    cores = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
    return min(cores if config.getoption("markexpr") == "not deep" else 2 * cores, MOST_WORKERS)


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


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait longer for a daemon than a person would: on a busy machine it is late and does not hang."""
    monkeypatch.setattr(client.request, "__kwdefaults__", {"seconds": PATIENCE})
    monkeypatch.setattr(client.call_daemon, "__kwdefaults__", {"silent": PATIENCE})
    monkeypatch.setattr(client, "SILENT_SECONDS", PATIENCE)
    monkeypatch.setattr(launcher, "START_SECONDS", PATIENCE)
    monkeypatch.setattr(launcher, "STOP_SECONDS", PATIENCE)


@pytest.fixture
def place() -> Iterator[Home]:
    """A home with no daemon yet; what was started in it ends with it."""
    home = Home(folder=Path(tempfile.mkdtemp(prefix="ilk-")))
    home.write_launch()
    yield home
    home.end()
    remove(home.folder)


@pytest.fixture
def person(place: Home) -> Home:
    """A home whose launch file leads to the daemon that a person's command starts and speaks to."""
    launch = place.folder / "launch"
    launch.write_text(launch.read_text().replace(str(place.places.managed_config), str(MANAGED)))
    return place


@pytest.fixture
def served(place: Home) -> Home:
    """A home whose daemon answers, without a policy."""
    place.start()
    return place


@pytest.fixture
def asking(place: Home) -> Home:
    """A daemon whose policy asks before a push."""
    place.write_policy(policy())
    place.start()
    return place


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder the commands are typed in, before a wide and plain screen."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("_TYPER_FORCE_DISABLE_TERMINAL", "1")
    return tmp_path


@pytest.fixture
def interlock(work: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Interlock:
    """Type a command in this process, which is quicker than starting one each time."""

    def typed(*arguments: str, stdin: bytes = b"") -> Typed:
        monkeypatch.setattr(sys, "argv", ["interlock", *arguments])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        try:
            code = main()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0
        printed = capsys.readouterr()
        return Typed(code, printed.out, printed.err)

    return typed


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    """A real server on the loopback address."""
    with serving(Endpoint()) as served:
        yield served
