"""What a newcomer sees first works."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.deep

ROOT = Path(__file__).resolve().parent.parent


def test_the_demo_plays_a_session_through_the_real_shim() -> None:
    """One decision of each kind is shown with its trace, and the record verifies."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "demo" / "play.py")],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert "-> deny: Tool denied: Recursive force delete is prohibited." in done.stdout
    assert '-> no objection: {"command": "npm install --ignore-scripts left-pad"}' in done.stdout
    assert "ask the user to run `interlock approve ap_1`, then try again" in done.stdout
    assert "-> no objection: Run the tests of what you edited." in done.stdout
    assert "[deny]   no-recursive-delete" in done.stdout
    assert "-> no objection   (" in done.stdout.partition("# the approved call, tried again")[2]
    assert "`interlock approve ap_2`" in done.stdout.partition("# an approval covers one call")[2]
    assert "verified: 21 entries" in done.stdout
    assert done.stdout.rstrip().endswith("stopped")
