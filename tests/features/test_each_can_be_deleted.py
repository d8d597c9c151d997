"""Laws of deleting: without the folder of a feature, and of those that need it, everything else goes on."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest
from tests.daemon.home import Home, bash, decided, remove, wait_for

import interlock
from interlock.features import FEATURES

pytestmark = pytest.mark.deep

PACKAGE: Final = Path(interlock.__file__).parent
ROOT: Final = Path(__file__).parents[2]
FILLED: Final = ROOT / "tests/fixtures/version-before/interlock.sql"
NAMES: Final = [one.name for one in FEATURES]

POLICY: Final = """
hooks:
  pre_tool_use:
    - {type: ask, name: asks, matcher: "Bash(git push*)", config: {reason: a person says so}}
    - {type: deny, name: denies, matcher: "Bash(rm *)", config: {reason: never}}
"""
# A policy with words that only this feature knows.
WORDS: Final = {
    "approvals": "settings: {approval: {expires: 5m}}",
    "commitments": "settings: {default_actor: human:ada}",
    "receipts": "settings: {tool_policies: []}",
    "team_ledger": "settings: {team_ledger: {url: postgresql://interlock@db/ledger}}",
    "work": "settings: {work: {}}",
}


_PAGES: Final = """
import sys
from pathlib import Path
from interlock.daemon.paths import Places
from interlock.web.main import all_pages
from tests.web.pages.dashboard import dashboard

state, run = map(Path, sys.argv[1:])
config = state.parent / "config"
places = Places(managed_config=config, user_config=config, state=state, socket=run / "interlock.sock")
paths = [path for page in all_pages() for path in page.shows if "{" not in path and "events" not in path]
with dashboard(places) as seen:
    for path in [*paths, "/metrics", "/api/v1/openapi.json"]:
        answer = seen.get(path)
        print(answer.status_code, path, "" if answer.status_code < 400 else answer.text[-300:])
"""


@dataclass(frozen=True, kw_only=True)
class Copy:
    """The package without a feature."""

    folder: Path
    gone: frozenset[str]

    @property
    def environment(self) -> dict[str, str]:
        """What makes a program use it."""
        return {**os.environ, "PYTHONPATH": f"{self.folder}:{ROOT}"}

    def run(self, *words: str, program: str = "") -> subprocess.CompletedProcess[str]:
        """Type a command, or run a program."""
        code = program or "import sys; from interlock.cli.main import main; sys.exit(main())"
        return subprocess.run(
            [sys.executable, "-c", code, *words],
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )


def without(name: str, folder: Path) -> Copy:
    """A copy of the package in which nobody finds a feature any more."""
    gone = {name}
    for one in FEATURES:  # whatever is needed stands above whoever needs it
        if gone & set(one.needs):
            gone.add(one.name)
    shutil.copytree(PACKAGE, folder / "interlock", ignore=shutil.ignore_patterns("__pycache__"))
    for feature in gone:
        shutil.rmtree(folder / "interlock" / "features" / feature)
    return Copy(folder=folder, gone=frozenset(gone))


@pytest.fixture(scope="module")
def copies(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Copy]:
    """The copies that were made, by the feature they are without."""
    return {}


@pytest.fixture
def copy(name: str, copies: dict[str, Copy], tmp_path_factory: pytest.TempPathFactory) -> Copy:
    """The package without the feature of a test."""
    if name not in copies:
        copies[name] = without(name, tmp_path_factory.mktemp(name))
    return copies[name]


@pytest.fixture
def place() -> Iterator[Home]:
    """A home with a policy that allows, asks and denies."""
    home = Home(folder=Path(tempfile.mkdtemp(prefix="ilk-")))
    home.write_policy(POLICY)
    yield home
    home.end()
    remove(home.folder)


@pytest.mark.parametrize("name", NAMES)
def test_the_command_line_goes_on_without_it(copy: Copy, place: Home) -> None:
    """Help is printed, and a policy that does not use it is found in order."""
    helped, checked = copy.run("--help"), copy.run("genesis", "validate", str(place.policy))

    assert (helped.returncode, helped.stderr) == (0, "")
    assert "doctor" in helped.stdout
    assert (checked.returncode, checked.stderr) == (0, "")


@pytest.mark.parametrize("name", WORDS)
def test_a_policy_that_uses_its_words_gets_one_clear_error(copy: Copy, place: Home, name: str) -> None:
    """The file, the line and the word; with the feature it is in order."""
    place.write_policy(WORDS[name] + "\n")
    whole = Copy(folder=PACKAGE.parent, gone=frozenset()).run("genesis", "validate", str(place.policy))
    lacking = copy.run("genesis", "validate", str(place.policy))

    assert whole.returncode == 0, whole.stdout + whole.stderr
    assert lacking.returncode == 1
    assert lacking.stderr == ""
    assert len([line for line in lacking.stdout.splitlines() if "unknown" in line]) == 1
    assert WORDS[name].split("{")[1].split(":")[0] in lacking.stdout


@pytest.mark.parametrize("name", NAMES)
def test_the_daemon_allows_denies_and_asks_without_it(copy: Copy, place: Home) -> None:
    """Through its socket, as the shim asks."""
    command = [word for word in place.command() if word != "-I"]  # which would not find the copy
    log = place.folder / "daemon.log"
    with log.open("wb") as said:
        daemon = subprocess.Popen(command, env=copy.environment, stdin=subprocess.DEVNULL, stderr=said)
    place.started.append(daemon)
    wait_for(lambda: daemon.poll() is not None or place.status() is not None, "the daemon answers")
    assert daemon.poll() is None, log.read_text("utf-8")[-2_000:]
    votes = [decided(place.call(bash(command)))[0] for command in ("ls", "rm -r x", "git push")]

    assert votes[:2] == [None, "deny"]
    assert votes[2] in {"ask", "deny"}  # nobody lets it pass, with or without approvals


@pytest.mark.parametrize("name", NAMES)
def test_every_page_of_the_dashboard_is_shown_without_it(copy: Copy, place: Home) -> None:
    """Also on a database in which it has written."""
    place.places.state.mkdir(parents=True)
    with closing(sqlite3.connect(place.places.database)) as connection:
        connection.executescript(FILLED.read_text("utf-8"))
    shown = copy.run(str(place.places.state), str(place.places.socket.parent), program=_PAGES)
    answers = [line for line in shown.stdout.splitlines() if not line.startswith("200 ")]

    assert shown.returncode == 0, shown.stderr[-2_000:]
    assert answers == []
    assert "200 /ledger" in shown.stdout
