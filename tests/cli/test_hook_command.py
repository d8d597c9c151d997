"""Laws of the hook command, which stands in where no native shim could be built."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.daemon.home import Home, bash, decided, event, remove

from interlock.cli.hook_fallback import _SENT
from interlock.daemon.offline_files import take_gaps

pytestmark = pytest.mark.deep

COMMAND = [str(Path(sys.executable).with_name("interlock")), "hook", "claude-code"]


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Home]:
    """A home with a short path that INTERLOCK_HOME names."""
    folder = Path(tempfile.mkdtemp(prefix="ilk-"))
    monkeypatch.setenv("INTERLOCK_HOME", str(folder))
    home = Home(folder=folder)
    yield home
    home.end()
    remove(folder)


def run(payload: bytes) -> subprocess.CompletedProcess[bytes]:
    """Hand the command an event, as a host does."""
    return subprocess.run(COMMAND, input=payload, capture_output=True, timeout=60, check=False, cwd="/usr")


@pytest.mark.req("D12")
def test_it_starts_the_daemon_and_carries_the_answer(place: Home) -> None:
    """With nobody running, the first call is decided all the same, under the user's policy."""
    place.write_policy('version: "2.0"\nhooks:\n  pre_tool_use:\n    - {type: deny, matcher: "Bash(rm *)"}\n')

    assert decided(run(bash("rm x")))[0] == "deny"
    assert decided(run(bash("ls"))) == (None, "")
    assert len(place.entries("decision")) == 2


def test_it_sends_the_same_variables_as_the_shim(place: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """The list stands in two languages; the daemon must hear the same from both."""
    source = Path(__file__).parents[2].joinpath("shim", "interlock-hook.c").read_text()
    names = re.findall(
        r'"(\w+)"', source[source.index("#define PASSED_ON") : source.index("#ifdef INTERLOCK_BARE")]
    )
    for name in names:
        monkeypatch.setenv(name, f"/value-of/{name}")
    run(bash("ls"))
    (entry,) = place.entries("decision")

    assert len(names) == 7
    assert sorted(names) == sorted(_SENT)
    assert entry.body["extra"]["tmux_pane"] == "/value-of/TMUX_PANE"
    assert entry.body["project"] == "/value-of/CLAUDE_PROJECT_DIR"


@pytest.mark.req("F01", "F03", "F08")
def test_without_a_daemon_it_closes_and_opens_by_the_table(place: Home) -> None:
    """A home that others can open starts nothing: a tool call is denied, the past passes with a line."""
    place.folder.joinpath("run").mkdir()
    place.folder.joinpath("run").chmod(0o777)
    verdict, reason = decided(run(bash("ls")))
    passed = run(event("PostToolUse", tool_name="Bash", tool_input={}))
    noted = take_gaps(place.places.gaps)

    assert verdict == "deny"
    assert "other users can open" in reason
    assert (passed.returncode, passed.stdout) == (0, b"")
    assert noted is not None
    assert noted["events"] == {"PostToolUse": 1}


def test_an_unknown_host_is_refused() -> None:
    """A misspelt installation stops calls and lists what there is."""
    done = subprocess.run(
        [*COMMAND[:-1], "nobody"], input=b"{}", capture_output=True, timeout=60, check=False
    )

    assert done.returncode == 2
    assert b"claude-code" in done.stderr
