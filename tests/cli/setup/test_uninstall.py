"""`interlock uninstall` names what stays, and with `--all` nothing does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.setup.test_setup import tree
from tests.cli.typed import Interlock

from interlock.daemon.client import DaemonError, request

MINE = '{\n  "model": "opus"\n}\n'


@pytest.fixture
def settings(interlock: Interlock, home: Path, work: Path) -> Iterator[Path]:
    """Interlock installed for the user and in this project, with a policy; no daemon is left behind."""
    file = home / ".claude" / "settings.json"
    file.parent.mkdir()
    file.write_text(MINE)
    interlock("init")
    interlock("install", "claude-code", "--mcp")
    interlock("install", "claude-code", "--scope", "local")
    yield file
    interlock("daemon", "stop")


def test_what_stays_is_named(interlock: Interlock, settings: Path, work: Path) -> None:
    """With what it is, and the command that deletes it too."""
    typed = interlock("uninstall", "claude-code")

    assert typed.code == 0
    assert settings.read_text() == MINE
    assert "interlock uninstall --all" in typed.out
    for path, about in [
        ("~/interlock/config", "your policy"),
        ("~/interlock/state", "the ledger, approvals and keys"),
        ("~/interlock/bin", "the hook program"),
        ("settings.json.interlock-", "a backup of your settings"),
    ]:
        assert any(path in line and about in line for line in typed.out.splitlines())


@pytest.mark.deep
def test_the_daemon_is_stopped_when_the_person_agrees_and_nothing_needs_it(
    interlock: Interlock, settings: Path, home: Path
) -> None:
    """Entries in this project's settings still do; without an answer it runs on and is named."""
    interlock("daemon", "start")

    def runs() -> bool:
        return interlock("daemon", "status").code == 0

    interlock("uninstall", "claude-code", "--yes")
    assert runs()
    unasked = interlock("uninstall", "claude-code", "--scope", "local")
    assert runs()
    assert "stop it with `interlock daemon stop`" in unasked.out
    stopped = interlock("uninstall", "claude-code", "--yes", "--json")
    assert stopped.document["stopped"] is True
    assert not runs()


@pytest.mark.deep
def test_all_leaves_nothing_behind(interlock: Interlock, settings: Path, home: Path, work: Path) -> None:
    """Settings to the byte, no daemon, no file of ours; a link goes without what it leads to."""
    dotfiles = work / "dotfiles"
    dotfiles.mkdir()
    policy = home / "interlock" / "config" / "genesis.key"
    policy.rename(dotfiles / "genesis.key")
    policy.symlink_to(dotfiles / "genesis.key")
    interlock("daemon", "start")
    socket = home / "interlock" / "run" / "interlock.sock"
    assert request(socket, "status")
    looked = interlock("uninstall", "--all", "--dry-run", "--json").document
    typed = interlock("uninstall", "--all", "--yes")

    assert typed.code == 0, typed.err
    assert tree(home) == {".claude/settings.json": MINE.encode()}
    assert not (home / "interlock").exists()
    assert set(tree(work)) == {"dotfiles/genesis.key"}
    assert str(home / ".claude.json") in looked["settings"]
    with pytest.raises(DaemonError):
        request(socket, "status")


@pytest.mark.deep
def test_a_home_is_as_it_was_before_setup(
    interlock: Interlock, home: Path, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the usual places too: every file and every folder of a fresh home."""
    for name in ("INTERLOCK_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name)
    before = sorted(home.rglob("*"))
    assert interlock("setup", "--yes", "--agent", "claude-code").code == 0
    assert len(list(home.rglob("*"))) > len(before)
    typed = interlock("uninstall", "--all", "--yes")

    assert typed.code == 0, typed.err
    assert sorted(home.rglob("*")) == before


def test_all_asks_first(interlock: Interlock, settings: Path, home: Path) -> None:
    """Where nobody can be asked, nothing goes; it is one or the other, an agent or all."""
    before = tree(home)

    refused = interlock("uninstall", "--all")
    assert (refused.code, "add --yes" in refused.err) == (2, True)
    assert interlock("uninstall", "--all", "claude-code", "--yes").code == 2
    assert interlock("uninstall").code == 2
    assert tree(home) == before


def test_all_is_for_people(
    interlock: Interlock, settings: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An agent may look what would go."""
    before = tree(home)
    monkeypatch.setenv("CLAUDECODE", "1")

    assert "is for people" in interlock("uninstall", "--all", "--yes").err
    assert interlock("uninstall", "--all", "--dry-run").code == 0
    assert tree(home) == before


def test_a_home_that_holds_more_than_us_is_left_alone(
    interlock: Interlock, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`INTERLOCK_HOME=~` would take `~/bin` and `~/config` with it."""
    (home / "bin").mkdir()
    (home / "bin" / "mine").write_text("mine")
    monkeypatch.setenv("INTERLOCK_HOME", str(home))
    typed = interlock("uninstall", "--all", "--yes")

    assert typed.code == 2
    assert "holds more than Interlock" in typed.err
    assert (home / "bin" / "mine").exists()
