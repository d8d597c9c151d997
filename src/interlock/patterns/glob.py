"""Globs as expressions of a linear-time engine."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

import re2

_WILD: Final = re.compile(r"[*?]")
_FINAL_FLAG: Final = re.compile(r"(?P<before>.*\S) (?P<flag>--[A-Za-z0-9][\w-]*)", re.DOTALL)


def glob_expression(glob: str) -> str:
    """`*` is any run of characters, `?` is one, everything else is itself."""
    parts: list[str] = []
    last = 0
    for wild in _WILD.finditer(glob):
        parts.append(re2.escape(glob[last : wild.start()]))
        parts.append(".*" if wild.group() == "*" else ".")
        last = wild.end()
    parts.append(re2.escape(glob[last:]))
    return "".join(parts)


def command_denial_expression(glob: str) -> str:
    """As a deny of shell commands: a final ` --flag` stands anywhere, a final ` *` may be nothing."""
    flagged = _FINAL_FLAG.fullmatch(glob)
    if flagged is not None:
        before, flag = glob_expression(flagged["before"]), re2.escape(flagged["flag"])
        return rf"{before}(?:\s.*)?\s{flag}(?:[\s=].*)?"
    if glob.endswith(" *") and glob.strip(" *"):
        return rf"{glob_expression(glob[:-2])}(?:\s.*)?"
    return glob_expression(glob)


def as_written(glob: str) -> Callable[[str], bool]:
    """Whether a text that `command_denial_expression` matches is also matched by the glob as it stands."""
    literal = glob[:-1] if glob.endswith(" *") else None
    if literal is not None and not _WILD.search(literal):
        return lambda text: text.startswith(literal)
    expression = glob_expression(glob)
    if command_denial_expression(glob) == expression:
        return lambda _: True
    options = re2.Options()
    options.dot_nl = True
    compiled = re2.compile(expression, options)
    return lambda text: compiled.fullmatch(text) is not None
