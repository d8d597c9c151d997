"""Laws of what a person hears about an effort that no agent is working on yet."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.test_work_commands import typed as typed  # noqa: PLC0414 - a fixture for this file too
from tests.cli.typed import Interlock
from tests.daemon.home import SHIM, Home
from tests.living_agent import living_agent

pytestmark = pytest.mark.deep


def test_a_person_hears_who_will_take_an_effort_up_and_what_is_missing(
    typed: Interlock, served: Home, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next session or a named agent, not one that runs; the pack and the entries of the host."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(work / "claude"))
    home, here = str(served.folder), str(work.resolve())
    bare = typed("effort", "start", "cart", "fix").out.splitlines()[1:]
    served.write_policy('version: "2.0"\nsettings: {packs: [work]}\n')
    (work / "claude").mkdir()
    entry = {"type": "command", "command": str(SHIM), "args": ["--home", home]}
    hooks = {"PreToolUse": [{"matcher": "*", "hooks": [entry]}]}
    (work / "claude" / "settings.json").write_text(json.dumps({"hooks": hooks}))
    named = typed("effort", "start", "cart", "fix", "--agent", "api").out.splitlines()[1:]
    with living_agent(served, cwd=here):
        beside = typed("effort", "start", "cart", "fix").out.splitlines()[1:]
        given = typed("effort", "resume", "e3", "--session", "1").out
    again = typed("effort", "resume", "e1", "--json").document

    assert bare == [
        f"resumed by: the next session in `{here}` that has no AGENT_ID",
        (
            "missing: the pack `work` is not enabled here, so sessions are not told about efforts; "
            "add `settings: {packs: [work]}` to your policy"
        ),
        "missing: Claude Code has no Interlock hooks here; run `interlock install claude-code`",
    ]
    assert named == [
        (
            "resumed by: the next session of the agent `api`; start it with `AGENT_ID=api` "
            "or `interlock watch --agent api -- claude`"
        )
    ]
    assert beside[1:] == [
        "not by: session 1, which is already running; to use it, run `interlock effort resume e3 --session 1`"
    ]
    assert given.startswith("effort e3 (fix) resumed in session 2: ")
    assert (again["takes_up"], again["missing"]) == (bare[0].removeprefix("resumed by: "), [])
