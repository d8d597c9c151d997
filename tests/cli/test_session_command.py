"""Laws of `interlock session`."""

from __future__ import annotations

import json

import pytest
from tests.cli.typed import Interlock
from tests.daemon.home import Home, bash

pytestmark = pytest.mark.deep


def test_the_commands_cancel_show_and_resume(
    place: Home, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a person types and sees."""
    monkeypatch.setenv("INTERLOCK_HOME", str(place.folder))
    place.start()
    place.call(bash("ls", session_id="s1"))
    said = interlock("session", "cancel", "s1", "--reason", "lunch\x1b[2J")
    shown = interlock("session", "cancelled").out
    (row,) = interlock("session", "cancelled", "--json").documents
    freed = interlock("session", "resume", "--all", "--json")

    assert said.out == "session s1 is cancelled until its next prompt\n"
    assert shown.splitlines()[1].split()[0] == "s1"
    assert "lunch\\x1b[2J" in shown
    assert (row["session_id"], row["hold"]) == ("s1", False)
    assert json.loads(freed.out)["session_id"] == "*"
    assert interlock("session", "cancelled").out == "no session is cancelled\n"
    assert "name one session, or use --all" in interlock("session", "cancel").err
    assert "is not cancelled" in interlock("session", "resume", "s1").err
