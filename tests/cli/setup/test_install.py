"""`interlock install` and `interlock uninstall`, on real files in a home of their own."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.cli.typed import Interlock, policy

from interlock.cli.policy_source import here
from interlock.cli.setup.doctor_checks import check_launch
from interlock.daemon.paths import places_of
from interlock.hosts.claude_code.entries import ALWAYS
from interlock.hosts.host import State
from interlock.hosts.host_notes import TIMEOUTS_FILE, VERSIONS_FILE, read_waiting, waits
from interlock.hosts.launching import install_place, read_launch

MINE = '{\n    "permissions": {"allow": ["Read", "Bash(ls)"]},\n    "model": "opus"\n}\n'
OTHERS = (
    '{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "./g"}]}]}}\n'
)


def user_file(home: Path, text: str | None = None) -> Path:
    """The user's settings."""
    file = home / ".claude" / "settings.json"
    file.parent.mkdir(exist_ok=True)
    if text is not None:
        file.write_text(text)
    return file


def document(file: Path) -> Any:
    """What a file holds."""
    return json.loads(file.read_text())


def tree(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Every file below a folder, with its content and mode."""
    return {
        str(file.relative_to(folder)): (file.read_bytes(), file.stat().st_mode)
        for file in folder.rglob("*")
        if file.is_file()
    }


def token(home: Path) -> str:
    """What makes the entries of this installation unlike those of any other."""
    return (home / "interlock" / "state" / "entry-token").read_text().strip()


@pytest.mark.req("T09", "T11")
def test_the_entries_name_one_program_by_its_full_path(interlock: Interlock, home: Path) -> None:
    """All tools, every event we hear of, no shell, and a copy of the shim that a reinstall leaves alone."""
    typed = interlock("install", "claude-code")

    hooks = document(user_file(home))["hooks"]
    shim = home / "interlock" / "bin" / "interlock-hook"
    assert typed.code == 0
    assert list(hooks) == list(ALWAYS)
    for groups in hooks.values():
        [group] = groups
        [handler] = group["hooks"]
        assert "matcher" not in group
        assert handler["command"] == str(shim)
        assert handler["args"] == ["--home", str(home / "interlock"), f"--token={token(home)}", "claude-code"]
    assert shim.stat().st_mode & 0o777 == 0o755
    assert shim.read_bytes() == Path(sys.executable).with_name("interlock-hook").read_bytes()


def test_the_token_is_private_and_kept(interlock: Interlock, home: Path) -> None:
    """A project cannot guess it, and installing once more changes no entry."""
    interlock("install", "claude-code")
    first = token(home)
    file = home / "interlock" / "state" / "entry-token"
    mode = file.stat().st_mode & 0o777
    interlock("uninstall", "claude-code")
    interlock("install", "claude-code")

    assert re.fullmatch(r"[0-9a-f]{32}", first)
    assert mode == 0o600
    assert token(home) == first

    file.write_text("short\n")
    interlock("install", "claude-code")

    assert len({first, token(home), "short"}) == 3
    assert first not in user_file(home).read_text()


@pytest.mark.parametrize("name", ["settings.json", "settings.local.json"])
def test_entries_from_before_tokens_are_renewed_and_taken_out(
    interlock: Interlock, home: Path, work: Path, name: str
) -> None:
    """They are known by the program they run."""
    scope, folder = ("user", home) if name == "settings.json" else ("local", work)
    file = folder / ".claude" / name
    interlock("install", "claude-code", "--scope", scope)
    new = file.read_text()
    old = re.sub(r'\s*"--token=[0-9a-f]{32}",', "", new)
    file.write_text(old)
    interlock("install", "claude-code", "--scope", scope)
    renewed = file.read_text()
    file.write_text(old)
    interlock("uninstall", "claude-code", "--scope", scope)

    assert old != new
    assert renewed == new
    assert not file.exists()


def test_a_file_that_others_read_holds_no_token(
    interlock: Interlock, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a project it would be no secret, and the launcher runs the shim of each person."""
    monkeypatch.delenv("INTERLOCK_HOME")
    interlock("install", "claude-code", "--scope", "project")

    assert "--token" not in (work / ".claude" / "settings.json").read_text()


@pytest.mark.req("T09")
def test_the_launch_files_say_how_the_daemon_is_started(interlock: Interlock, home: Path) -> None:
    """Private, the same in both places, and with every path in full."""
    interlock("install", "claude-code")

    beside, own = home / "interlock" / "bin" / "interlock-hook.launch", home / "interlock" / "launch"
    launch = read_launch(own.read_text())
    assert beside.read_bytes() == own.read_bytes()
    assert own.stat().st_mode & 0o777 == beside.stat().st_mode & 0o777 == 0o600
    assert launch.argv[:5] == (sys.executable, "-I", "-m", "interlock.daemon", "run")
    assert launch.socket == str(home / "interlock" / "run" / "interlock.sock")
    assert launch.environment["HOME"] == str(home)
    installed = install_place({"INTERLOCK_HOME": str(home / "interlock")}, home=home, cwd=home)
    checks = list(check_launch(installed, places_of(here())))
    assert [check.state for check in checks] == [State.OK, State.OK]


@pytest.mark.parametrize("text", [None, "", "{}", MINE, OTHERS])
def test_installing_twice_changes_nothing(interlock: Interlock, home: Path, text: str | None) -> None:
    """Not a byte, and no further backup."""
    user_file(home, text)
    interlock("install", "claude-code")
    once = tree(home)

    typed = interlock("install", "claude-code", "--json")

    assert tree(home) == once
    assert typed.document["changed"] is False
    assert typed.document["written"] == []


@pytest.mark.parametrize(
    "text", [None, "", "{}", '{"hooks": {}}', '{"hooks":{"Stop":[]},"a":1}', MINE, OTHERS, OTHERS.strip()]
)
def test_uninstalling_restores_every_byte(interlock: Interlock, home: Path, text: str | None) -> None:
    """Whatever the style was, and also that there was no file."""
    file = user_file(home, text)
    interlock("install", "claude-code")

    typed = interlock("uninstall", "claude-code")

    assert typed.code == 0
    assert (file.read_text() if file.exists() else None) == text


def test_uninstalling_keeps_what_was_changed_since(interlock: Interlock, home: Path) -> None:
    """Only our entries go; the backups stay."""
    file = user_file(home, MINE)
    interlock("install", "claude-code")
    changed = document(file)
    changed["hooks"]["Stop"].append({"hooks": [{"type": "command", "command": "./notify"}]})
    file.write_text(json.dumps({**changed, "model": "haiku"}))

    interlock("uninstall", "claude-code")

    left = document(file)
    assert left["model"] == "haiku"
    assert left["hooks"] == {"Stop": [{"hooks": [{"type": "command", "command": "./notify"}]}]}
    assert len(list(file.parent.glob("*.bak"))) == 2


def test_the_backup_is_the_file_as_it_was(interlock: Interlock, home: Path) -> None:
    """Beside it, with its name in front."""
    file = user_file(home, MINE)
    file.chmod(0o640)

    typed = interlock("install", "claude-code", "--json")

    backup = Path(typed.document["backup"])
    assert backup.read_text() == MINE
    assert backup.name.startswith("settings.json.interlock-")
    assert file.stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{\n  "a": 1\n  "b": 2}', "settings.json:3:3"),
        ("[]", "not a JSON object"),
        ('{"hooks": []}', "hooks: expected an object"),
        (
            '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x", "timeout": "5"}]}]}}',
            "timeout",
        ),
    ],
)
def test_a_malformed_file_is_an_error_and_nothing_is_written(
    interlock: Interlock, home: Path, text: str, message: str
) -> None:
    """Entries in a file that the client skips would guard nothing."""
    user_file(home, text)
    before = tree(home)

    typed = interlock("install", "claude-code")

    assert typed.code == 2
    assert message in typed.err
    assert tree(home) == before


def test_a_dry_run_shows_the_change_and_writes_nothing(interlock: Interlock, home: Path) -> None:
    """The difference of the settings, and the files that would be written."""
    file = user_file(home, MINE)
    before = tree(home)

    typed = interlock("install", "claude-code", "--dry-run")

    assert tree(home) == before
    assert f"+++ {file}" in typed.out
    assert '+    "hooks": {' in typed.out
    assert f"would write {home / 'interlock' / 'launch'}" in typed.out


def test_an_old_path_is_replaced(interlock: Interlock, home: Path) -> None:
    """An installation that moved is renewed, and the other hooks of its group stay."""
    old = {"type": "command", "command": "/old/interlock-hook claude-code"}
    file = user_file(home, json.dumps({"hooks": {"Stop": [{"hooks": [old]}]}}))

    interlock("install", "claude-code")

    assert "/old/" not in file.read_text()
    assert len(document(file)["hooks"]["Stop"]) == 1


def test_events_and_times_follow_the_policy(interlock: Interlock, home: Path) -> None:
    """An event a hook is bound to is added, and a long hook gets its time."""
    folder = home / "interlock" / "config"
    folder.mkdir(parents=True)
    slow = "{type: command, timeout: 300, config: {command: 'true'}}"
    policy(folder, f'version: "2.0"\nhooks:\n  pre_tool_use: [{slow}]\n  cwd_changed: [{slow}]\n')

    interlock("install", "claude-code")

    hooks = document(user_file(home))["hooks"]
    assert hooks["PreToolUse"][0]["hooks"][0]["timeout"] == 334
    assert "CwdChanged" in hooks
    noted = read_waiting(here().state / TIMEOUTS_FILE)
    assert waits(noted, "claude-code", "PreToolUse") == 334

    interlock("uninstall", "claude-code")

    assert waits(read_waiting(here().state / TIMEOUTS_FILE), "claude-code", "PreToolUse") is None


@pytest.mark.parametrize(("seen", "there"), [("2.1.197", False), ("2.1.219", True), (None, True)])
def test_an_event_the_client_does_not_have_is_left_out(
    interlock: Interlock, home: Path, seen: str | None, there: bool
) -> None:
    """The newest version that has been seen says which events there are; unseen, all are taken to be."""
    folder = home / "interlock" / "config"
    folder.mkdir(parents=True)
    policy(
        folder,
        'version: "2.0"\nhooks:\n  directory_added: [{type: command, config: {command: "true"}}]\n',
    )
    if seen is not None:
        here().state.mkdir(parents=True, mode=0o700)
        (here().state / VERSIONS_FILE).write_text(
            json.dumps(["claude-code 2.1.9", f"claude-code {seen}", "other 9.9"])
        )

    interlock("install", "claude-code")

    assert ("DirectoryAdded" in document(user_file(home))["hooks"]) == there


def test_the_clients_own_folder_variable_is_honoured(
    interlock: Interlock, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the client looks is where the entries go."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home / "elsewhere"))

    interlock("install", "claude-code")

    assert (home / "elsewhere" / "settings.json").exists()
    assert not (home / ".claude").exists()


def test_local_settings_are_this_projects_and_mine(interlock: Interlock, work: Path) -> None:
    """Not the file that is checked in."""
    interlock("install", "claude-code", "--scope", "local")

    assert sorted(file.name for file in (work / ".claude").iterdir()) == ["settings.local.json"]


def test_a_project_gets_a_launcher_and_no_path_of_mine(
    interlock: Interlock, work: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is checked in works for others; taking it out takes the launcher too."""
    monkeypatch.delenv("INTERLOCK_HOME")
    settings, launcher = work / ".claude" / "settings.json", work / ".claude" / "interlock-launcher"

    interlock("install", "claude-code", "--scope", "project")

    handler = document(settings)["hooks"]["PreToolUse"][0]["hooks"][0]
    assert handler["command"] == "${CLAUDE_PROJECT_DIR}/.claude/interlock-launcher"
    assert handler["args"] == ["claude-code"]
    assert str(home) not in settings.read_text() + launcher.read_text()
    assert launcher.stat().st_mode & 0o777 == 0o755
    assert (home / ".local" / "share" / "interlock" / "bin" / "interlock-hook.launch").exists()

    interlock("uninstall", "claude-code", "--scope", "project")

    assert not settings.exists()
    assert not launcher.exists()


def test_a_project_cannot_use_a_home_of_mine(interlock: Interlock, work: Path) -> None:
    """Others do not have it."""
    typed = interlock("install", "claude-code", "--scope", "project")

    assert typed.code == 2
    assert "INTERLOCK_HOME" in typed.err
    assert not (work / ".claude").exists()


def test_uninstalling_what_is_not_installed_does_nothing(interlock: Interlock, home: Path) -> None:
    """It says so, and succeeds."""
    user_file(home, OTHERS)
    before = tree(home)

    typed = interlock("uninstall", "claude-code")

    assert typed.code == 0
    assert "has no entries of Interlock" in typed.out
    assert tree(home) == before
