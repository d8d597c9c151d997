"""What a user adds to the table: patterns and names of their own."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

import msgspec
import re2

from interlock.errors import PatternError
from interlock.redaction.names import normal_name

_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_. -]{1,63}")
_MEMORY: Final = 8 * 1024 * 1024


class Own(msgspec.Struct, frozen=True, kw_only=True):
    """Regular expressions whose matches are secret, and names whose values are."""

    patterns: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


NOTHING_OWN: Final = Own()


def compile_pattern(pattern: str) -> Any:
    """A pattern for bytes in UTF-8; PatternError when RE2 cannot run it or its groups are unclear."""
    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MEMORY
    try:
        found = re2.compile(pattern.encode(), options)
    except re2.error as error:
        raise PatternError(f"`{pattern}` is not a regular expression that RE2 supports") from error
    if found.groups > 1:
        raise PatternError(
            f"`{pattern}` has {found.groups} groups; keep one around what is secret, write others `(?:…)`"
        )
    return found


_SHORTEST: Final = 2  # one letter would name anything


def check_name(name: str) -> str:
    """A name as it was written; PatternError when it could be none."""
    if _NAME.fullmatch(name) is None or len(normal_name(name)) < _SHORTEST:
        raise PatternError(
            f"`{name}` is not a name; write letters, digits, `_`, `-`, `.`, and start with a letter"
        )
    return name


def compile_patterns(patterns: Sequence[str]) -> tuple[Any, ...]:
    """Every pattern, ready to run."""
    return tuple(compile_pattern(pattern) for pattern in patterns)
