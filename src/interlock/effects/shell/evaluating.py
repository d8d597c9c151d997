"""Builtins that look at their words once more: subscripts are counted, and parameters may be."""

from __future__ import annotations

from interlock.effects.command import GapKind
from interlock.effects.shell.arithmetic import names_counted
from interlock.effects.shell.builtins import evaluates_subscript, reads_command
from interlock.effects.shell.counting import count_foreign, count_words
from interlock.effects.shell.feed import Feed, FeedKind
from interlock.effects.shell.findings import Findings
from interlock.effects.shell.names import names_in
from interlock.effects.shell.scope import Scope
from interlock.effects.word import Word, text_of_word

_FILE = FeedKind.FILE  # a name of the module is found sooner than a member of a class


def note_evaluated(  # noqa: PLR0917 - by position, which is quicker
    words: tuple[Word, ...], feed: Feed, scope: Scope, found: Findings, via: tuple[str, ...], by: str
) -> None:
    """Note what such a builtin would run of its words and its input, and forget what it may set."""
    name, texts = words[0].text, list(map(text_of_word, words[1:]))
    whole = " ".join(texts)  # what is looked for is in few words: that is seen at once for all
    text = feed.text
    if feed.kind is _FILE:
        made = scope.made(text)
        text = made.content.text if made is not None and made.content is not None else text
    if evaluates_subscript(name, texts, whole) or ("[" in text and reads_command(name, text)):
        found.gap(GapKind.OPEN, f"`{name}` evaluates what its words hold", by)
    # To `printf` words are data, but for the name behind `-v`.
    if "[" in whole and not (name == "printf" and words[1].fixed and whole[:2] != "-v"):
        for text in texts:
            if "[" in text:  # a subscript is counted, each time anew: `read a[b=1]`
                found.unsettled += 1
                scope.forget_any(names_in(text))
    if name == "let":
        count_foreign(names_counted(whole), scope, found, by)
    if name == "set":
        count_words(words, scope, found, via, by)
