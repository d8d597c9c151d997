"""The key that signs what is said of a ledger as a whole, and the one form in which it is signed.

A signature is Ed25519 over the document without `signature`: JSON in UTF-8, members in the order of their
names, no blanks. Its `key` is the public key: a reader needs no more than that, and a reason to trust it.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from interlock.errors import LedgerError
from interlock.events.tool import JsonObject
from interlock.files.own_files import read_private, write_whole

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

FILE: Final = "ledger-signing.key"
_SORTED: Final = msgspec.json.Encoder(order="sorted")
_LONGEST: Final = 4_096


class Signer:
    """Signs with the key in a file of ours, made at the first signature; the library is loaded then too."""

    def __init__(self, path: Path) -> None:
        self._path: Final = path
        self._key: Ed25519PrivateKey | None = None

    def sign(self, document: JsonObject) -> JsonObject:
        """The document with `key` and `signature`."""
        key = self._key = self._key or _read(self._path) or _make(self._path)
        named = {**document, "key": key.public_key().public_bytes_raw().hex()}
        return {**named, "signature": key.sign(canonical(named)).hex()}


def canonical(document: JsonObject) -> bytes:
    """The bytes that are signed: everything but the signature itself."""
    return _SORTED.encode({name: value for name, value in document.items() if name != "signature"})


def signature_fault(document: JsonObject, keys: Collection[str] = ()) -> str | None:
    """What is wrong with a document's signature, if anything; with `keys` it must be by one of them."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        key = bytes.fromhex(str(document["key"]))
        Ed25519PublicKey.from_public_bytes(key).verify(
            bytes.fromhex(str(document["signature"])), canonical(document)
        )
    except (InvalidSignature, KeyError, ValueError):
        return "its signature is wrong"
    if keys and key.hex() not in keys:
        return f"it is signed with another key, {key.hex()}"
    return None


def public_key(text: str) -> str:
    """A public key from 64 digits or a PEM text, in the form documents name it."""
    bare = text.strip()
    try:
        if bare.startswith("-----BEGIN"):
            return _from_pem(bare)
        if len(bytes.fromhex(bare)) == 32:  # noqa: PLR2004 - the length of an Ed25519 key
            return bare.lower()
    except ValueError:
        pass
    raise LedgerError(
        "that is not a public key; give 64 hexadecimal digits, or a file with them or with a PEM key"
    )


def _from_pem(text: str) -> str:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    key = load_pem_public_key(text.encode())
    if not isinstance(key, Ed25519PublicKey):
        raise LedgerError("that is not an Ed25519 key; checkpoints are only signed with Ed25519")
    return key.public_bytes_raw().hex()


def _read(path: Path) -> Ed25519PrivateKey | None:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        text = read_private(path, _LONGEST)
    except FileNotFoundError:
        return None
    except OSError as error:  # also when others could read it, and so sign in our name
        raise LedgerError(
            f"cannot read the signing key `{path}`: {error.strerror}; move it away and a new one is made"
        ) from error
    try:
        key = load_pem_private_key(text, None)
    except (ValueError, TypeError) as error:
        raise LedgerError(f"`{path}` contains no key; move it away and a new one is made") from error
    if not isinstance(key, Ed25519PrivateKey):
        raise LedgerError(f"`{path}` contains another kind of key; move it away and a new one is made")
    return key


def _make(path: Path) -> Ed25519PrivateKey:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import (
        Encoding,
        NoEncryption,
        PrivateFormat,
    )

    key = Ed25519PrivateKey.generate()
    text = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    try:
        write_whole(path, text, mode=0o600)
    except OSError as error:
        raise LedgerError(
            f"cannot save a signing key at `{path}`: {error.strerror}; check the disk"
        ) from error
    return key
