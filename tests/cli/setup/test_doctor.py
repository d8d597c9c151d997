"""`interlock doctor` finds what keeps Interlock from guarding, with a real shim and a real daemon."""

from __future__ import annotations

import json
import shlex
import subprocess
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
    """What the doctor says must be fixed; its exit code must agree."""
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
    assert "\nfail" not in f"\n{typed.out}"
    assert "ok    self-test" in typed.out
    lines = [line for line in typed.out.splitlines() if line.startswith(("!", "fail"))]
    assert all(". Fix: " in line for line in lines)
    assert typed.last.startswith(f"{len(lines)} problem")


@pytest.mark.req("T11")
def test_without_entries_nothing_is_guarded(interlock: Interlock, home: Path) -> None:
    """An installation that vanished is a failure, not a silence; what was never installed is not missed."""
    found = failures(interlock)

    assert set(found) == {"entries"}
    assert interlock("doctor", "--json").document["checks"][0]["next"] == "interlock setup"


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
    assert "!     user settings" in typed.out
    assert "hooks.PreToolUse[1].hooks[0]" in typed.out


def test_a_broken_policy_is_named(interlock: Interlock, installed: Path, home: Path) -> None:
    """With its file and line."""
    policy(home / "interlock" / "config", 'version: "2.0"\nhoks: {}\n')

    assert "genesis.key:2" in failures(interlock)["policy"]


def test_a_question_is_not_followed_by_a_full_stop(interlock: Interlock, installed: Path, home: Path) -> None:
    """A mistyped word of the policy ends in a question, then comes the fix."""
    hook = "{type: dny, name: x}"
    policy(home / "interlock" / "config", f'version: "2.0"\nhooks: {{pre_tool_use: [{hook}]}}\n')

    assert "did you mean `deny`? Fix: correct it" in interlock("doctor").out


@pytest.mark.req("M52")
def test_an_actor_without_an_entry_is_told_beforehand(
    interlock: Interlock, installed: Path, home: Path
) -> None:
    """Before its first call is denied, with the line to add; with that line nothing is said."""
    lists = "permissions: {actors: {agent:executor: {allow: [Read]}}}\n"
    policy(home / "interlock" / "config", lists)
    typed = interlock("doctor")
    assert typed.err.count("note: ") == 1

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

    assert "0.0.1" in failed["hook program"]
    assert "must be denied was not" in failed["self-test"]


def test_a_shim_that_only_says_our_version_is_named(
    interlock: Interlock, installed: Path, home: Path
) -> None:
    """Its content counts too."""
    shim = home / "interlock" / "bin" / "interlock-hook"
    shim.write_bytes(shim.read_bytes() + b"\0")

    assert "differs from the one" in failures(interlock)["hook program"]


def test_the_slow_shim_denies_as_the_native_one(interlock: Interlock, installed: Path, home: Path) -> None:
    """Where no native one could be built, the script does its work."""
    slow = home / "slow"
    slow.write_bytes(shim_program(home, sys.executable, {}))
    slow.chmod(0o755)

    check = self_test([str(slow), "--home", str(home / "interlock"), "claude-code"], home)

    assert check.state == "ok", check.detail


def test_a_project_in_the_path_of_the_daemon_is_named(
    interlock: Interlock, installed: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """An activated virtual environment is in the PATH of the daemon, where hooks find their programs."""
    (tmp_path / "venv" / "bin").mkdir(parents=True)
    (tmp_path / "venv" / "pyvenv.cfg").touch()
    monkeypatch.setenv("PATH", f"{tmp_path}/venv/bin:/usr/bin:/bin")
    interlock("install", "claude-code")
    interlock("daemon", "restart")
    detail, fix = warnings(interlock)["search path"]
    checks = interlock("doctor", "--json").document["checks"]

    assert f"`{tmp_path}/venv/bin` is inside the virtual environment" in detail
    assert [check["state"] for check in checks if check["what"] == "git"] == ["ok"]
    subprocess.run(["/bin/sh", "-c", fix], check=True, capture_output=True, timeout=60)
    assert "search path" not in warnings(interlock)


def warnings(interlock: Interlock) -> dict[str, tuple[str, str]]:
    """What the doctor warns of: the detail and the command that fixes it."""
    checks = interlock("doctor", "--json").document["checks"]
    return {one["what"]: (one["detail"], one["next"]) for one in checks if one["state"] == "warn"}


def call(home: Path, **fields: str) -> None:
    """One tool call of a real session, through the installed shim."""
    event = {"session_id": "s", "cwd": "/usr", "hook_event_name": "PreToolUse", "tool_name": "Read"}
    payload = {**event, "tool_use_id": "t1", "tool_input": {"file_path": "/usr/a"}, **fields}
    subprocess.run(
        [home / "interlock" / "bin" / "interlock-hook", "--home", home / "interlock", "claude-code"],
        input=json.dumps(payload).encode(),
        check=True,
        timeout=60,
        capture_output=True,
    )


def test_a_missing_client_is_a_warning(
    interlock: Interlock, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command that installs it is named; a client that is there is fine."""
    monkeypatch.setenv("PATH", f"{home}/programs:/usr/bin:/bin")
    assert "not installed" in warnings(interlock)["client"][0]
    assert warnings(interlock)["client"][1].startswith("npm install")

    program = home / "programs" / "claude"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho '2.1.300 (Claude Code)'\n")
    program.chmod(0o755)
    assert "client" not in warnings(interlock)


def test_a_command_that_agents_would_not_find_is_named(
    interlock: Interlock, installed: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The fix is a line to paste: a link where the usual folder is on the PATH, else the PATH itself."""
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    assert warnings(interlock)["PATH"][1] == f'export PATH="$PATH:{home}/interlock/bin"'

    (home / ".local" / "bin").mkdir(parents=True)
    monkeypatch.setenv("PATH", f"{home}/.local/bin:/usr/bin:/bin")
    subprocess.run(shlex.split(warnings(interlock)["PATH"][1]), check=True)
    assert "PATH" not in warnings(interlock)


def test_hooks_that_never_fired_are_named(interlock: Interlock, installed: Path, home: Path) -> None:
    """Our own test calls do not count; the first call of a session ends the warning."""
    assert "never fired" in warnings(interlock)["calls"][0]
    assert "never fired" in warnings(interlock)["calls"][0]

    call(home)
    assert "calls" not in warnings(interlock)


def test_an_actor_that_was_seen_without_an_entry_is_named(
    interlock: Interlock, installed: Path, home: Path
) -> None:
    """A kind of sub-agent that nobody listed: its calls are denied, and the line to add is shown."""
    main = "settings: {actors: {main: agent:main}}\n"
    lists = "permissions: {actors: {agent:main: {allow: [Read]}}}\n"
    policy(home / "interlock" / "config", f'version: "2.0"\n{main}{lists}')
    assert "permissions" not in warnings(interlock)

    call(home, agent_id="a1", agent_type="scout")
    detail, fix = warnings(interlock)["permissions"]
    assert "no entry for agent:scout, which acted in the last 24 hours" in detail
    assert "agent:scout" in fix


def test_hooks_that_run_twice_are_named_and_removed(
    interlock: Interlock, installed: Path, home: Path
) -> None:
    """After an import the settings still have them; the command of the doctor removes those and no others."""
    other = {"matcher": "Bash", "hooks": [{"type": "command", "command": "./check.sh", "timeout": 5}]}
    mine = {"hooks": [{"type": "command", "command": "./mine.sh"}]}
    change(installed, lambda document: document["hooks"]["PreToolUse"].append(other))
    imported = interlock("import", "claude-code").out
    change(installed, lambda document: document["hooks"]["PreToolUse"].append(mine))
    before = json.loads(installed.read_text())
    assert "double hooks" not in warnings(interlock)

    policy(home / "interlock" / "config", imported)
    detail, fix = warnings(interlock)["double hooks"]
    assert "hooks.PreToolUse[1].hooks[0]" in detail
    other_hooks, add = warnings(interlock)["user settings"]
    assert other_hooks.endswith("changed: hooks.PreToolUse[2].hooks[0]")
    assert add == "interlock import claude-code --scope user --add"
    assert fix == "interlock import claude-code --scope user --remove-old"

    assert "a second step" in interlock(*fix.split()[1:], "--add").err
    removed = interlock(*fix.split()[1:])
    after = json.loads(installed.read_text())
    assert "removed 1 hook from" in removed.out
    before["hooks"]["PreToolUse"].remove(other)
    assert after == before
    assert "double hooks" not in warnings(interlock)
    assert "nothing to remove" in interlock(*fix.split()[1:]).out


def test_a_variable_that_the_daemon_lacks_is_named(
    interlock: Interlock, installed: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command sets it; where the shell has it already, only the daemon has to take it over."""
    hook = "{type: command, pass_env: [DEPLOY_TOKEN], config: {command: 'true'}}"
    policy(home / "interlock" / "config", f'version: "2.0"\nhooks: {{pre_tool_use: [{hook}]}}\n')
    assert warnings(interlock)["variables"][1] == "export DEPLOY_TOKEN=VALUE; interlock daemon start"

    monkeypatch.setenv("DEPLOY_TOKEN", "a value of some length")
    assert warnings(interlock)["variables"][1] == "interlock daemon start"
    interlock("daemon", "start")
    assert "variables" not in warnings(interlock)


def test_a_sound_installation_passes_all_checks(
    interlock: Interlock, installed: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line at the end says so."""
    programs = home / "programs"
    programs.mkdir()
    (programs / "interlock").symlink_to(home / "interlock" / "bin" / "interlock")
    (programs / "claude").write_text("#!/bin/sh\necho '2.1.300 (Claude Code)'\n")
    (programs / "claude").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    interlock("install", "claude-code")
    interlock("daemon", "restart")
    call(home)
    typed = interlock("doctor")

    assert typed.last == f"All {len(typed.out.splitlines()) - 2} checks passed.", typed.out
