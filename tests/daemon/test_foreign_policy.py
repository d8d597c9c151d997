"""A project's `.mentu/genesis.key` between the real shim and a real daemon."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.daemon.home import Home, decided, event

from interlock.policy.trust import TrustList

pytestmark = pytest.mark.deep

KEY = """\
identity: {workspace: bridge}
trust_gradient: {enabled: true}
hooks:
  pre_tool_use:
    - matcher: "Bash(rm -rf *)"
      type: deny
      config:
        reason: "Recursive force delete is never allowed"
"""


def asked(home: Home, command: str, folder: Path) -> tuple[str | None, str]:
    call: dict[str, Any] = {"tool_input": {"command": command}, "tool_use_id": f"t-{command}"}
    return decided(home.shim(event(cwd=str(folder), tool_name="Bash", **call)))


@pytest.mark.req("M13", "M20", "M40", "T01")
def test_a_key_of_another_system_needs_trust_and_then_denies(place: Home, tmp_path: Path) -> None:
    """Found from below; nothing before trust, the document's denial after; an edit waits for a person."""
    key = tmp_path / ".mentu" / "genesis.key"
    key.parent.mkdir()
    key.write_text(KEY)
    below = tmp_path / "src"
    below.mkdir()
    place.start()

    start = json.loads(place.shim(event("SessionStart", cwd=str(below), source="startup")).stdout)
    assert "interlock trust" in start["systemMessage"]
    assert asked(place, "rm -rf stuff", below) == (None, "")

    TrustList(place.places.state / "trust").trust(str(tmp_path), {"PATH": "/usr/bin:/bin"})
    outcome, reason = asked(place, "rm -rf other", below)
    assert (outcome, "Recursive force delete is never allowed" in reason) == ("deny", True)
    assert ".mentu/genesis.key" in reason
    assert asked(place, "rm -r other", below)[0] is None
    outcome, reason = asked(place, f"echo > {key}", below)
    assert (outcome, "interlock approve ap_" in reason) == ("deny", True)
