"""What arithmetic is given to count with, noted where it may set a variable or run a command."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from interlock.effects.command import Command, GapKind
from interlock.effects.shell.arithmetic import changes, names_counted, runs_in, set_in
from interlock.effects.shell.expand import Inner, single, text_of
from interlock.effects.shell.findings import Findings, env_effect
from interlock.effects.shell.foreign import is_foreign
from interlock.effects.shell.scope import Scope
from interlock.effects.shell.sensitive import is_run_later, is_sensitive
from interlock.effects.shell.syntax import Block, Expansion, Part, Text
from interlock.effects.word import Word

_HEADER: Final = re.compile(r"(?:for|select)\s*\(\((.*?)\)\)", re.DOTALL)
_NUMERIC: Final = frozenset({"-eq", "-ne", "-lt", "-le", "-gt", "-ge"})
_COUNTED: Final = re.compile(r"[0-9\s.,:+*/%()<>=!&|^~?-]*")  # neither a name nor a subscript is in it


def count_names(
    names: tuple[str, ...], scope: Scope, found: Findings, via: tuple[str, ...], written: str
) -> None:
    """Arithmetic evaluates the values of its names, and a value may hold a substitution."""
    set_aside(names, scope, found, via, written)
    count_foreign(names, scope, found, written)
    for name in names:
        value = scope.variables.get(name)
        if value is not None and not _COUNTED.fullmatch(value):
            found.gap(GapKind.OPEN, f"arithmetic evaluates what `{name}` holds", written)
    if names and changes(written):
        scope.forget_any(frozenset(names))


def count_foreign(names: Iterable[str], scope: Scope, found: Findings, written: str) -> None:
    """Text from afar may hold a substitution, too, whether it stands in a variable or in the sum itself."""
    for name in scope.foreign.intersection(names) if scope.foreign else ():
        found.gap(GapKind.OPEN, f"arithmetic evaluates what `{name}` holds", written)
    if found.sources and is_foreign(written, found.sources):
        found.gap(GapKind.OPEN, "arithmetic evaluates text from afar", written)


def count_expansion(part: Expansion, scope: Scope, inner: Inner, via: tuple[str, ...]) -> None:
    """Follow the words of an expansion, and what it counts with."""
    given, settled = text_of(part.parts, scope, inner) if part.parts else ("", False)
    if part.counts:
        _count_given(given if settled else _literal(part.parts), inner.found, part.written)
        count_names(part.counts, scope, inner.found, via, part.written)


def _literal(parts: Iterable[Part]) -> str:
    """What stands there quoted, which arithmetic does not heed."""
    return "".join([part.text for part in parts if type(part) is Text])


def _count_given(text: str, found: Findings, written: str) -> None:
    """What substitutions in a sum are known to print is evaluated like the rest of it."""
    if ("[" in text or "$" in text or "`" in text) and _COUNTED.fullmatch(text) is None:
        found.gap(GapKind.OPEN, "arithmetic evaluates what a substitution prints", written)


def count_header(text: str, scope: Scope, found: Findings, via: tuple[str, ...]) -> None:
    """`for ((…))` counts before each of its turns."""
    if header := _HEADER.match(text):
        count_names(names_counted(header[1]), scope, found, via, header.group())


def count_test(node: Block, scope: Scope, inner: Inner, via: tuple[str, ...]) -> None:
    """`((…))` counts, and so does `[[…]]` with some of its words and the variables that they name."""
    given, settled = text_of(node.parts, scope, inner) if node.parts else ("", False)
    text = inner.text[node.start : node.end]
    if text.startswith("(("):
        _count_given(given if settled else _literal(node.parts), inner.found, text)
        count_names(names_counted(text), scope, inner.found, via, text)
        return
    numeric = scope.foreign and not _NUMERIC.isdisjoint([word.text for word in node.words])
    for word in node.words:
        value = single(word, scope, inner)
        if numeric and not value.fixed:
            count_foreign(names_counted(value.text), scope, inner.found, text)
        meant = Word(scope.variables.get(value.text) or "")
        count_words([value, meant], scope, inner.found, via, text)


def count_words(
    words: Iterable[Word], scope: Scope, found: Findings, via: tuple[str, ...], written: str
) -> None:
    """Words that arithmetic may be given."""
    for word in words:
        text = word.text
        if word.fixed and "[" in text and runs_in(text):
            found.gap(GapKind.OPEN, "a test that evaluates its words", text)
        if "=" in text:
            names = set_in(text)
            set_aside(names, scope, found, via, written)
            scope.forget_any(frozenset(names))


def set_aside(
    names: tuple[str, ...], scope: Scope, found: Findings, via: tuple[str, ...], written: str
) -> None:
    """A loop or arithmetic that may set a variable others obey needs an allow, as an assignment does."""
    for name in names:
        if is_run_later(name, "", fixed=False):
            found.gap(GapKind.OPEN, f"a shell runs what `{name}` holds", written)
        if is_sensitive(name):
            value = Word("", fixed=False)
            found.effects.append(env_effect(name, value, written))
            found.command(
                Command((), written, written, written, (), None, ((name, value),), scope.folder, via)
            )
