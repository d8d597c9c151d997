"""`interlock setup`: all of it or nothing, and proved through the real shim."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer
from tests.cli.typed import Interlock

from interlock.cli.setup import setup as command

MINE = '{\n  "model": "opus"\n}\n'


def tree(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, sockets and locks left out."""
    files = (file for file in folder.rglob("*") if file.is_file() and file.suffix != ".lock")
    return {str(file.relative_to(folder)): file.read_bytes() for file in files}


@pytest.fixture
def client(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with Claude Code on it, and settings its user wrote."""
    program = home / "programs" / "claude"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    settings = home / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(MINE)
    return settings


@pytest.fixture
def stopping(interlock: Interlock) -> Iterator[Interlock]:
    """No daemon is left behind."""
    yield interlock
    interlock("daemon", "stop")


@pytest.mark.deep
def test_one_command_guards_the_agent_and_another_undoes_it(
    stopping: Interlock, client: Path, home: Path
) -> None:
    """The bad call is denied through the installed hook; the second run changes nothing; undo restores."""
    first = stopping("setup", "--yes", "--json").document
    settings, policy = client.read_text(), home / "interlock" / "config" / "genesis.key"
    again = stopping("setup", "--yes")

    assert first["agents"] == [{"agent": "claude-code", "found": str(home / "programs" / "claude")}]
    assert first["denied"].startswith("This would delete your home folder.")
    assert first["rules"] > 40
    assert json.loads(settings)["hooks"]["PreToolUse"]
    assert "A test call through the installed hook was denied" in again.out
    assert again.out.count("Next:") == 1
    assert client.read_text() == settings
    assert policy.exists()

    undone = stopping("setup", "--undo", "--yes")

    assert undone.code == 0
    assert client.read_text() == MINE
    assert not policy.exists()
    assert stopping("daemon", "status").code == 1
    assert "There is nothing to undo" in stopping("setup", "--undo", "--yes").out


@pytest.mark.deep
def test_a_policy_that_somebody_changed_is_kept(stopping: Interlock, client: Path, home: Path) -> None:
    """Neither setup nor undo touches it."""
    policy = home / "interlock" / "config" / "genesis.key"
    policy.parent.mkdir(parents=True)
    policy.write_text('version: "2.0"\nsettings: {packs: [baseline]}\n')
    before = policy.read_bytes()

    assert stopping("setup", "--yes", "--json").document["policy"] is None
    assert stopping("setup", "--undo", "--yes").code == 0
    assert policy.read_bytes() == before


@pytest.mark.deep
def test_an_interrupt_leaves_nothing_half_done(
    stopping: Interlock, client: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C at the very last step: settings, policy, programs and daemon are as they were."""

    def interrupt() -> None:
        raise KeyboardInterrupt

    before = sorted(home.rglob("*"))
    monkeypatch.setattr(command, "_prove_policy", interrupt)
    typed = stopping("setup", "--yes")

    assert (typed.code, typed.err) == (130, "Everything was put back as it was.\n")
    assert sorted(home.rglob("*")) == before
    assert client.read_text() == MINE
    assert stopping("daemon", "status").code == 1


def test_a_dry_run_says_what_it_would_do_and_does_nothing(
    interlock: Interlock, client: Path, home: Path
) -> None:
    """Also as JSON."""
    before = tree(home)
    typed = interlock("setup", "--dry-run")

    assert typed.code == 0
    assert "genesis.key: a starter policy will be written" in typed.out
    assert "settings.json: 16 entries will be added" in typed.out
    assert interlock("setup", "--dry-run", "--json").document["changed"] is True
    assert tree(home) == before


def test_without_an_answer_nothing_is_written(interlock: Interlock, client: Path, home: Path) -> None:
    """Where nobody can be asked, `--yes` has to say it."""
    before = tree(home)
    typed = interlock("setup")

    assert typed.code == 2
    assert "add --yes" in typed.err
    assert tree(home) == before


@pytest.mark.parametrize("answer", [b"n\n", b"no\n"])
def test_what_a_person_declines_is_not_done(
    interlock: Interlock, client: Path, home: Path, answer: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A plain no."""
    before = tree(home)
    monkeypatch.setattr(command, "_is_asked", lambda: True)
    typed = interlock("setup", stdin=answer)

    assert typed.code == 1
    assert "Nothing was changed." in typed.err
    assert tree(home) == before


@pytest.mark.usefixtures("client")
@pytest.mark.parametrize(("key", "code"), [(KeyboardInterrupt(), 130), (EOFError(), 2)])
def test_a_question_that_is_not_answered_changes_nothing(
    interlock: Interlock, home: Path, monkeypatch: pytest.MonkeyPatch, key: BaseException, code: int
) -> None:
    """Ctrl-C is an interrupt as anywhere else; the end of the input is no answer."""
    abort = typer.Abort()
    abort.__context__ = key

    def confirm(*_: object, **__: object) -> bool:
        raise abort

    before = tree(home)
    monkeypatch.setattr(command, "_is_asked", lambda: True)
    monkeypatch.setattr(typer, "confirm", confirm)

    assert interlock("setup").code == code
    assert tree(home) == before


def test_a_machine_without_an_agent_is_told_so(
    interlock: Interlock, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that is named is set up all the same; a word that names none gets the list."""
    monkeypatch.setenv("PATH", "/nonexistent")
    typed = interlock("setup", "--yes")

    assert typed.code == 2
    assert "interlock setup --agent claude-code" in typed.err
    assert "Claude Code was not found on this machine" in typed.err
    assert interlock("setup", "--agent", "claude-code", "--dry-run").code == 0
    assert interlock("setup", "--agent", "clod", "--dry-run").code == 2


def test_undoing_needs_no_agent(
    interlock: Interlock, client: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its settings may have our entries after it was removed."""
    interlock("install", "claude-code")
    monkeypatch.setenv("PATH", "/nonexistent")
    typed = interlock("setup", "--undo", "--dry-run")

    assert typed.code == 0
    assert "settings.json: remove Interlock's entries" in typed.out


def test_a_policy_with_a_mistake_is_named_before_anything_is_written(
    interlock: Interlock, client: Path, home: Path
) -> None:
    """Otherwise every call of the agent would be denied."""
    policy = home / "interlock" / "config" / "genesis.key"
    policy.parent.mkdir(parents=True)
    policy.write_text('version: "2.0"\nhoks: {}\n')
    typed = interlock("setup", "--yes")

    assert typed.code == 1
    assert "hoks" in typed.err
    assert client.read_text() == MINE


def test_an_agent_may_only_look(
    interlock: Interlock, client: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It changes the gate, so it is for people."""
    monkeypatch.setenv("CLAUDECODE", "1")

    assert interlock("setup", "--yes").code == 2
    assert interlock("setup", "--undo", "--yes").code == 2
    assert interlock("setup", "--dry-run").code == 0
    assert client.read_text() == MINE
