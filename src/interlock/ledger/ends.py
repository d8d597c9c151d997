"""What is signed about a ledger: where it begins after retention, and checkpoints of where it ends.

A signature is Ed25519 over the document without `signature`: JSON in UTF-8, members in the order of their
names, no blanks. Its `key` is the public key; a reader needs only that, and a reason to trust it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Generic, Literal, NamedTuple, TypeVar

import msgspec
from msgspec import Meta

from interlock.errors import LedgerError
from interlock.events.tool import JsonObject
from interlock.files.own_files import read_private, write_whole
from interlock.ledger.entry import ZERO, Entry, Head
from interlock.store.errors import explain_errors
from interlock.store.statements import statements

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey


FILE: Final = "ledger-signing.key"
_SORTED: Final = msgspec.json.Encoder(order="sorted")
_LONGEST_KEY: Final = 4_096


class Signer:
    """Signs with the key in a private file; the first signature makes the key and loads the library."""

    def __init__(self, path: Path) -> None:
        self._path: Final = path
        self._key: Ed25519PrivateKey | None = None

    def sign(self, document: JsonObject) -> JsonObject:
        """The document with `key` and `signature`."""
        key = self._key = self._key or _read(self._path) or _make(self._path)
        named = {**document, "key": key.public_key().public_bytes_raw().hex()}
        return {**named, "signature": key.sign(canonical(named)).hex()}


def canonical(document: JsonObject) -> bytes:
    """The bytes that are signed: the document without its signature."""
    return _SORTED.encode({name: value for name, value in document.items() if name != "signature"})


def signature_fault(document: JsonObject, keys: Collection[str] = ()) -> str | None:
    """What is wrong with a signature, if anything; with `keys`, one of them must have made it."""
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
    """A public key as 64 hexadecimal digits, from those digits or a PEM text."""
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
        text = read_private(path, _LONGEST_KEY)
    except FileNotFoundError:
        return None
    except OSError as error:  # also if others can read the key, and so could sign in our name
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
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    key = Ed25519PrivateKey.generate()
    text = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    try:
        write_whole(path, text, mode=0o600)
    except OSError as error:
        raise LedgerError(
            f"cannot save a signing key at `{path}`: {error.strerror}; check the disk"
        ) from error
    return key


RETENTION_FORMAT: Final = "interlock-retention/1"


class Base(NamedTuple):
    """The name of a ledger, and the last entry that retention removed."""

    ledger: str
    seq: int = 0
    hash: bytes = ZERO
    entry: int | None = None  # the `retention` entry that says so
    signature: str | None = None

    @property
    def head(self) -> Head:
        """What the first entry follows."""
        return Head(self.seq, self.hash)


_Digits = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]


class _Signed(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    @property
    def document(self) -> JsonObject:
        """The record as it is written and signed."""
        return msgspec.structs.asdict(self)


class Removal(_Signed, frozen=True, kw_only=True):
    """The body of a `retention` entry; the members are in the order of their names."""

    count: int
    first: int
    format: Literal["interlock-retention/1"]
    hash: _Digits  # of the last entry removed, which the first one left follows
    key: str
    last: int
    ledger: str
    rule: str
    signature: str
    ts: str


class Checkpoint(_Signed, frozen=True, kw_only=True):
    """The body of a `checkpoint` entry; the members are in the order of their names."""

    entries: int  # how many the ledger held
    format: Literal["interlock-checkpoint/1"]
    hash: _Digits  # of the entry `seq`
    key: _Digits  # the public key it is signed with
    ledger: str  # the name of the ledger
    seq: int
    signature: Annotated[str, Meta(pattern="^[0-9a-f]{128}$")]
    ts: str

    @property
    def head(self) -> Head:
        """The end of the chain that was signed."""
        return Head(self.seq, bytes.fromhex(self.hash))


def read_base(connection: sqlite3.Connection) -> Base:
    with explain_errors("cannot read the ledger", LedgerError):
        found = connection.execute(statements("proof")["base"]).fetchone()
    if found is None:
        raise LedgerError("the ledger does not say where it starts: that row was removed; restore a backup")
    return Base(*found)


def make_removal(base: Base, last: Head, rule: str, ts: str, signer: Signer) -> Removal:
    """Sign what is about to be removed."""
    document: JsonObject = {
        "count": last.seq - base.seq,
        "first": base.seq + 1,
        "format": RETENTION_FORMAT,
        "hash": last.hash.hex(),
        "last": last.seq,
        "ledger": base.ledger,
        "rule": rule,
        "ts": ts,
    }
    return msgspec.convert(signer.sign(document), Removal)


Found = TypeVar("Found")


class _Record(msgspec.Struct, Generic[Found], frozen=True):
    body: Found


def removal_in(payload: bytes) -> Removal | None:
    """The body of a `retention` entry, or None if the payload is something else."""
    return _decode_body(payload, _Record[Removal])


def checkpoint_in(payload: bytes) -> Checkpoint | None:
    """The body of a `checkpoint` entry, or None if the payload is something else."""
    return _decode_body(payload, _Record[Checkpoint])


def _decode_body(payload: bytes, kind: type[_Record[Found]]) -> Found | None:
    try:
        return msgspec.json.decode(payload, type=kind).body
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None


def last_removal(connection: sqlite3.Connection) -> tuple[int, Removal] | None:
    """The newest `retention` entry: its seq and its body."""
    found = connection.execute(statements("proof")["last_retention"]).fetchone()
    removal = removal_in(found[1]) if found else None
    return (found[0], removal) if removal is not None else None


def entry_at(connection: sqlite3.Connection, seq: int) -> Entry | None:
    row = connection.execute(statements("ledger")["by_seq"], (seq,)).fetchone()
    return Entry(*row) if row else None


CHECKPOINT_FORMAT: Final = "interlock-checkpoint/1"
_LONGEST: Final = 65_536


def make_checkpoint(base: Base, head: Head, ts: str, signer: Signer) -> Checkpoint:
    """Sign the end of a chain."""
    document: dict[str, Any] = {
        "entries": head.seq - base.seq,
        "format": CHECKPOINT_FORMAT,
        "hash": head.hash.hex(),
        "ledger": base.ledger,
        "seq": head.seq,
        "ts": ts,
    }
    return msgspec.convert(signer.sign(document), Checkpoint)


def read_checkpoint(path: Path) -> Checkpoint:
    """Read a checkpoint from a file; its signature is checked when it is compared."""
    try:
        with path.open("rb") as file:
            content = file.read(_LONGEST)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise LedgerError(f"cannot read the checkpoint `{path}`: {reason}; name another file") from error
    try:
        return msgspec.json.decode(content, type=Checkpoint)
    except (msgspec.DecodeError, UnicodeError) as error:
        raise LedgerError(
            f"`{path}` is not a checkpoint: {error}; `interlock ledger checkpoint --out FILE` writes one"
        ) from error
