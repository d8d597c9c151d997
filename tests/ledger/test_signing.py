"""Laws of the signing key and of what it signs."""

from __future__ import annotations

import stat
import subprocess
import sys
from pathlib import Path

import pytest

from interlock.errors import LedgerError
from interlock.ledger.ends import Signer, canonical, public_key, signature_fault

DOCUMENT = {"seq": 7, "hash": "ab" * 32, "ledger": "x", "rule": "älter als 30d"}


def test_what_was_signed_holds_and_nothing_else_does(tmp_path: Path) -> None:
    """A change of any member, of the key or of the signature is found."""
    signed = Signer(tmp_path / "key").sign(DOCUMENT)

    assert signature_fault(signed) is None
    for name in signed:
        text = str(signed[name])
        other = 8 if name == "seq" else ("1" if text[0] == "0" else "0") + text[1:]
        assert signature_fault({**signed, name: other}) == "its signature is wrong"
    assert signature_fault({**signed, "more": 1}) == "its signature is wrong"
    assert signature_fault(DOCUMENT) == "its signature is wrong"


def test_a_key_that_is_asked_for_must_be_the_one(tmp_path: Path) -> None:
    """Signed by somebody else is said with whose key it is."""
    signed = Signer(tmp_path / "key").sign(DOCUMENT)

    assert signature_fault(signed, [signed["key"]]) is None
    assert signed["key"] in (signature_fault(signed, ["00" * 32]) or "")


def test_the_key_is_made_once_and_is_nobody_elses(tmp_path: Path) -> None:
    """Private from the beginning, and the same for the next process."""
    path = tmp_path / "key"
    first, second = (Signer(path).sign(DOCUMENT)["key"] for _ in range(2))

    assert first == second
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("harm", ["open", "link", "garbage"])
def test_a_key_others_could_know_is_not_used(tmp_path: Path, harm: str) -> None:
    """One sentence that says what to do, and no signature."""
    path = tmp_path / "key"
    Signer(path).sign(DOCUMENT)
    if harm == "open":
        path.chmod(0o644)
    elif harm == "link":
        path.rename(tmp_path / "elsewhere")
        path.symlink_to(tmp_path / "elsewhere")
    else:
        path.write_bytes(b"no key")

    with pytest.raises(LedgerError, match=r"signing key|contains no key"):
        Signer(path).sign(DOCUMENT)


def test_the_signed_bytes_are_plain_sorted_json() -> None:
    """So that anybody can write them again."""
    document = {"b": 1, "a": "é", "signature": "left out"}

    assert canonical(document) == '{"a":"é","b":1}'.encode()


@pytest.mark.deep
def test_a_public_key_is_read_in_both_forms_and_nothing_else(tmp_path: Path) -> None:
    """Digits, or what openssl writes."""
    key = Signer(tmp_path / "key").sign(DOCUMENT)["key"]
    pem = subprocess.run(
        ["openssl", "pkey", "-in", tmp_path / "key", "-pubout"], capture_output=True, check=True, text=True
    ).stdout

    assert public_key(f" {key.upper()}\n") == public_key(pem) == key
    for wrong in ("", "12", "zz" * 32, "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----"):
        with pytest.raises(LedgerError, match="not a public key"):
            public_key(wrong)


@pytest.mark.deep
def test_the_daemon_starts_without_loading_the_library() -> None:
    """The first answer does not wait for what only a signature needs."""
    code = "import sys, interlock.daemon.process; sys.exit('cryptography' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
