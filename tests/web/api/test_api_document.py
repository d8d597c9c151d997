"""The API keeps to its own document, held by a program made for that."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.daemon.approvers import ask
from tests.daemon.home import Home
from tests.web.programs import program

from interlock.web.api.openapi import document

pytestmark = pytest.mark.deep

PROGRAM = str(Path(sys.executable).with_name("schemathesis"))


def test_whatever_the_document_allows_is_answered_as_it_says(place: Home, tmp_path: Path) -> None:
    """No failure of ours, no status or body that the document does not tell, no way in without a key.

    What it calls valid may still be refused: a search is a language of its own.
    """
    ask(place, "t1")
    asks = program(place)
    told = tmp_path / "openapi.json"
    told.write_text(json.dumps(document()))
    ran = subprocess.run(
        [
            *(PROGRAM, "run", str(told), "--url", f"http://127.0.0.1:{asks.asks.port}"),
            *("--header", f"Authorization: Bearer {asks.key}"),
            *("--exclude-checks", "positive_data_acceptance"),
            *("--phases", "examples,coverage,fuzzing", "--max-examples", "10", "--seed", "1"),
            *("--suppress-health-check", "all", "--no-color"),
        ],
        cwd=tmp_path,
        env={**os.environ, "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )

    assert ran.returncode == 0, ran.stdout[-4_000:] + ran.stderr[-2_000:]
