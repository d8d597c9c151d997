"""Finds values whose name says that they are secret: `PASSWORD=…`, `"token": "…"`, `--password …`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Any, Final

from interlock.redaction.kinds import compile_bytes
from interlock.redaction.marks import MARK
from interlock.redaction.names import (
    NAME_ENDS,
    WORDS,
    Says,
    expression_of,
    looks_secret,
    means_secret,
    says_with,
    stands_for,
)

Span = tuple[int, int]

_OPENING: Final = re.compile(rb"(\\*)([\"'])")
_PREFIX: Final = re.compile(rb"[bBrRuUfF$]{1,2}(?=\\*[\"'])")  # of a text in a program: `b"…"`, `$'…'`
_BARE: Final = re.compile(rb"(?:[^\s\"'`,;&|<>(){}\[\]\\]|\\+/|\\+u00[2-7][0-9a-fA-F])+")
_TO_END: Final = re.compile(rb"[^\r\n]*")
_SPACE: Final = re.compile(rb"\s")
_COMMENT: Final = re.compile(rb"\s#.*$")
# After a bare word, these show that it is code and not a value.
_CODE_AFTER: Final = frozenset({b"(", b"["})
_MEMBER: Final = re.compile(rb"[A-Za-z_]+(?:\.[A-Za-z_]+)+")
_SHORTEST_BARE: Final = 3
_BEFORE_ON_LINE: Final = re.compile(rb"(?:^|\n)[+ ]?[ \t]*(?:-[ \t]+)?$")
MOST_LOOKS: Final = 2_048  # names in one text; each takes a few microseconds
_LITTLE: Final = 0.25  # a name that says nothing counts less, so that a long test report is still read
_NEAR: Final = 200  # characters before a name in which its line may begin


def names_pattern(own: Collection[str] = ()) -> Any:
    """Return an expression for names that may mean a secret, with the sign or space before the value."""
    words = "|".join((*WORDS, *map(expression_of, own)))
    name = rf"[A-Za-z0-9_.-]*(?:(?i:{words})[A-Za-z0-9_-]*|{NAME_ENDS})"
    sign = r"\\*[\"']?\]?[ \t]{0,8}(?:=>|:=|==?|:)[ \t]{0,8}"
    flag = rf"--?(?:{name})[ \t]+"
    return compile_bytes(rf"({name}){sign}|{flag}")


def assigned_in(text: bytes, names: Any, own: Collection[str] = ()) -> Iterator[Span]:
    """Yield the places of values that are secret by their names and no placeholders."""
    position, looked = 0, 0.0
    while (match := names.search(text, position)) is not None:
        if looked >= MOST_LOOKS:
            # Too many to look at one by one, so the rest is hidden as a whole.
            yield match.start(), len(text)
            return
        written = match.group(1)
        name = _text(written if written is not None else match.group().strip().lstrip(b"-"))
        position = match.end()
        level = says_with(name, own)
        looked += _LITTLE
        if written is None and _is_letter(text[match.start() - 1 : match.start()]):
            continue  # the end of a word, as in `get-secret-value`, is not a flag
        if level is Says.NOTHING:
            continue
        whole_line = written is not None and _is_line(text, match.start(), match.group())
        pieces = list(_values(text, position, whole_line=whole_line))
        if pieces:
            position = max(position, pieces[-1][1])
        value = _text(b"".join(text[start:end] for start, end in pieces))
        if level is Says.DOUBTFUL:
            sign = match.group()[len(written) :] if written is not None else b""
            before = text[max(0, match.start() - _NEAR) : match.start()]
            level = Says.SECRET if means_secret(name, value, sign=sign, before=before) else Says.NOTHING
        looked += 0 if level is Says.NOTHING else 1 - _LITTLE
        if _is_secret(value, name, level) and (_is_quoted(text, pieces[0]) or len(value) >= _SHORTEST_BARE):
            yield from (piece for piece in pieces if piece[0] < piece[1])


def is_member_secret(name: str, value: str, own: Collection[str] = ()) -> bool:
    """Return whether a member of an object is a secret by its name."""
    level = says_with(name, own)
    if level is Says.DOUBTFUL:
        level = Says.SECRET if means_secret(name, value) else Says.NOTHING
    return _is_secret(value, name, level)


def _is_secret(value: str, name: str, level: Says) -> bool:
    if level is Says.NOTHING or stands_for(value, name):
        return False
    return level is Says.SECRET or looks_secret(value)


def _is_line(text: bytes, start: int, written: bytes) -> bool:
    """Return whether this is a line of YAML: a name at the start and a colon."""
    if not written.rstrip(b" \t").endswith(b":") or not written.endswith((b" ", b"\t")):
        return False
    return _BEFORE_ON_LINE.search(text[max(0, start - _NEAR) : start]) is not None


def _values(text: bytes, start: int, *, whole_line: bool) -> Iterator[Span]:
    """Yield the pieces of the value that begins here, quoted or bare."""
    position = start
    while (mark := MARK.match(text, position)) is not None:
        position = mark.end()
    if (prefix := _PREFIX.match(text, position)) is not None:
        position = prefix.end()
    opening = _OPENING.match(text, position)
    if opening is None and whole_line:
        yield from _line(text, position)
        return
    while True:
        opening = _OPENING.match(text, position)
        span = _find_quoted(text, opening) if opening is not None else _bare(text, position)
        if span is None or (opening is not None and position > start and not _joins(text, span, opening)):
            return
        yield span
        # A shell joins what stands side by side: `'abc'def"ghi"`.
        position = span[1] + (len(opening.group()) if opening is not None else 0)
        if opening is not None and text[span[1] : position] != opening.group():
            return  # it was cut off, or closed by a quote of another depth


def _joins(text: bytes, span: Span, opening: re.Match[bytes]) -> bool:
    """Return whether a quote after a bare word continues it; it may close a quote from before the name."""
    closed = text[span[1] : span[1] + len(opening.group())] == opening.group()
    return closed and not _SPACE.search(text, *span)


def _find_quoted(text: bytes, opening: re.Match[bytes]) -> Span | None:
    """Return the quoted value; its closing quote has no more backslashes than the opening one."""
    depth, quote = len(opening.group(1)), opening.group(2)
    start = position = opening.end()
    while (end := text.find(quote, position)) >= 0:
        escapes = 0
        while end - escapes > start and text[end - escapes - 1] == ord("\\"):
            escapes += 1
        if escapes <= depth:
            inner = end - escapes
            if text.find(b"\n", start, inner) >= 0:
                break
            return (start, inner) if not _runs_something(text[start:inner]) else None
        position = end + 1
    # Not closed on its line: cut off, or no quote after all.
    line = _TO_END.match(text, start)
    return line.span() if line and line.group() else None


def _is_letter(before: bytes) -> bool:
    return before.isalnum() or before == b"_"


def _is_quoted(text: bytes, piece: Span) -> bool:
    """Return whether a piece of a value is quoted."""
    return text[piece[0] - 1 : piece[0]] in {b'"', b"'"}


def _runs_something(value: bytes) -> bool:
    """Return whether a value is the output of a command: that is code, which is not hidden."""
    return b"$(" in value or b"`" in value


def _bare(text: bytes, start: int) -> Span | None:
    match = _BARE.match(text, start)
    if match is None:
        return None
    if text[match.end() : match.end() + 1] in _CODE_AFTER or _MEMBER.fullmatch(match.group()):
        return None
    return match.span()


def _line(text: bytes, start: int) -> Iterator[Span]:
    match = _BARE.match(text, start)
    if match is None or text[match.end() : match.end() + 1] in _CODE_AFTER:
        return
    line = _TO_END.match(text, start)
    if line is None:
        return
    end = start + len(_COMMENT.sub(b"", line.group()).rstrip(b" \t,;"))
    if end > start and not _runs_something(text[start:end]):
        yield start, end


def _text(value: bytes) -> str:
    return value.decode("utf-8", "replace")
