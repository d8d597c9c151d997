"""Hooks that ask a model, skills, hints and nudges, between the real shim and a real daemon."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from clients.model_server import ModelServer
from clients.turns import say, use
from tests.daemon.home import Home
from tests.daemon.test_shim_hooks import bash

PROMPT = "{type: prompt, matcher: Bash, config: {prompt: 'May it run? $ARGUMENTS'}}"
AGENT = "{type: agent, matcher: Bash, config: {prompt: 'Look around first.'}}"


@pytest.mark.req("P6", "C75")
def test_prompt_and_agent(place: Home, tmp_path: Path) -> None:
    """A model denies, another looks around; the key is nowhere in what is kept."""
    (tmp_path / "Makefile").write_text("all:\n\trm -rf build\n")
    key = place.folder / "key"
    key.write_text("sk-of-a-test")
    key.chmod(0o600)
    turns = [use("read_file", path="Makefile"), say('{"ok": false, "reason": "the makefile removes things"}')]
    side = [say('{"ok": false, "reason": "not today"}'), say('{"ok": true}')]
    with ModelServer(turns, side=side) as server:
        settings = f"model: {{base_url: '{server.address}', model: scripted, key_file: {key}}}"
        hooks = f"hooks:\n  pre_tool_use:\n    - {PROMPT}\n    - {AGENT}\n"
        place.write_policy(f'version: "2.0"\nsettings:\n  {settings}\n{hooks}')
        place.start()
        first, second = bash(place, "ls", tmp_path), bash(place, "make", tmp_path)
        seen = server.seen()

    assert (first["permissionDecision"], second["permissionDecision"]) == ("deny", "deny")
    assert "not today" in first["permissionDecisionReason"]
    assert "the makefile removes things" in second["permissionDecisionReason"]
    assert "rm -rf build" in seen[-1].said()
    assert b"sk-of-a-test" not in place.places.log.read_bytes()
    assert "sk-of-a-test" not in json.dumps([entry.body for entry in place.entries()], default=str)
