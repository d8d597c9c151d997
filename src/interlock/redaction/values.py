"""Whether a text in the place of a secret is one, or only stands for one."""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import Any, Final

import re2


def _any_of(*patterns: str) -> str:
    return "|".join(patterns)


# `$NAME`, `${…}`, `$(…)`, `{{ … }}`, `<your key>`, `%NAME%`, `%s`, `{name}`, `:name`, `@file`, `***`
_STANDS_FOR: Final = _any_of(
    r"\$[A-Za-z_{(\[].*",  # a variable, an expression of a pipeline, a command's output
    "`.*",
    r"\{\{.*\}\}",
    r"#?\{[A-Za-z_][\w.\[\]()'\"!:]*\}",
    "<[^<>]*>",
    r"\[[^\[\]]*\]",
    r"%[A-Za-z_]\w*%",
    r"%\(?\w*\)?[a-z]",
    r"@[\w./~-]+",
    r":[A-Za-z_]\w*",
    "[*.•…?xX_-]+",
)
_WORDS: Final = (
    "your|my|the|some|any|a|an|enter|insert|put|add|replace|example|sample|dummy|fake|test|mock|"
    "redacted|hidden|masked|removed|placeholder|change|change_?-?me|password|passwd|secret|token|"
    "api_?-?key|key|value|here|goes|xxx|todo|none|null|nil|undefined|true|false|yes|no|str|string|int|"
    "bytes|bool|boolean|any|object|optional|char|varchar|text|required|empty|unset|default|flag|option|"
    "argument|field|prompt|is|to|and|or|for|in|of|with|from|env|environment|variable|file|stdin|as|by|"
    "on"
)
_PLACEHOLDER: Final = rf"(?i:(?:{_WORDS}|[ _./-])+[!?.,;:]*)"
_PATH: Final = _any_of(
    r"(?:~[\w-]*|\.{1,2})?(?:/[\w.@+,-]+){2,}/?",
    r"(?:~|\.{1,2})/[\w.@+,/-]*",
    r"[A-Za-z]:\\[\w.\\ -]+",
)
_ADDRESS: Final = r"[A-Za-z][A-Za-z0-9+.-]*://\S*"


def _whole(*patterns: str) -> Any:
    # Linear, whatever an agent writes as a value.
    options = re2.Options()
    options.dot_nl = True
    return re2.compile("|".join(f"(?:{pattern})" for pattern in patterns), options).fullmatch


_is_placeholder: Final = _whole(_STANDS_FOR, _PLACEHOLDER, _ADDRESS)
_is_path: Final = _whole(_PATH)
_PARTS: Final = re.compile(r"[/\\]")
_SHORTEST_PERHAPS: Final = 8
_LONG: Final = 16
_BITS: Final = 3.0
_RANDOM_LENGTH: Final = 20
_RANDOM_BITS: Final = 3.5
_JUDGED: Final = 512  # characters of a value that its looks are judged by


def stands_for(value: str, name: str = "") -> bool:
    """Whether it is a variable, a placeholder, a path or an address: nothing to hide."""
    value = value.strip()
    if not value or value == name:
        return True
    if len(value) > _JUDGED:
        return value[:2] in {"${", "$("}
    if _is_placeholder(value):
        return True
    return bool(_is_path(value)) and not any(looks_random(part) for part in _PARTS.split(value))


def looks_secret(value: str) -> bool:
    """Whether a value beside a name that only perhaps says so is too irregular for a word."""
    judged = value.strip()[:_JUDGED]
    if len(judged) < _SHORTEST_PERHAPS or any(c.isspace() for c in judged):
        return False
    if not has_letters_and_digits(judged):
        return False
    return len(judged) < _LONG or bits(judged) >= _BITS


def looks_random(text: str) -> bool:
    """Whether a run of characters is nothing a person would type."""
    judged = text[:_JUDGED]
    return len(judged) >= _RANDOM_LENGTH and has_letters_and_digits(judged) and bits(judged) >= _RANDOM_BITS


def has_letters_and_digits(text: str) -> bool:
    """Whether there are letters and digits in it."""
    return any(c.isalpha() for c in text) and any(c.isdigit() for c in text)


def bits(text: str) -> float:
    """The entropy of its characters, in bits each."""
    length = len(text)
    return -sum(n / length * math.log2(n / length) for n in Counter(text).values())
