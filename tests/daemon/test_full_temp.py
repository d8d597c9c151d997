"""Laws of a daemon whose temporary folder is full: it needs none to decide and to record."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from tests.daemon.home import SHIM, remove

pytestmark = pytest.mark.deep

PROGRAM = Path(__file__).with_name("full_temp.py")
ROOT = PROGRAM.parents[2]
SIZE = "65536"


@pytest.mark.req("D02", "F01")
def test_with_a_full_temporary_folder_every_call_is_decided_and_recorded(tmp_path: Path) -> None:
    """Denied is what the policy denies, also where a hook of its needed the folder; all is recorded."""
    if not sys.platform.startswith("linux"):
        pytest.skip("needs a file system that only one program sees")
    os.fspath(SHIM)  # built here: where it is needed nothing can be written
    home = Path(tempfile.mkdtemp(prefix="ilk-", dir="/var/tmp"))
    room = ["--size", SIZE, "--tmpfs"]
    view = ["--dev-bind", "/", "/", *room, "/tmp", *room, str(tmp_path)]
    # What is needed and may lie below /tmp itself is put back.
    view += [word for path in {str(ROOT), sys.prefix} for word in ("--ro-bind", path, path)]
    run = subprocess.run(
        ["bwrap", *view, "--die-with-parent", sys.executable, PROGRAM, home],
        env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    remove(home)
    if run.returncode != 0 and "bwrap:" in run.stderr:
        pytest.skip(f"no file system of its own can be had here: {run.stderr.strip()}")
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout)

    assert all(found["written"])
    verdicts = {name: verdict for name, (verdict, _) in found["answers"].items()}
    denied = dict.fromkeys(("deny", "long", "hook"), "deny")
    assert verdicts == {"pass": None, **denied, "large": None, "after": None}
    assert found["answers"]["deny"][1] == found["answers"]["long"][1] == "Tool denied: not today"
    assert found["recorded"] == {name: verdict or "allow" for name, verdict in verdicts.items()}
    assert found["broken"] is None
