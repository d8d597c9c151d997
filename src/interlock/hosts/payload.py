"""Bytes from a host → one JSON object; anything ambiguous is refused."""

from __future__ import annotations

import json
import math
import re
from typing import Any, Final

import msgspec

from interlock.errors import PayloadError, PayloadKind
from interlock.events.tool import JsonObject

MAX_DEPTH: Final = 100
MAX_VALUES: Final = 200_000  # more would take too long to read
_SHOWN: Final = 80  # characters of a wrong text that a message repeats
_INTEGER_DIGITS: Final = 20  # 64 bits have no more, with the sign
_INTEGERS: Final = range(-(2**63), 2**64)

_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_REPLACEMENT: Final = "\ufffd"
# What may be left where a text was cut: inside a word, a number or an escape.
_WORDS: Final = ("true", "false", "null", "NaN", "-Infinity")
_PIECE: Final = re.compile(r"\.|[eE][+-]?|u[0-9A-Fa-f]{0,4}")
# Always matches, also without the closing quote, so that it is linear on any text.
_STRING: Final = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*"?', re.DOTALL)


class Payload(msgspec.Struct, frozen=True, kw_only=True):
    """One object, as it was sent."""

    fields: JsonObject
    repaired: bool = False  # half characters were replaced by U+FFFD


def read_payload(payload: bytes) -> Payload:
    """Read exactly one object; raise PayloadError for anything else."""
    text = _decode(payload)
    if _values(text) > MAX_VALUES and _values(_STRING.sub("", text)) > MAX_VALUES:
        message = f"the payload contains more than {MAX_VALUES} values; send a smaller one"
        raise PayloadError(PayloadKind.SIZE, message)
    found = _parse(text)
    if not isinstance(found, dict):
        kind = type(found).__name__
        raise PayloadError(PayloadKind.NOT_OBJECT, f"the payload is `{kind}`, expected one JSON object")
    # A text cannot be nested deeper than it has brackets, and most have few.
    if payload.count(b"{") + payload.count(b"[") > MAX_DEPTH:
        _check_depth(found)
    # A half character can only come from an escape: raw ones are not UTF-8.
    if b"\\ud" not in payload and b"\\uD" not in payload:
        return Payload(fields=found)
    whole = _repair(found)
    return Payload(fields=whole, repaired=whole != found)


def _decode(payload: bytes) -> str:
    if b"\0" in payload:
        raise PayloadError(PayloadKind.NUL, "the payload has a zero byte; send it as JSON text")
    try:
        text = payload.decode("utf-8")
    except UnicodeDecodeError as error:
        message = f"the payload is not UTF-8 at byte {error.start}; send it as UTF-8"
        raise PayloadError(PayloadKind.ENCODING, message) from error
    if not text.strip():
        raise PayloadError(PayloadKind.EMPTY, "the payload is empty; send one event on standard input")
    return text


def _values(text: str) -> int:
    """How many values a text has at most, by the characters that come before a value."""
    return 0 if len(text) <= MAX_VALUES else sum(text.count(mark) for mark in ",[{")


def _parse(text: str) -> Any:
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise _flaw(error) from error
    except RecursionError as error:
        raise _too_deep() from error


def _object(pairs: list[tuple[str, Any]]) -> JsonObject:
    members = dict(pairs)
    if len(members) != len(pairs):
        names = [name for name, _ in pairs]
        raise _twice(next(name for name in names if names.count(name) > 1))
    return members


def _float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise _no_number(text)
    return value


def _integer(text: str) -> int:
    # The length is checked first, since a number of a million digits takes long to read.
    if len(text) > _INTEGER_DIGITS or int(text) not in _INTEGERS:
        raise _no_number(text)
    return int(text)


def _constant(text: str) -> Any:
    raise _no_number(text)


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_object, parse_float=_float, parse_int=_integer, parse_constant=_constant
)


def _flaw(error: json.JSONDecodeError) -> PayloadError:
    if error.msg.startswith("Extra data"):
        message = f"the payload continues after its object, at character {error.pos}; send one event"
        return PayloadError(PayloadKind.TRAILING, message)
    rest = error.doc[error.pos :].rstrip()
    cut = any(word.startswith(rest) for word in _WORDS) or _PIECE.fullmatch(rest)
    if cut or error.msg.startswith("Unterminated"):
        return PayloadError(PayloadKind.TRUNCATED, "the payload ends inside its object; send all of it")
    message = f"the payload is not JSON at character {error.pos}; send one JSON object"
    return PayloadError(PayloadKind.SYNTAX, message)


def _twice(name: str) -> PayloadError:
    message = f"the payload has the key {_quote(name)} twice; send it once"
    return PayloadError(PayloadKind.DUPLICATE, message)


def _no_number(text: str) -> PayloadError:
    message = f"the payload has {_quote(text)}, which JSON cannot carry exactly; send a finite 64-bit number"
    return PayloadError(PayloadKind.NUMBER, message)


def _too_deep() -> PayloadError:
    message = f"the payload is nested deeper than {MAX_DEPTH} levels; send a flatter one"
    return PayloadError(PayloadKind.DEPTH, message)


def _quote(text: str) -> str:
    return f"`{_SURROGATE.sub(_REPLACEMENT, text[:_SHOWN])}`"


def _check_depth(value: Any) -> None:
    """Refuse what is nested too deeply, level by level, so that the check itself cannot run out of stack."""
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [inner for outer in level for inner in _children(outer)]
        if not level:
            return
    raise _too_deep()


def _children(value: Any) -> list[Any]:
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [inner for inner in inside if isinstance(inner, dict | list)]


def _repair(value: Any) -> Any:
    """The same value without half characters; keys that become equal are a key written twice."""
    if isinstance(value, str):
        return _SURROGATE.sub(_REPLACEMENT, value)
    if isinstance(value, list):
        return [_repair(inner) for inner in value]
    if isinstance(value, dict):
        return _object([(_repair(name), _repair(inner)) for name, inner in value.items()])
    return value
