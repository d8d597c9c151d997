"""Arithmetic: noted where it may set a variable or run a command."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from interlock.effects.command import Command, GapKind
from interlock.effects.effect import Word, text_of_word
from interlock.effects.programs.lookup import base_name
from interlock.effects.shell.builtins import evaluates_subscript, reads_command
from interlock.effects.shell.expand import single, text_of
from interlock.effects.shell.expansions import names_counted, runs_in, set_in, sets_variable
from interlock.effects.shell.feed import Feed, FeedKind
from interlock.effects.shell.findings import Findings, env_effect
from interlock.effects.shell.names import is_run_later, is_sensitive, names_in
from interlock.effects.shell.scope import Scope
from interlock.effects.shell.syntax import Block, Expansion, Part, Text

if TYPE_CHECKING:
    from interlock.effects.shell.walk import Walker

# These print text from elsewhere unchanged; other programs at the end of a pipe (`wc`, `jq`) do not.
_PASSING: Final = frozenset(
    "curl wget http https xh nc ncat socat base64 base32 xxd uudecode rev openssl cat head tail tee".split()
)
_ASKED: Final = re.compile(
    r"%\{|\s-\w*[Iw]\b|--head|--write-out"
)  # facts about a response, not its text: `curl -w '%{http_code}'`
_QUOTES: Final = "\"'`"


def is_foreign(value: str, sources: Iterable[str]) -> bool:
    """Return whether a value contains the unchanged output of one of these substitutions."""
    return any(written in value and _gives_all(written) for written in sources)


def _gives_all(written: str) -> bool:
    last = written.strip(_QUOTES).removeprefix("$(").removesuffix(")").rpartition("|")[2].split(maxsplit=1)
    if not last or base_name(last[0]) not in _PASSING:
        return False
    return len(last) == 1 or _ASKED.search(f" {last[1]}") is None


_HEADER: Final = re.compile(r"(?:for|select)\s*\(\((.*?)\)\)", re.DOTALL)
_NUMERIC: Final = frozenset({"-eq", "-ne", "-lt", "-le", "-gt", "-ge"})
_COUNTED: Final = re.compile(r"[0-9\s.,:+*/%()<>=!&|^~?-]*")  # neither a name nor a subscript is in it


def count_names(
    names: tuple[str, ...], scope: Scope, findings: Findings, via: tuple[str, ...], written: str
) -> None:
    """Note what arithmetic evaluates: the values of its names, which may contain substitutions."""
    set_aside(names, scope, findings, via, written)
    count_foreign(names, scope, findings, written)
    for name in names:
        value = scope.variables.get(name)
        if value is not None and not _COUNTED.fullmatch(value):
            findings.gap(GapKind.OPEN, f"arithmetic evaluates the value of `{name}`", written)
    if names and sets_variable(written):
        scope.forget_any(frozenset(names))


def count_foreign(names: Iterable[str], scope: Scope, findings: Findings, written: str) -> None:
    """Note text from another machine in a variable or in the expression: it may contain substitutions."""
    for name in scope.foreign.intersection(names) if scope.foreign else ():
        findings.gap(GapKind.OPEN, f"arithmetic evaluates the value of `{name}`", written)
    if findings.sources and is_foreign(written, findings.sources):
        findings.gap(GapKind.OPEN, "arithmetic evaluates text from another machine", written)


def count_expansion(part: Expansion, scope: Scope, walker: Walker) -> None:
    """Follow the words of an expansion, and the arithmetic in it."""
    given, settled = text_of(part.parts, scope, walker) if part.parts else ("", False)
    if part.counts:
        _count_given(given if settled else _literal(part.parts), walker.findings, part.written)
        count_names(part.counts, scope, walker.findings, walker.via, part.written)


def _literal(parts: Iterable[Part]) -> str:
    """Return the literal text; arithmetic ignores quotes."""
    return "".join([part.text for part in parts if type(part) is Text])


def _count_given(text: str, findings: Findings, written: str) -> None:
    """Note an expression whose substitutions print more arithmetic."""
    if ("[" in text or "$" in text or "`" in text) and _COUNTED.fullmatch(text) is None:
        findings.gap(GapKind.OPEN, "arithmetic evaluates what a substitution prints", written)


def count_header(text: str, scope: Scope, findings: Findings, via: tuple[str, ...]) -> None:
    """Note the arithmetic of `for ((…))`."""
    if header := _HEADER.match(text):
        count_names(names_counted(header[1]), scope, findings, via, header.group())


def count_test(node: Block, scope: Scope, walker: Walker) -> None:
    """Note the arithmetic of `((…))`, and of `[[…]]`, which evaluates some words and variables."""
    given, settled = text_of(node.parts, scope, walker) if node.parts else ("", False)
    text = walker.text[node.start : node.end]
    if text.startswith("(("):
        _count_given(given if settled else _literal(node.parts), walker.findings, text)
        count_names(names_counted(text), scope, walker.findings, walker.via, text)
        return
    numeric = scope.foreign and not _NUMERIC.isdisjoint([word.text for word in node.words])
    for word in node.words:
        value = single(word, scope, walker)
        if numeric and not value.fixed:
            count_foreign(names_counted(value.text), scope, walker.findings, text)
        meant = Word(scope.variables.get(value.text) or "")
        count_words([value, meant], scope, walker.findings, walker.via, text)


def count_words(
    words: Iterable[Word], scope: Scope, findings: Findings, via: tuple[str, ...], written: str
) -> None:
    """Note words that arithmetic may evaluate."""
    for word in words:
        text = word.text
        if word.fixed and "[" in text and runs_in(text):
            findings.gap(GapKind.OPEN, "a test that evaluates its words", text)
        if "=" in text:
            names = set_in(text)
            set_aside(names, scope, findings, via, written)
            scope.forget_any(frozenset(names))


def set_aside(
    names: tuple[str, ...], scope: Scope, findings: Findings, via: tuple[str, ...], written: str
) -> None:
    """Note a loop or arithmetic that may set a sensitive variable: like an assignment, it needs an allow."""
    for name in names:
        if is_run_later(name, "", fixed=False):
            findings.gap(GapKind.OPEN, f"a shell runs the value of `{name}`", written)
        if is_sensitive(name):
            value = Word("", fixed=False)
            findings.effects.append(env_effect(name, value, written))
            findings.command(
                Command((), written, written, written, (), None, ((name, value),), scope.folder, via)
            )


_FILE = FeedKind.FILE  # module names are looked up faster than class members


def note_evaluated(
    words: tuple[Word, ...], feed: Feed, scope: Scope, findings: Findings, via: tuple[str, ...], by: str
) -> None:
    """Note what a builtin would run of its words and input, and forget the variables it may set."""
    name, texts = words[0].text, list(map(text_of_word, words[1:]))
    whole = " ".join(texts)  # checked at once, since few words match
    text = feed.text
    if feed.kind is _FILE:
        made = scope.made(text)
        text = made.content.text if made is not None and made.content is not None else text
    if evaluates_subscript(name, texts, whole) or ("[" in text and reads_command(name, text)):
        findings.gap(GapKind.OPEN, f"`{name}` evaluates its words", by)
    # For `printf`, words are data, except the name after `-v`.
    if "[" in whole and not (name == "printf" and words[1].fixed and whole[:2] != "-v"):
        for text in texts:
            if "[" in text:  # a subscript is evaluated each time: `read a[b=1]`
                findings.unsettled += 1
                scope.forget_any(names_in(text))
    if name == "let":
        count_foreign(names_counted(whole), scope, findings, by)
    if name == "set":
        count_words(words, scope, findings, via, by)
