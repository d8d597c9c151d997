"""A package that is upgraded goes on with what the version before it had installed and written."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from tests.cli.typed import Interlock
from tests.daemon.home import Home, bash

pytestmark = pytest.mark.deep

BEFORE = Path(__file__).resolve().parents[2] / "fixtures" / "version-before"


def test_its_database_is_taken_over(
    interlock: Interlock, place: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The chain holds and goes on; approvals, efforts and the words of commitments are there."""
    place.places.database.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with closing(sqlite3.connect(place.places.database)) as connection:
        connection.executescript((BEFORE / "interlock.sql").read_text("utf-8"))
    place.places.database.chmod(0o600)
    place.start()
    monkeypatch.setenv("INTERLOCK_HOME", str(place.folder))
    place.shim(bash("ls"))

    assert "verified: 14 entries" in interlock("ledger", "verify").out
    assert [row["state"] for row in interlock("approvals", "list", "--all", "--json").documents] == [
        "approved"
    ]
    assert "commit" in interlock("ledger", "search", "guest checkout").out
    assert "implement" in interlock("effort", "list", "--everywhere").out


def test_its_slow_shim_is_answered(place: Home) -> None:
    """The script stays as it was written: it names a module by its older address."""
    place.write_policy('version: "2.0"\nhooks: {pre_tool_use: [{type: deny, matcher: "Bash(rm -rf *)"}]}\n')
    place.start()
    shim = place.folder / "slow-hook"
    where = f"export INTERLOCK_HOME={place.folder}"
    written = (BEFORE / "slow-hook.txt").read_text("utf-8")
    shim.write_text(written.replace("@PYTHON@", sys.executable).replace("@PLACES@", where))
    shim.chmod(0o700)
    answer = subprocess.run(
        [shim, "claude-code"],
        input=bash("rm -rf build"),
        capture_output=True,
        check=True,
        env={"PATH": os.environ["PATH"]},
    )

    assert b'"permissionDecision":"deny"' in answer.stdout


def test_its_plugins_load_and_pass_their_own_tests(tmp_path: Path) -> None:
    """One that `interlock hooks new` wrote imports what it imported then."""
    package = tmp_path / "src" / "acme_hooks"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "deploy_hint.py").write_text((BEFORE / "deploy_hint.txt").read_text("utf-8"))
    (tmp_path / "test_deploy_hint.py").write_text((BEFORE / "test_deploy_hint.txt").read_text("utf-8"))
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_deploy_hint.py"],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(tmp_path / "src")},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, "2 passed" in done.stdout) == (0, True), done.stdout
