"""Laws of the passphrase: set on a terminal, kept as a hash, asked for before the gate is opened."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest
from tests.cli.typed import SCRIPT
from tests.terminal import at_terminal

from interlock.files.passphrase import hash_passphrase, matches

SECRET = "correct horse battery"
LINE = f"{SECRET}\n".encode()
POLICY = 'version: "2.0"\nhooks:\n  pre_tool_use:\n    - {type: deny, matcher: Bash(rm *)}\n'

pytestmark = [pytest.mark.req("Z02"), pytest.mark.deep]


def kept(home: Path) -> Path:
    """Where its hash lies."""
    return home / "interlock" / "state" / "passphrase"


@pytest.fixture
def guarded(home: Path) -> Path:
    """A home whose person has set a passphrase while installing."""
    words = ("install", "claude-code", "--passphrase")
    code, screen = at_terminal([SCRIPT, *words], LINE, LINE)
    assert code == 0, screen
    return home


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / ".interlock").mkdir()
    (tmp_path / ".interlock" / "genesis.key").write_text(POLICY)
    return tmp_path


def test_it_is_kept_as_a_hash_for_its_owner_only(guarded: Path) -> None:
    """Nobody reads it back; what was typed does not stand on the screen either."""
    content = kept(guarded).read_bytes()

    assert SECRET.encode() not in content
    assert kept(guarded).stat().st_mode & 0o777 == 0o600


def test_two_hashes_of_one_passphrase_differ_and_both_match() -> None:
    """Each has its own salt; a near miss is a miss."""
    one, other = hash_passphrase(SECRET), hash_passphrase(SECRET)

    assert one.digest != other.digest
    assert matches(one, SECRET)
    assert matches(other, SECRET)
    assert not matches(one, SECRET + " ")
    assert not matches(one, "")


@pytest.mark.parametrize(
    "words",
    [
        ("trust", "--yes"),
        ("untrust",),
        ("uninstall", "claude-code"),
        ("daemon", "stop"),
        ("daemon", "restart"),
    ],
    ids=" ".join,
)
def test_without_a_terminal_nothing_that_needs_it_happens(
    guarded: Path, project: Path, words: tuple[str, ...]
) -> None:
    """A script cannot type it, not even through a pipe."""
    done = subprocess.run(
        [SCRIPT, *words],
        input=SECRET,
        cwd=project,
        capture_output=True,
        text=True,
        start_new_session=True,
        timeout=60,
        check=False,
    )

    assert done.returncode == 2
    assert "must be typed in a terminal" in done.stderr
    assert (guarded / ".claude" / "settings.json").exists()


def test_who_knows_it_goes_on_and_who_does_not_changes_nothing(guarded: Path, project: Path) -> None:
    """Three tries, then it is over."""
    trust = [SCRIPT, "trust", "--yes"]
    wrong, screen = at_terminal(trust, b"no\n", b"no\n", b"no\n", cwd=project)
    store = guarded / "interlock" / "state" / "trust"

    assert (wrong, store.exists()) == (2, False)
    assert "this is not your passphrase" in screen

    right, screen = at_terminal(trust, b"no\n", LINE, cwd=project)

    assert (right, len(list(store.iterdir()))) == (0, 1)
    assert SECRET not in screen


def test_a_new_one_needs_the_old_one(guarded: Path) -> None:
    """Installing again is no way around it."""
    before = kept(guarded).read_bytes()
    install = [SCRIPT, "install", "claude-code", "--passphrase"]
    wrong, _ = at_terminal(install, b"no\n", b"no\n", b"no\n")

    assert wrong == 2
    assert kept(guarded).read_bytes() == before

    new = b"another long one\n"
    right, screen = at_terminal(install, LINE, new, new)

    assert right == 0, screen
    assert kept(guarded).read_bytes() != before


@pytest.mark.parametrize(("first", "second"), [(b"short\n", b"short\n"), (LINE, b"something else\n")])
def test_a_short_or_mistyped_one_is_not_set(home: Path, first: bytes, second: bytes) -> None:
    """Nothing has changed, and that is said."""
    code, screen = at_terminal([SCRIPT, "install", "claude-code", "--passphrase"], first, second)

    assert code == 2
    assert "nothing has changed" in screen
    assert not kept(home).exists()


def test_a_hash_that_cannot_be_read_opens_nothing(guarded: Path, project: Path) -> None:
    """What is broken counts as set."""
    kept(guarded).write_text("{}")
    code, screen = at_terminal([SCRIPT, "trust", "--yes"], cwd=project)

    assert code == 2
    assert "cannot be read" in screen


def test_a_pause_asks_for_it_and_for_a_yes(guarded: Path) -> None:
    """Then calls pass for as long as was said, as with the shim's own pause."""
    file = guarded / "interlock" / "state" / "pause"
    refused, _ = at_terminal([SCRIPT, "pause", "15m"], LINE, b"no\n")

    assert (refused, file.exists()) == (1, False)

    code, screen = at_terminal([SCRIPT, "pause", "15m"], LINE, b"yes\n")

    assert code == 0, screen
    assert 0 < int(file.read_text().split()[0]) - time.time() <= 900
    assert file.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("length", ["0s", "9h", "15", "m", "-5m", "1d"])
def test_a_pause_has_a_length_people_can_read(home: Path, length: str) -> None:
    """Anything else is refused before anybody is asked."""
    code, screen = at_terminal([SCRIPT, "pause", "--", length])

    assert code == 2
    assert "1s to 8h" in screen


def test_a_pause_without_a_terminal_is_none(home: Path) -> None:
    """Without a passphrase too, somebody has to be there."""
    done = subprocess.run(
        [SCRIPT, "pause", "15m"],
        capture_output=True,
        text=True,
        start_new_session=True,
        timeout=60,
        check=False,
    )

    assert done.returncode == 2
    assert "confirmed in a terminal" in done.stderr
    assert not os.path.lexists(home / "interlock" / "state" / "pause")
