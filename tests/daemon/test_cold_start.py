"""What a daemon has loaded when it gives its first answer: nothing that only some days need."""

from __future__ import annotations

import os
import signal
import sys

import pytest
from tests.daemon.home import Home, bash, decided, wait_for

pytestmark = pytest.mark.deep

WATCHED = """
import atexit, pathlib, sys
report = pathlib.Path(sys.argv.pop(1))
atexit.register(lambda: report.write_text(" ".join([*sys.modules, "END"])))
from interlock.daemon.__main__ import main
sys.exit(main())
"""
POLICY = """
version: "2.0"
hooks:
  pre_tool_use:
    - {type: deny, matcher: "Bash(rm -rf *)"}
permissions:
  actors:
    "agent:main": {allow: ["Bash(git *)"], deny: ["Bash(curl *)"]}
"""
# Each with what it is for; a name stands for everything below it too.
LATER = {
    "anthropic": "hooks that ask a model",
    "cryptography": "signing the end of the chain",
    "ctypes": "other systems than this one",
    "email": "the web",
    "html": "notices on a desktop",
    "http": "the web",
    "httpx": "the web",
    "importlib.metadata": "plugins",
    "importlib.resources": "archives; `interlock.files.own_files` finds our files",
    "logging.handlers": "nothing we need of it",
    "mcp": "agents that speak MCP",
    "multiprocessing": "nothing",
    "pickle": "nothing",
    "rich": "people at a terminal",
    "starlette": "pages",
    "tomllib": "a `hooks.toml`",
    "typer": "people at a terminal",
    "zipfile": "archives",
    "interlock.builtin_hooks.cleaning.hook": "rules of this kind",
    "interlock.features.gates.completion": "contracts",
    "interlock.cli": "people at a terminal",
    "interlock.policy.conditions.condition": "hooks with a condition",
    "interlock.policy.files.toml": "a `hooks.toml`",
    "interlock.features.mcp.rpc": "agents that speak MCP",
    "interlock.features.commitments.rpc": "requests about commitments",
    "interlock.features.mcp.dry_run": "agents that ask before they call",
    "interlock.features.learning": "people who ask for suggestions",
    "interlock.features.lint": "people who check a policy",
    "interlock.mcp_server": "agents that speak MCP",
    "interlock.sdk": "agents written in Python",
}


@pytest.fixture
def loaded(place: Home) -> set[str]:
    """Everything that was imported by a daemon that a shim started, which answered it and ended."""
    script, report = place.folder / "watched.py", place.folder / "report"
    script.write_text(WATCHED)
    arguments = place.command()[4:]
    place.command = lambda: [sys.executable, "-I", str(script), str(report), *arguments]  # type: ignore[method-assign] # it says what it has loaded
    place.write_policy(POLICY)
    place.write_launch()
    answered, _ = decided(place.shim(bash("git status && curl -s https://example.com")))
    assert answered == "deny"
    os.kill(int(place.places.lock.read_text()), signal.SIGTERM)
    wait_for(lambda: report.exists() and report.read_text().endswith("END"), "the daemon has ended")
    return set(report.read_text().split())


def test_the_first_answer_needs_nothing_that_only_some_days_need(loaded: set[str]) -> None:
    """A cold start is a call that somebody waits for: half of it was once such modules."""
    found = {
        name: reason
        for name, reason in LATER.items()
        if any(module == name or module.startswith(f"{name}.") for module in loaded)
    }

    assert "interlock.daemon.decision_service" in loaded
    assert not found, f"import these where they are needed: {found}"
