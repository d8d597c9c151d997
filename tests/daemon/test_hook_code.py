"""Code that a policy brings: what fails as it is loaded denies, and a project's own needs trust."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest
from tests.builders import bash
from tests.daemon.home import Home, decided
from tests.daemon.home import bash as reported

from interlock.engine.engine import Engine
from interlock.events.hook import Layer
from interlock.policy.files.read import PolicyText
from interlock.policy.load import load_policy
from interlock.policy.trust import TrustList

pytestmark = pytest.mark.deep

PYTHON = shlex.quote(sys.executable)
POLICY = (
    'version: "2.0"\nhooks:\n  pre_tool_use:\n    - {name: checker, type: command, config: {command: %s}}\n'
)


def checking(command: str) -> bytes:
    """A policy whose one hook asks a program."""
    return (POLICY % shlex.quote(command)).encode()


@pytest.mark.req("T08")
@pytest.mark.parametrize(
    "code",
    ["import nothing_of_this_name", "raise RuntimeError('broken')", "def f(:", "raise SystemExit(3)"],
)
async def test_hook_code_that_raises_as_it_is_loaded_denies_and_is_named(tmp_path: Path, code: str) -> None:
    """Its rules count as failed: closed before an action, with the name of the hook in the reason."""
    program = tmp_path / "checker.py"
    program.write_text(code)
    text = PolicyText(
        shown=tmp_path / "genesis.key", content=checking(f"{PYTHON} {shlex.quote(str(program))}")
    )
    engine = Engine(load_policy([(Layer.USER, text)], environ={"PATH": "/usr/bin:/bin"}).pipeline)
    decision = await engine.decide(bash("ls", cwd=str(tmp_path)))

    assert (decision.outcome, decision.decided_by) == ("deny", "checker")
    assert decision.reason


@pytest.mark.req("T08", "T01")
def test_a_projects_own_hook_code_runs_only_after_trust(place: Home, tmp_path: Path) -> None:
    """Untrusted it is not even loaded; trusted and broken, it denies."""
    (tmp_path / ".interlock").mkdir()
    (tmp_path / ".interlock" / "genesis.key").write_bytes(checking(f"{PYTHON} checker.py"))
    (tmp_path / "checker.py").write_text("open('loaded', 'w').close()\nimport nothing_of_this_name\n")
    place.start()
    call = reported("ls", cwd=str(tmp_path))
    before = decided(place.call(call))[0]
    loaded_before = (tmp_path / "loaded").exists()
    TrustList(place.places.state / "trust").trust(str(tmp_path), {"PATH": "/usr/bin:/bin"})
    after, reason = decided(place.call(call))

    assert (before, loaded_before) == (None, False)
    assert (after, (tmp_path / "loaded").exists()) == ("deny", True)
    assert "checker" in reason or "nothing_of_this_name" in reason
    assert place.entries("decision")[-1].body["decided_by"] == "checker"
