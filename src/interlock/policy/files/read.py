"""From a path to a positioned document: size, kind and encoding are checked before any parsing."""

from __future__ import annotations

import os
import stat
from enum import StrEnum
from pathlib import Path
from typing import Final

import msgspec

from interlock.errors import ConfigError, Problem
from interlock.policy.file_watch import note_read
from interlock.policy.files.document import Document
from interlock.policy.files.yaml import read_yaml

MAX_BYTES: Final = 1024 * 1024
_READ: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC  # a pipe may have taken the file's place


class FileKind(StrEnum):
    """The two formats of a policy."""

    GENESIS = "genesis.key"
    HOOKS = "hooks.toml"


def kind_of(path: Path) -> FileKind:
    """Tell the format by the name's ending, as a person who names a file would."""
    if path.suffix == ".toml":
        return FileKind.HOOKS
    if path.suffix == ".json":
        message = "JSON is not a policy format; write a `genesis.key` (YAML) or a `hooks.toml`"
        raise _refusal(path, message)
    return FileKind.GENESIS


def read_bytes(path: Path, *, watched: str = "") -> bytes:
    """Read a policy file whole, if it is a file and of a sane size; `watched`: the path it is known by."""
    try:
        status = path.stat()
        # Opening a pipe or a device could wait for ever.
        if not stat.S_ISREG(status.st_mode):
            raise _refusal(path, "not a regular file; name the policy file itself")
        with os.fdopen(os.open(path, _READ), "rb") as stream:
            note_read(watched or str(path), stream.fileno())
            content = stream.read(MAX_BYTES + 1)
    except OSError as error:
        reason = (error.strerror or "it cannot be opened").lower()
        raise _refusal(path, f"unreadable: {reason}; check the path and its permissions") from error
    if len(content) > MAX_BYTES:
        size = max(status.st_size, len(content))
        raise _refusal(path, f"{size:,} bytes is too large; a policy file has at most {MAX_BYTES:,}")
    return content


def document_of(content: bytes, path: Path, kind: FileKind) -> Document:
    """Parse a file's content; an empty `hooks.toml` has no hooks, an empty `genesis.key` is a mistake."""
    text = _decode(content, path)
    if kind is FileKind.HOOKS:
        from interlock.policy.files.toml import read_toml

        return Document(file=str(path), root=read_toml(text, str(path)))
    root = read_yaml(text, str(path))
    if root is None or root.value is None:
        raise _refusal(path, 'empty policy file; start it with `version: "2.0"`')
    return Document(file=str(path), root=root)


def _decode(content: bytes, path: Path) -> str:
    if b"\0" in content:
        line = content.count(b"\n", 0, content.index(b"\0")) + 1
        raise _refusal(path, "a binary file is not a policy; name a text file", line)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise _refusal(path, "this line is not UTF-8; save the file in that encoding", line) from error


def _refusal(path: Path, message: str, line: int = 1) -> ConfigError:
    return ConfigError((Problem(file=str(path), line=line, path="", message=message),))


class PolicyText(msgspec.Struct, frozen=True, kw_only=True):
    """A policy whose content is at hand, perhaps from an earlier day than the file."""

    shown: Path  # in errors, traces and sources
    content: bytes
    folder: str | None = None  # where its commands run; None: where the event happened
    search: str | None = None  # the PATH of its commands; None: that of the environment
    tightening_only: bool = False  # True: nothing of it runs or changes anything, it can only deny
