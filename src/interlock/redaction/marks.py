"""The marks that replace secrets, their key, and the words of a call that stay visible."""

from __future__ import annotations

import hmac
import os
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import re2

from interlock.effects.command import INLINE
from interlock.effects.effect import EffectKind
from interlock.effects.reading import read_call, read_effects
from interlock.errors import StoreError
from interlock.events.event import Event
from interlock.events.tool import SubjectKind, ToolCall, ToolTable
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.files.own_files import read_private, write_whole
from interlock.redaction.kinds import OWN, Span, compile_bytes

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
    """Return the text that replaces a secret."""
    if key is None:
        return f"[secret:{kind}]".encode()
    return f"[secret:{kind}:{fingerprint(secret, key)}]".encode()


def fingerprint(secret: bytes, key: bytes) -> str:
    """Return a digest that is the same for equal secrets under one key, also if JSON has escaped them."""
    plain = _ESCAPED.sub(_unescape, secret) if b"\\" in secret else secret
    return hmac.digest(key, plain, "sha256").hex()[:_DIGITS]


def _unescape(match: re.Match[bytes]) -> bytes:
    digits, plain = match.groups()
    return bytes((int(digits, 16),)) if digits else bytes(plain)


def marks_in(text: bytes) -> list[tuple[int, int]]:
    """Return the places of marks; they stay, so that redacting twice changes nothing."""
    return [match.span() for match in MARK.finditer(text)] if b"[secret:" in text else []


# A variable's value may be the very secret; all other targets are shown.
_SHOWN: Final = frozenset(EffectKind) - {EffectKind.ENV}
# In a text too long to be read while others wait: what begins a command, what has a path's or a host's shape.
_BEGINS: Final = re.compile(r"(?:^|[\n;|&({`]|\$\()[ \t]*([^\s;|&(){}<>\"'`=]+)(?:[\s;|&)]|$)")
_PATHS: Final = re.compile(r"(?<![\w.~-])(?:~[\w-]*|\.{1,2})?/[^\s;|&(){}<>\"'`:,=]+")
_HOSTS: Final = re.compile(r"://(?:[^\s/@\"']*@)?([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])")
_MOST: Final = 2_048


def visible_words(event: Event, tools: ToolTable = STANDARD_TOOLS) -> frozenset[str]:
    """Return the programs, paths and hosts in a call, and the folder it runs in."""
    words = {event.cwd, event.project or ""}
    if event.tool is not None:
        words.update(word for word, _ in zip(_words(event.tool, event, tools), range(_MOST), strict=False))
    return frozenset(word for word in words if word)


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
        yield from (match.group(match.lastindex or 0) for match in pattern.finditer(text))


def _texts(value: Any) -> Iterator[str]:
    """Yield the texts of an input that may contain an address; nested texts are contents."""
    for inner in value.values() if isinstance(value, dict) else ():
        if isinstance(inner, str) and len(inner) <= INLINE:
            yield inner


# After so many secrets, the rest of a text is hidden as one, so that the text never grows much.
MOST_MARKS: Final = 256
_ASCII: Final = 127


def hide(
    text: bytes, spans: Iterable[Span], key: bytes | None, visible: Sequence[tuple[int, int]] = ()
) -> bytes:
    """The text with a mark for every stretch; earlier marks and visible words stay."""
    merged = _limit_marks(_merge(spans))
    if not merged:
        return text
    holes = sorted([*marks_in(text), *visible])
    parts: list[bytes] = []
    done = 0
    for start, end, kind, _ in _without(merged, holes, text):
        parts += (text[done:start], mark_of(kind, text[start:end], key))
        done = end
    parts.append(text[done:])
    return b"".join(parts) if done else text


def _merge(spans: Iterable[Span]) -> list[Span]:
    """Merge overlapping spans under the name of the first."""
    merged: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        last = merged[-1] if merged else None
        if last and (span.start < last.end or (span.start == last.end and span.kind == last.kind)):
            merged.pop()
            merged.append(Span(last.start, max(last.end, span.end), last.kind))
        else:
            merged.append(span)
    return merged


def _limit_marks(spans: list[Span]) -> list[Span]:
    if len(spans) <= MOST_MARKS:
        return spans
    first = spans[MOST_MARKS - 1]
    return [*spans[: MOST_MARKS - 1], Span(first.start, spans[-1].end, first.kind)]


def _without(spans: Iterable[Span], holes: Sequence[tuple[int, int]], text: bytes) -> Iterable[Span]:
    """Yield the parts of spans outside the holes, except those without a letter or digit."""
    index = 0
    for start, end, kind, _ in spans:
        position, cut = start, False
        while index < len(holes) and holes[index][1] <= start:
            index += 1
        at = index
        while at < len(holes) and holes[at][0] < end:
            cut = True
            if holes[at][0] > position and _tells(text[position : holes[at][0]]):
                yield Span(position, holes[at][0], kind)
            position = max(position, holes[at][1])
            at += 1
        if position < end and (not cut or _tells(text[position:end])):
            yield Span(position, end, kind)


def _tells(piece: bytes) -> bool:
    return any(byte > _ASCII or chr(byte).isalnum() for byte in piece)


_GROUP: Final = 64  # words in one expression
_LONGEST: Final = 4_096  # characters of a word: no path is longer
_MEMORY: Final = 64 * 1024 * 1024
# A shell reads `r\m`, `"r"m` and `rm` alike.
_QUOTES: Final = r"[\\\"']*"


class VisibleWords:
    """Finds words in a text; with a letter or digit beside it, a word is part of another."""

    def __init__(self, words: Collection[str]) -> None:
        usable = sorted({word for word in words if word and len(word) <= _LONGEST}, key=len, reverse=True)
        self._words: Final = usable
        self._patterns: list[Any] | None = None

    def spans(self, text: bytes) -> Sequence[tuple[int, int]]:
        """Return the places of the words."""
        if not self._words:
            return ()
        if self._patterns is None:
            self._patterns = list(_compile(self._words))
        return sorted({span for pattern in self._patterns for span in _find_words(pattern, text)})

    def around(self, text: bytes, spans: Iterable[Span]) -> tuple[Sequence[tuple[int, int]], VisibleWords]:
        """Return what stays visible around secrets in paths, and the words to keep in the next round."""
        places = self.spans(text)
        sure = sorted((span for span in spans if span.sure), key=lambda span: span.start) if places else []
        if not any(_part(text, place, span) for place in places for span in sure):
            return places, self
        pieces = [piece for place in places for piece in _pieces(text, place, sure)]
        words = (text[start:end].decode("utf-8", "replace") for start, end in pieces)
        return pieces, VisibleWords([*self._words, *words])


def _part(text: bytes, place: tuple[int, int], span: Span) -> bool:
    """Return whether a secret is a part of a path, so that only it has to be hidden."""
    start, end = place
    inside = start <= span.start and span.end <= end and b"/" not in text[span.start : span.end]
    return inside and (span.kind != OWN or (span.start, span.end) != place)


def _pieces(text: bytes, place: tuple[int, int], sure: Iterable[Span]) -> Iterator[tuple[int, int]]:
    start, end = place
    for span in sure:
        if span.start >= start and _part(text, (start, end), span):
            if start < span.start:
                yield start, span.start
            start = span.end
    if start < end:
        yield start, end


def _compile(words: Sequence[str]) -> Iterator[Any]:
    for first in range(0, len(words), _GROUP):
        group = words[first : first + _GROUP]
        yield compile_bytes("|".join(map(_spelling, group)), longest_match=True, max_mem=_MEMORY)


def _spelling(word: str) -> str:
    letters = word.encode("utf-8", "replace").decode("latin-1")
    return _QUOTES.join(map(re2.escape, letters))


def _find_words(pattern: Any, text: bytes) -> Iterator[tuple[int, int]]:
    position = 0
    while (match := pattern.search(text, position)) is not None:
        start, end = match.span()
        if _apart(text, start, start - 1) and _apart(text, end - 1, end):
            yield start, end
            position = end
        else:
            position = start + 1


def _apart(text: bytes, inside: int, outside: int) -> bool:
    """Return whether a word ends between two neighbouring bytes."""
    if not 0 <= outside < len(text):
        return True
    return not (_is_letter(text[inside]) and _is_letter(text[outside]))


def _is_letter(byte: int) -> bool:
    return byte == ord("_") or chr(byte).isalnum()
