"""Builtins that look at their words once more: subscripts are counted, and parameters may be."""

from __future__ import annotations

from interlock.reading.command import GapKind
from interlock.reading.shell.arithmetic import names_counted
from interlock.reading.shell.builtins import evaluates_subscript, reads_command
from interlock.reading.shell.counting import count_foreign, count_words
from interlock.reading.shell.feed import Feed, FeedKind
from interlock.reading.shell.findings import Findings
from interlock.reading.shell.scope import Scope, names_in
from interlock.reading.word import Word

_FILE = FeedKind.FILE  # a name of the module is found sooner than a member of a class


def note_evaluated(
    words: tuple[Word, ...], feed: Feed, scope: Scope, found: Findings, *, via: tuple[str, ...], by: str
) -> None:
    """Note what such a builtin would run of its words and its input, and forget what it may set."""
    name = words[0].text
    text = feed.text
    if feed.kind is _FILE:
        made = scope.made(text)
        text = made.content.text if made is not None and made.content is not None else text
    if evaluates_subscript(name, words) or ("[" in text and reads_command(name, text)):
        found.gap(GapKind.OPEN, f"`{name}` evaluates what its words hold", by)
    for word in words[1:]:
        if "[" in word.text:  # a subscript is counted, each time anew: `read a[b=1]`
            found.unsettled += 1
            scope.forget_any(names_in(word.text))
    if name == "let":
        count_foreign(names_counted(" ".join(word.text for word in words[1:])), scope, found, by)
    if name == "set":
        count_words(words, scope, found, via, by)
