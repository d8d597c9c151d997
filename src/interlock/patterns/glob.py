"""Globs as expressions of a linear-time engine."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final

import re2

from interlock.effects.paths.globs import denied_paths, folders_above, pattern_path
from interlock.effects.shell.place import POWER_MARK, REDIRECT_MARK
from interlock.effects.text import has_marks

_WILD: Final = re.compile(r"[*?]")
_LITERAL: Final = re.compile(r"[*?]|[^*?]+")
_BEFORE_WORD: Final = re.compile(r"(?<=\s)(?=\S)")
_UNMARKED: Final = f"[^{REDIRECT_MARK}{POWER_MARK}]"
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


def allow_expression(glob: str) -> str:
    """As an allow of shell commands: wildcards do not cover what is marked, written words do."""
    parts: list[str] = []
    for literal in _LITERAL.finditer(glob):
        text = literal.group()
        if text in {"*", "?"}:
            parts.append(_UNMARKED + ("*" if text == "*" else ""))
        else:
            at_word = literal.start() == 0 or glob[literal.start() - 1].isspace()
            parts.append((f"{POWER_MARK}?" if at_word else "") + _escape_literal(text))
    return "".join(parts)


def _escape_literal(literal: str) -> str:
    """A stretch without wildcards; the words in it may be powers, a `>` may be a redirect that writes."""
    words = (re2.escape(word).replace(r"\>", f"[>{REDIRECT_MARK}]") for word in _BEFORE_WORD.split(literal))
    return f"{POWER_MARK}?".join(words)


def as_written(glob: str) -> Callable[[str], bool]:
    """Whether a text that `command_denial_expression` matches is also matched by the glob as an allow."""
    marked = compiled(lambda: allow_expression(glob))
    begin = glob[:-1] if glob.endswith(" *") else ""
    if begin and not _WILD.search(begin):  # what most patterns are: one call less
        return lambda text: text.startswith(begin) if text.isascii() or not has_marks(text) else marked(text)
    plain = _as_it_stands(glob)
    # Marks are not ASCII, and most texts are nothing else.
    return lambda text: plain(text) if text.isascii() or not has_marks(text) else marked(text)


def _as_it_stands(glob: str) -> Callable[[str], bool]:
    expression = glob_expression(glob)
    if command_denial_expression(glob) == expression:
        return lambda _: True
    return compiled(lambda: expression)


def compiled(expression: Callable[[], str]) -> Callable[[str], bool]:
    """Whether an expression matches a whole text; it is compiled when first asked."""
    found: list[Callable[[str], object]] = []

    def matches(text: str) -> bool:
        if not found:
            options = re2.Options()
            options.dot_nl = True
            found.append(re2.compile(expression(), options).fullmatch)
        return found[0](text) is not None

    return matches


def path_denial_expression(glob: str, home: str) -> str:
    """As a deny of paths: `~`, links and letter case make no difference."""
    return _any_of(denied_paths(glob, home))


def deletion_denial_expression(glob: str, home: str) -> str:
    """As a deny of deleting: a folder that goes takes with it what is in it."""
    return _any_of((*denied_paths(glob, home), *folders_above(glob, home)))


def path_allow_expression(glob: str, home: str) -> str:
    """As an allow of paths."""
    return _any_of(pattern_path(glob, home))


def path_as_written(glob: str, home: str) -> Callable[[str], bool]:
    """Whether a path that `path_denial_expression` matches is also matched by the glob as an allow."""
    return compiled(lambda: path_allow_expression(glob, home))


def _any_of(globs: Iterable[str]) -> str:
    return "|".join(glob_expression(glob) for glob in globs)
