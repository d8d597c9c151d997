"""`interlock run`: the client takes our place, with our hooks where no project can switch them off."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.cli.typed import SCRIPT, Interlock

# Writes down what it was given, and ends as it is told to.
CLIENT = f"""#!{sys.executable}
import json, os, sys
read = "a terminal" if os.isatty(0) else sys.stdin.read()
with open(os.environ["NOTES"], "w") as notes:
    json.dump({{"argv": sys.argv, "pid": os.getpid(), "read": read}}, notes)
if os.environ.get("KILL"):
    os.kill(os.getpid(), int(os.environ["KILL"]))
sys.exit(int(os.environ.get("CODE", "0")))
"""


@pytest.fixture
def client(interlock: Interlock, work: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program called `claude` on the path, and Interlock installed."""
    program = home / "bin" / "claude"
    program.parent.mkdir()
    program.write_text(CLIENT)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.defpath}")
    monkeypatch.setenv("NOTES", str(work / "notes.json"))
    assert interlock("install", "claude-code").code == 0
    return program


def started(work: Path, *words: str, **environment: str) -> tuple[int, dict[str, Any]]:
    """The exit code of `interlock run`, and what the client noted."""
    done = subprocess.run(
        [SCRIPT, "run", *words],
        input="from stdin",
        cwd=work,
        text=True,
        capture_output=True,
        timeout=90,
        check=False,
        env={**os.environ, **environment},
    )
    notes = work / "notes.json"
    assert notes.exists(), done.stderr
    return done.returncode, json.loads(notes.read_text())


def settings_of(noted: dict[str, Any]) -> dict[str, Any]:
    """The settings the client was given."""
    assert noted["argv"][1] == "--settings"
    found: dict[str, Any] = json.loads(noted["argv"][2])
    return found


@pytest.mark.deep
def test_the_client_gets_our_entries_and_all_that_was_typed(work: Path, client: Path, home: Path) -> None:
    """The same entries as in the user's file, hooks switched on, and every other word as it was."""
    code, noted = started(work, "--", "claude", "-p", "fix it", "--", "--settings", "x", CODE="7")
    installed = json.loads((home / ".claude" / "settings.json").read_text())

    assert code == 7
    assert noted["read"] == "from stdin"
    assert noted["argv"][0] == str(client)
    assert noted["argv"][3:] == ["-p", "fix it", "--", "--settings", "x"]
    assert settings_of(noted) == {
        "hooks": installed["hooks"],
        "disableAllHooks": False,
        "env": {"CLAUDE_CODE_SIMPLE": ""},
    }


@pytest.mark.deep
def test_a_signal_that_ends_the_client_ends_the_command(work: Path, client: Path) -> None:
    """There is no process between the caller and the client."""
    code, _ = started(work, str(client), KILL=str(int(signal.SIGTERM)))

    assert code == -signal.SIGTERM


@pytest.mark.deep
def test_a_client_in_a_terminal_is_in_the_same_one(work: Path, client: Path) -> None:
    """It takes the place of our process, with its id."""
    master, slave = os.openpty()
    with subprocess.Popen([SCRIPT, "run", "claude"], stdin=slave, stdout=slave, cwd=work) as process:
        os.close(slave)
        assert process.wait(timeout=90) == 0
    os.close(master)
    noted = json.loads((work / "notes.json").read_text())

    assert (noted["read"], noted["pid"]) == ("a terminal", process.pid)


@pytest.mark.deep
@pytest.mark.parametrize("form", ["file", "text", "="])
def test_settings_that_are_given_are_kept(work: Path, client: Path, form: str) -> None:
    """The client takes one `--settings`, so ours are put into it."""
    other = {"type": "command", "command": "./guard.sh"}
    own = {"model": "opus", "env": {"A": "b"}, "hooks": {"PreToolUse": [{"hooks": [other]}]}}
    (work / "own.json").write_text(json.dumps(own))
    given = {
        "file": ["--settings", "own.json"],
        "text": ["--settings", json.dumps(own)],
        "=": ["--settings=own.json"],
    }[form]
    _, noted = started(work, "claude", *given, "-p", "x")
    settings = settings_of(noted)

    assert noted["argv"][3:] == ["-p", "x"]
    assert settings["model"] == "opus"
    assert settings["env"] == {"A": "b", "CLAUDE_CODE_SIMPLE": ""}
    assert settings["hooks"]["PreToolUse"][0] == {"hooks": [other]}
    assert len(settings["hooks"]["PreToolUse"]) == 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "say what to start: interlock run -- claude"),
        (["codex"], "it knows `claude`"),
        (["/nowhere/claude"], "install Claude Code"),
        (["claude", "--bare"], "`--bare` starts claude without hooks"),
        (["claude", "--settings"], "needs a file or a JSON object"),
        (["claude", "--settings", "gone.json"], "does not exist"),
        (["claude", "--settings", "{"], "this is not JSON"),
        (["claude", "--settings", '{"disableAllHooks": true}'], "turns hooks off"),
        (["claude", "--settings", '{"hooks": {"PreToolUse": {}}}'], "hooks.PreToolUse"),
        (["claude", "--settings", '{"env": []}'], "env: expected an object"),
    ],
)
def test_what_would_start_no_guarded_client_is_refused(
    interlock: Interlock, client: Path, words: list[str], message: str
) -> None:
    """One sentence with what to do, and nothing is started."""
    typed = interlock("run", "--", *words)

    assert (typed.code, typed.out) == (2, "")
    assert message in typed.err
    assert typed.err.count("\n") == 1


def test_a_variable_that_takes_hooks_away_is_refused(
    interlock: Interlock, client: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The client reads it before any settings."""
    monkeypatch.setenv("CLAUDE_CODE_SIMPLE", "1")

    assert "`CLAUDE_CODE_SIMPLE` is set" in interlock("run", "claude").err


def test_without_an_installation_the_next_step_is_named(
    interlock: Interlock, client: Path, home: Path
) -> None:
    """Entries whose program is missing would guard nothing."""
    (home / "interlock" / "bin" / "interlock-hook").unlink()

    assert "run: interlock install claude-code" in interlock("run", "claude").err
