"""The plugin for Claude Code: its guard, and that its files are those of this version."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from scripts.plugin_hooks import HOOKS, MANIFEST, PLUGIN, hooks, manifest

from interlock.hosts.claude_code.entries import ALWAYS

MARKETPLACE = PLUGIN.parent.parent / ".claude-plugin" / "marketplace.json"


def guard(event: str, home: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the guard as the client does."""
    return subprocess.run(
        ["/bin/sh", PLUGIN / "hooks" / "guard.sh", event],
        input="the event",
        capture_output=True,
        text=True,
        env={"PATH": os.defpath, "HOME": str(home), **environment},
        cwd=home,
        timeout=60,
        check=False,
    )


def place_shim(data: Path, text: str = '#!/bin/sh\necho "$@"\ncat\nexit 7\n') -> None:
    """A program in the place of the shim."""
    program = data / "interlock" / "bin" / "interlock-hook"
    program.parent.mkdir(parents=True)
    program.write_text(text)
    program.chmod(0o755)


def write_settings(folder: Path) -> None:
    """Settings with an entry of ours."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "settings.json").write_text('{"hooks": {"Stop": "/x/interlock-hook"}}')


def test_its_files_are_those_of_this_version() -> None:
    """The events, waits and version of the package; `python -m scripts.plugin_hooks` writes them."""
    assert HOOKS.read_text("utf-8") == hooks()
    assert MANIFEST.read_text("utf-8") == manifest()


def test_the_marketplace_names_the_plugin() -> None:
    """Whoever adds this repository as a marketplace finds the plugin in it."""
    market: dict[str, Any] = json.loads(MARKETPLACE.read_text("utf-8"))
    [listed] = market["plugins"]

    assert (MARKETPLACE.parent.parent / listed["source"]).resolve() == PLUGIN
    assert listed["name"] == json.loads(MANIFEST.read_text("utf-8"))["name"]


def test_only_tool_calls_are_held_up_by_a_guard_that_fails() -> None:
    """There every failure ends in exit 2, which denies; a refused stop would go round in circles."""
    events: dict[str, Any] = json.loads(hooks())["hooks"]
    lines = {event: groups[0]["hooks"][0] for event, groups in events.items()}

    assert list(lines) == [str(event) for event in ALWAYS]
    assert (
        {event for event, line in lines.items() if line["command"].endswith("|| exit 2")}
        == {event for event, line in lines.items() if line.get("onFailure") == "block"}
        == {"PreToolUse", "PermissionRequest"}
    )


@pytest.mark.deep
def test_it_runs_the_shim(tmp_path: Path) -> None:
    """Input goes through, and the answer comes back."""
    place_shim(tmp_path / ".local" / "share")

    done = guard("PreToolUse", tmp_path)

    assert (done.returncode, done.stdout) == (7, "claude-code\nthe event")


@pytest.mark.deep
def test_without_a_shim_calls_are_denied_and_the_session_is_told(tmp_path: Path) -> None:
    """Both say what to run, the denial in at most 300 characters; the limit is other events go on."""
    call = json.loads(guard("PreToolUse", tmp_path).stdout)["hookSpecificOutput"]
    start = json.loads(guard("SessionStart", tmp_path).stdout)
    other = guard("Stop", tmp_path)

    assert call["permissionDecision"] == "deny"
    assert "pipx install interlock" in call["permissionDecisionReason"]
    assert len(call["permissionDecisionReason"]) <= 300
    assert "pipx install interlock" in start["systemMessage"]
    assert "Tell the user" in start["hookSpecificOutput"]["additionalContext"]
    assert (other.returncode, other.stdout) == (0, "")


@pytest.mark.deep
def test_who_has_the_program_is_not_told_to_install_it(tmp_path: Path) -> None:
    """What is left to do then is one command less."""
    (tmp_path / "interlock").write_text("#!/bin/sh\n")
    (tmp_path / "interlock").chmod(0o755)

    done = guard("PreToolUse", tmp_path, PATH=f"{tmp_path}:{os.defpath}")

    assert "Run in a terminal: interlock setup." in done.stdout
    assert "pipx" not in done.stdout


@pytest.mark.deep
def test_beside_installed_hooks_only_tool_calls_are_reported(tmp_path: Path) -> None:
    """The daemon knows a call that it has answered; of other events it would count two."""
    place_shim(tmp_path / ".local" / "share")
    write_settings(tmp_path / ".claude")

    assert guard("PreToolUse", tmp_path).returncode == 7
    assert guard("UserPromptSubmit", tmp_path).returncode == 0


@pytest.mark.deep
def test_a_project_cannot_silence_it(tmp_path: Path) -> None:
    """Neither with settings of its own that pretend, nor with a shim of its own."""
    project = tmp_path / "project"
    write_settings(project / ".claude")
    place_shim(project, "#!/bin/sh\nexit 0\n")
    place_shim(tmp_path / ".local" / "share")
    own = {"CLAUDE_PROJECT_DIR": str(project), "CLAUDE_CONFIG_DIR": str(project / ".claude")}

    assert guard("UserPromptSubmit", tmp_path, **own).returncode == 7
    assert guard("PreToolUse", tmp_path, **own, XDG_DATA_HOME=str(project)).returncode == 7
