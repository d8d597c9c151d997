"""Laws of the passphrase before a yes."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from interlock.errors import ApprovalError, InterlockError
from interlock.files.passphrase import PassphraseGate, hash_passphrase

SECRET = "correct horse battery"


class Clock:
    """A time that is moved by hand."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Where the hash of a passphrase lies."""
    place = tmp_path / "passphrase"
    place.write_bytes(msgspec.json.encode(hash_passphrase(SECRET)))
    return place


def test_where_none_is_set_none_is_asked(tmp_path: Path) -> None:
    """Anything passes, also nothing."""
    PassphraseGate(tmp_path / "passphrase").check(None)


@pytest.mark.req("Z02")
def test_where_one_is_set_it_must_be_given(file: Path) -> None:
    """The right one passes; nothing, a number or another text does not."""
    clock = Clock()
    gate = PassphraseGate(file, clock=clock)
    gate.check(SECRET)
    for wrong in (None, 7, "", SECRET + " "):
        clock.now += 10
        with pytest.raises(ApprovalError):
            gate.check(wrong)


@pytest.mark.req("Z02")
def test_whoever_guesses_has_to_wait(file: Path) -> None:
    """After a miss even the right one is not looked at for a moment."""
    clock = Clock()
    gate = PassphraseGate(file, clock=clock)
    with pytest.raises(ApprovalError, match="not your passphrase"):
        gate.check("wrong")
    with pytest.raises(ApprovalError, match="wait a moment"):
        gate.check(SECRET)
    clock.now += 2
    gate.check(SECRET)


def test_a_file_nobody_can_read_opens_nothing(file: Path) -> None:
    """Damage is no way in."""
    file.write_bytes(b"{}")

    with pytest.raises(InterlockError, match="remove the file yourself"):
        PassphraseGate(file).check(SECRET)
