"""From a tool's call to the daemon and back, where there is none."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.daemon.home import Home

from interlock.features.mcp.server import UNREACHABLE, ask


def test_a_daemon_that_cannot_be_started_is_a_tool_error(tmp_path: Path) -> None:
    """The model reads a sentence, and the server goes on."""
    answer = ask(Home(folder=tmp_path / ("x" * 120)).places, "capture", {"body": "x"}, None)

    assert answer.failed
    assert answer.document["error"] == UNREACHABLE
    assert answer.text.startswith(f"{UNREACHABLE}: ")


@pytest.mark.deep
def test_a_folder_that_is_gone_is_a_tool_error(
    served: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server outlives the folder it was started in."""
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()

    assert ask(served.places, "search", {}, None).document["error"] == UNREACHABLE
