"""Laws of an agent that goes through many folders: what the daemon keeps of them is bounded."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.daemon.home import Home, bash, decided
from tests.packs.corpus import corpus

from interlock.policy.trust import FOLDER, TrustList

pytestmark = pytest.mark.deep

MOST = 150  # megabytes
POLICY = 'version: "2.0"\nsettings: {packs: [baseline]}\n'
OWN = 'version: "2.0"\nhooks: {{pre_tool_use: [{{type: deny, matcher: "Bash(own-{number} *)"}}]}}\n'
COMMANDS = [row.run for name in ("benign", "hostile") for row in corpus(name) if row.run is not None]


def megabytes(pid: int) -> int:
    """What a process holds in memory."""
    shown = subprocess.run(["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, check=True)
    return int(shown.stdout) // 1024


def work(home: Home, folder: Path, session: str, *commands: str) -> list[str | None]:
    """What is said of some commands there, which also makes the daemon learn its patterns."""
    return [decided(home.call(bash(one, cwd=str(folder), session_id=session)))[0] for one in commands]


def test_a_thousand_folders_fit(place: Home, tmp_path: Path) -> None:
    """Folders without a policy of their own have one in common, and are judged by it."""
    place.write_policy(POLICY)
    daemon = place.start()
    for number in range(1_000):
        folder = tmp_path / str(number)
        folder.mkdir()
        said = work(place, folder, f"s{number}", "ls -la", "rm -rf /")
        assert said == [None, "deny"]

    assert megabytes(daemon.pid) < MOST


@pytest.mark.req("T01")
def test_many_projects_with_policies_of_their_own_fit(place: Home, tmp_path: Path) -> None:
    """Each is judged by its own; what their policies have in common is compiled and learned once."""
    place.write_policy(POLICY)
    place.start().kill()  # its home is there now
    trust = TrustList(place.places.state / FOLDER)
    folders = [tmp_path / str(number) for number in range(16)]
    for number, folder in enumerate(folders):
        (folder / ".interlock").mkdir(parents=True)
        (folder / ".interlock" / "genesis.key").write_text(OWN.format(number=number))
        trust.trust(str(folder), {"PATH": "/usr/bin:/bin"})
    daemon = place.start()
    for number, folder in enumerate(folders):
        said = work(place, folder, "s", f"own-{number} x", f"own-{number + 1} x", "rm -rf /")
        assert said == ["deny", None, "deny"]
        work(place, folder, "s", *COMMANDS[number :: len(folders)])

    assert megabytes(daemon.pid) < MOST
