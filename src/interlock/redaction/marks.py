"""The key of the fingerprints of secrets, and the words of a call that stay visible to those who judge it."""

from __future__ import annotations

import hmac
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from interlock.effects.command import INLINE
from interlock.effects.effect import EffectKind
from interlock.effects.reading import read_call, read_effects
from interlock.errors import StoreError
from interlock.events.event import Event
from interlock.events.tool import SubjectKind, ToolCall, ToolTable
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.files.own_files import read_private, write_whole

KEY_FILE: Final = "redaction.key"
_BYTES: Final = 32


def redaction_key(state: Path) -> bytes:
    """Read the key, or make one; two fingerprints are alike for equal secrets only under the same key."""
    path = state / KEY_FILE
    try:
        return _read_key(path)
    except FileNotFoundError:
        key = os.urandom(_BYTES)
        write_whole(path, key.hex().encode() + b"\n", mode=0o600)
        return key
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise StoreError(f"cannot read `{path}`: {reason}; delete it and a new key is made") from error


def _read_key(path: Path) -> bytes:
    text = read_private(path, 4 * _BYTES).strip()
    try:
        key = bytes.fromhex(text.decode("ascii"))
    except ValueError:
        key = b""
    if len(key) != _BYTES:
        raise StoreError(f"`{path}` contains no key; delete it and a new one is made")
    return key


# Without a key the mark has no fingerprint, only the kind.
MARK: Final = re.compile(rb"\[secret:[a-z0-9_]{1,32}(?::[0-9a-f]{16})?\]")
_DIGITS: Final = 16
_ESCAPED: Final = re.compile(rb"\\+(?:u00([0-9a-fA-F]{2})|([/\"'\\]))")


def mark_of(kind: str, secret: bytes, key: bytes | None) -> bytes:
    """The text that replaces a secret."""
    if key is None:
        return f"[secret:{kind}]".encode()
    return f"[secret:{kind}:{fingerprint(secret, key)}]".encode()


def fingerprint(secret: bytes, key: bytes) -> str:
    """The same for the same secret under one key, however a JSON text around it has escaped it."""
    plain = _ESCAPED.sub(_unescape, secret) if b"\\" in secret else secret
    return hmac.digest(key, plain, "sha256").hex()[:_DIGITS]


def _unescape(found: re.Match[bytes]) -> bytes:
    digits, plain = found.groups()
    return bytes((int(digits, 16),)) if digits else bytes(plain)


def marks_in(text: bytes) -> list[tuple[int, int]]:
    """Where marks stand already: they are never touched, so that redacting twice changes nothing."""
    return [found.span() for found in MARK.finditer(text)] if b"[secret:" in text else []


# A variable's value may be the very secret; all other targets are shown.
_SHOWN: Final = frozenset(EffectKind) - {EffectKind.ENV}
# In a text too long to be read while others wait: what begins a command, what has a path's or a host's shape.
_BEGINS: Final = re.compile(r"(?:^|[\n;|&({`]|\$\()[ \t]*([^\s;|&(){}<>\"'`=]+)(?:[\s;|&)]|$)")
_PATHS: Final = re.compile(r"(?<![\w.~-])(?:~[\w-]*|\.{1,2})?/[^\s;|&(){}<>\"'`:,=]+")
_HOSTS: Final = re.compile(r"://(?:[^\s/@\"']*@)?([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])")
_MOST: Final = 2_048


def visible_words(event: Event, tools: ToolTable = STANDARD_TOOLS) -> frozenset[str]:
    """Programs, paths and hosts as they are written in a call; the folder it runs in, too."""
    found = {event.cwd, event.project or ""}
    if event.tool is not None:
        found.update(word for word, _ in zip(_words(event.tool, event, tools), range(_MOST), strict=False))
    return frozenset(word for word in found if word)


def _words(tool: ToolCall, event: Event, tools: ToolTable) -> Iterator[str]:
    spec = tools.spec(tool.name)
    main = tool.input.get(spec.main or "") if spec is not None else None
    if isinstance(main, str) and spec is not None and spec.kind is SubjectKind.SHELL and len(main) > INLINE:
        yield from _by_looks(main)
        return
    reading = read_call(tool, spec, event.cwd, event.project)
    for command in reading.commands:
        if command.words:
            yield command.words[0].text
    for effect in read_effects(reading, tool, spec, event.cwd, event.project):
        if effect.kind in _SHOWN and effect.target not in {"", "*", ".", "/"}:
            yield effect.target
    for text in _texts(tool.input):
        yield from _HOSTS.findall(text)


def _by_looks(text: str) -> Iterator[str]:
    for pattern in (_BEGINS, _PATHS, _HOSTS):
        yield from (found.group(found.lastindex or 0) for found in pattern.finditer(text))


def _texts(value: Any) -> Iterator[str]:
    """The texts of an input that may hold an address; those deep inside are contents, not calls."""
    for inner in value.values() if isinstance(value, dict) else ():
        if isinstance(inner, str) and len(inner) <= INLINE:
            yield inner
