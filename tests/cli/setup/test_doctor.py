"""`interlock doctor` finds what keeps Interlock from guarding, with a real shim and a real daemon."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.cli.typed import Interlock, policy

from interlock.hosts.claude_code.self_test import self_test
from interlock.hosts.launching import shim_program

pytestmark = pytest.mark.deep

OK_POLICY = 'version: "2.0"\nhooks: {pre_tool_use: [{type: deny, matcher: "Bash(rm -rf *)"}]}\n'


@pytest.fixture
def installed(interlock: Interlock, home: Path) -> Iterator[Path]:
    """Interlock installed for the user, with a policy; no daemon is left behind."""
    folder = home / "interlock" / "config"
    folder.mkdir(parents=True)
    policy(folder, OK_POLICY)
    assert interlock("install", "claude-code").code == 0
    yield home / ".claude" / "settings.json"
    interlock("daemon", "stop")


def failures(interlock: Interlock) -> dict[str, str]:
    """What the doctor says must be mended; its exit code must agree."""
    typed = interlock("doctor", "--json")
    checks = typed.document["checks"]
    failed = {check["what"]: check["detail"] for check in checks if check["state"] == "fail"}
    assert typed.code == (1 if failed else 0)
    assert all(check["next"] for check in checks if check["state"] != "ok")
    return failed


def change(file: Path, edit: Any) -> None:
    """Edit a settings file."""
    document = json.loads(file.read_text())
    edit(document)
    file.write_text(json.dumps(document))


def test_a_fresh_installation_is_healthy(interlock: Interlock, installed: Path) -> None:
    """The daemon is started by the test, and a known bad call is denied through the real shim."""
    typed = interlock("doctor")

    assert typed.code == 0, typed.out
    assert "fail" not in typed.out
    assert typed.last.startswith("ok    self-test")


@pytest.mark.req("T11")
def test_without_entries_nothing_is_guarded(interlock: Interlock, home: Path) -> None:
    """An installation that vanished is a failure, not a silence."""
    assert "entries" in failures(interlock)


@pytest.mark.req("T11")
def test_an_entry_that_vanished_is_named(interlock: Interlock, installed: Path) -> None:
    """The others do not make up for the one before tool calls."""
    change(installed, lambda document: document["hooks"].pop("PreToolUse"))

    assert "PreToolUse" in failures(interlock)["user settings"]


@pytest.mark.req("T11")
@pytest.mark.parametrize("deed", ["gone", "mode", "moved"])
def test_a_program_that_cannot_be_run_is_named(
    interlock: Interlock, installed: Path, home: Path, deed: str
) -> None:
    """The client would go on without it."""
    shim = home / "interlock" / "bin" / "interlock-hook"
    if deed == "gone":
        shim.unlink()
    elif deed == "mode":
        shim.chmod(0o644)
    else:
        text = installed.read_text().replace(str(shim), f"{home}/interlock-hook")
        installed.write_text(text)
        (home / "interlock-hook").write_bytes(shim.read_bytes())
        (home / "interlock-hook").chmod(0o755)

    assert "interlock-hook" in failures(interlock)["user settings"]


@pytest.mark.req("T11", "E49")
@pytest.mark.parametrize("deed", ["gone", "mode", "changed", "elsewhere"])
def test_the_command_that_agents_are_told_of_runs_where_they_run_it(
    interlock: Interlock, installed: Path, home: Path, deed: str
) -> None:
    """Without our PATH and without INTERLOCK_HOME, and it speaks for this home; else agents cannot log."""
    program = home / "interlock" / "bin" / "interlock"
    assert "agent command" not in failures(interlock)
    text = program.read_text()
    if deed == "gone":
        program.unlink()
    elif deed == "mode":
        program.chmod(0o644)
    elif deed == "changed":
        program.write_text(f"{text}# by hand\n")
    else:
        program.write_text(text.replace(str(home / "interlock"), str(home / "other")))

    assert str(program) in failures(interlock)["agent command"]
    interlock("install", "claude-code")
    assert "agent command" not in failures(interlock)


@pytest.mark.req("T09", "T11")
def test_a_program_by_its_bare_name_is_refused(interlock: Interlock, installed: Path, home: Path) -> None:
    """Whatever project the agent is in would decide what runs."""
    shim = home / "interlock" / "bin" / "interlock-hook"
    installed.write_text(installed.read_text().replace(str(shim), "interlock-hook"))

    assert "full path" in failures(interlock)["user settings"]


@pytest.mark.req("T11")
def test_a_python_that_moved_is_named(interlock: Interlock, installed: Path, home: Path) -> None:
    """The shim is there and could start nothing."""
    for file in (home / "interlock" / "launch", home / "interlock" / "bin" / "interlock-hook.launch"):
        file.write_text(file.read_text().replace(f"\n{sys.executable}\n", "\n/gone/python\n"))

    failed = failures(interlock)

    assert "/gone/python" in failed["launch file"]
    assert "self-test" in failed


def test_hooks_that_are_switched_off_are_named(interlock: Interlock, installed: Path) -> None:
    """The entries stand there and never run."""
    change(installed, lambda document: document.update(disableAllHooks=True))

    assert str(installed) in failures(interlock)["disableAllHooks"]


def test_a_neighbour_that_voids_the_file_is_named(interlock: Interlock, installed: Path) -> None:
    """One wrong handler of somebody else takes ours with it."""
    bad = {"hooks": [{"type": "command", "command": "x", "timeout": "30"}]}
    change(installed, lambda document: document["hooks"]["Stop"].append(bad))

    assert "hooks.Stop[1].hooks[0].timeout" in failures(interlock)["user settings"]


def test_a_file_that_is_no_json_is_named(interlock: Interlock, installed: Path, work: Path) -> None:
    """Also in a scope that is not ours."""
    (work / ".claude").mkdir()
    (work / ".claude" / "settings.json").write_text("{,}")

    assert "settings.json:1:2" in failures(interlock)["project settings"]


def test_another_hook_before_tool_calls_is_a_warning(interlock: Interlock, installed: Path) -> None:
    """It can undo a rewrite of ours, and that is not a failure."""
    other = {"hooks": [{"type": "command", "command": "./other"}]}
    change(installed, lambda document: document["hooks"]["PreToolUse"].append(other))

    typed = interlock("doctor")

    assert typed.code == 0
    assert "warn  user settings" in typed.out
    assert "hooks.PreToolUse[1].hooks[0]" in typed.out


def test_a_broken_policy_is_named(interlock: Interlock, installed: Path, home: Path) -> None:
    """With its file and line."""
    policy(home / "interlock" / "config", 'version: "2.0"\nhoks: {}\n')

    assert "genesis.key:2" in failures(interlock)["policy"]


@pytest.mark.req("M52")
def test_an_actor_without_an_entry_is_told_beforehand(
    interlock: Interlock, installed: Path, home: Path
) -> None:
    """Before its first call is denied, with the line to add; with that line nothing is said."""
    lists = "permissions: {actors: {agent:executor: {allow: [Read]}}}\n"
    policy(home / "interlock" / "config", lists)
    typed = interlock("doctor")

    assert (typed.code, "has no entry for agent:main" in typed.out) == (0, True)
    line = "settings: {actors: {main: agent:executor}}"
    assert line in typed.out

    policy(home / "interlock" / "config", f"{line}\n{lists}")
    assert "has no entry" not in interlock("doctor").out


def test_a_shim_of_another_version_is_named(interlock: Interlock, installed: Path, home: Path) -> None:
    """An update that was not installed shows."""
    shim = home / "interlock" / "bin" / "interlock-hook"
    shim.write_text("#!/bin/sh\necho interlock-hook 0.0.1\n")

    failed = failures(interlock)

    assert "0.0.1" in failed["shim"]
    assert "must be denied was not" in failed["self-test"]


def test_a_shim_that_only_says_our_version_is_named(
    interlock: Interlock, installed: Path, home: Path
) -> None:
    """Its content counts too."""
    shim = home / "interlock" / "bin" / "interlock-hook"
    shim.write_bytes(shim.read_bytes() + b"\0")

    assert "not the one" in failures(interlock)["shim"]


def test_the_slow_shim_denies_as_the_native_one(interlock: Interlock, installed: Path, home: Path) -> None:
    """Where no native one could be built, the script does its work."""
    slow = home / "slow"
    slow.write_bytes(shim_program(home, sys.executable, {}))
    slow.chmod(0o755)

    check = self_test([str(slow), "--home", str(home / "interlock"), "claude-code"], home)

    assert check.state == "ok", check.detail


def test_a_project_in_the_path_of_the_daemon_is_named(
    interlock: Interlock, home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """An activated virtual environment is copied into the daemon's PATH, where hooks find their programs."""
    (tmp_path / "venv" / "bin").mkdir(parents=True)
    (tmp_path / "venv" / "pyvenv.cfg").touch()
    monkeypatch.setenv("PATH", f"{tmp_path}/venv/bin:/usr/bin:/bin")
    interlock("daemon", "start")
    try:
        checks = interlock("doctor", "--json").document["checks"]
    finally:
        interlock("daemon", "stop")
    (found,) = [check for check in checks if check["what"] == "search path"]

    assert found["state"] == "warn"
    assert f"`{tmp_path}/venv/bin` lies in the virtual environment" in found["detail"]
    assert [check["state"] for check in checks if check["what"] == "programs"] == ["ok"]
