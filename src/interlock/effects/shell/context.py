"""The context of one command: its place in the text, its input and what is around it."""

from __future__ import annotations

import re
from itertools import islice
from typing import Final

import msgspec

from interlock.effects.command import POWER_MARK, REDIRECT_MARK, Command
from interlock.effects.effect import Effect, EffectKind, Word
from interlock.effects.programs.lookup import base_name
from interlock.effects.programs.roles import STREAMS
from interlock.effects.shell.feed import NO_FEED, Feed
from interlock.effects.shell.findings import Findings
from interlock.effects.shell.scope import Scope
from interlock.effects.shell.syntax import EASY, Redirect, ShellWord

_EASY: Final = re.compile(EASY)
_WRITING: Final = frozenset({">", ">>", ">|", "&>", "&>>", ">&", "<>"})


class TextSpan(msgspec.Struct, frozen=True, gc=False):
    """A part of a text and the words in it."""

    text: str
    start: int
    end: int
    words: tuple[ShellWord, ...] | None  # one per argument; None if words became several or none
    redirects: tuple[Redirect, ...] = ()
    plain: int = 0  # how many plain words come before them; these are located when needed

    def inner(self, first: int, words: tuple[Word, ...]) -> TextSpan:
        """Return the place of a command whose words are part of these, else a text made of its words."""
        spans = self.spans
        if spans is None or first < 0:
            return written_out(words)
        spans = spans[first : first + len(words)]
        start, end = spans[0].start, spans[-1].end
        within = tuple(redirect for redirect in self.redirects if start < redirect.start < end)
        return TextSpan(self.text, start, end, spans, within)

    @property
    def spans(self) -> tuple[ShellWord, ...] | None:
        """The place of each argument, if all of them are in the text."""
        if self.words is None or not self.plain:
            return self.words
        matches = islice(_EASY.finditer(self.text, self.start, self.end), self.plain)
        return (*(ShellWord(word.start(), word.end(), "") for word in matches), *self.words)

    @property
    def written(self) -> str:
        """The text with continued lines joined."""
        return _join_lines(self.text[self.start : self.end])

    def marked(self, powers: tuple[int, ...] = ()) -> tuple[str, str]:
        """Return the text with marks, and the same without redirects; powers are indices of words."""
        if not powers and not self.redirects:
            return (written := _join_lines(self.text[self.start : self.end])), written
        if not powers and len(self.redirects) == 1:
            return self._mark_one(self.redirects[0])
        marks: list[tuple[int, int, str]] = []
        cuts: list[tuple[int, int, str]] = []
        for redirect in self.redirects:
            cuts.append((redirect.start, redirect.end, ""))
            if writes_file(redirect):
                sign = self.text.index(">", redirect.start)
                marks.append((sign, sign + 1, REDIRECT_MARK))
        prefix = ""
        if not powers:
            pass
        elif (spans := self.spans) is None:
            prefix = POWER_MARK
        else:
            inserts = [(spans[at].start, spans[at].start, POWER_MARK) for at in set(powers)]
            marks += inserts
            cuts += inserts
        return prefix + self._edit(marks), prefix + self._edit(cuts).rstrip()

    def _mark_one(self, redirect: Redirect) -> tuple[str, str]:
        """Do the same for a single redirect."""
        text, end = self.text, self.end
        before, after = text[self.start : redirect.start], text[redirect.end : end]
        bare = (before + after).replace("\\\n", "").rstrip()
        if not writes_file(redirect):
            return _join_lines(text[self.start : end]), bare
        sign = text.index(">", redirect.start)
        marked = f"{text[self.start : sign]}{REDIRECT_MARK}{text[sign + 1 : end]}"
        return marked.replace("\\\n", ""), bare

    def _edit(self, edits: list[tuple[int, int, str]]) -> str:
        pieces, position = [], self.start
        for start, end, new in sorted(edits):
            pieces.append(self.text[position:start])
            pieces.append(new)
            position = end
        pieces.append(self.text[position : self.end])
        return "".join(pieces).replace("\\\n", "")


def written_out(words: tuple[Word, ...]) -> TextSpan:
    """Return a text made of words that are not in any text in this form."""
    text = " ".join(word.text for word in words)
    return TextSpan(text, 0, len(text), None)


def _join_lines(text: str) -> str:
    return text.replace("\\\n", "") if "\\\n" in text else text


def writes_file(redirect: Redirect) -> bool:
    """Return whether a redirect may change a file, not a stream or a copied descriptor."""
    operator, target = redirect.operator, redirect.target
    if operator not in _WRITING:
        return False
    if target.parts is not None:
        return True
    text = target.text
    if operator == ">&" and (text.isdigit() or text.rstrip("-").isdigit() or text == "-"):
        return False
    return text not in STREAMS


_RUN: Final = EffectKind.RUN  # module names are looked up faster than class members


class CommandContext(msgspec.Struct, frozen=True, gc=False):
    """The context of one command."""

    place: TextSpan
    scope: Scope
    via: tuple[str, ...] = ()
    feed: Feed = NO_FEED
    environment: tuple[tuple[str, Word], ...] = ()
    writes: tuple[Effect, ...] = ()
    more: bool = False
    transparent: bool = False

    def command(self, words: tuple[Word, ...], written: str, *, transparent: bool = False) -> Command:
        """Return the command, without sorted arguments."""
        marked, bare = self.place.marked()
        return Command(
            words, written, marked, bare, self.writes, None, self.environment, self.scope.folder,
            self.via, self.more, transparent or self.transparent,
        )  # fmt: skip


def note(command: Command, findings: Findings) -> None:
    """Note one command and the effect that it runs."""
    findings.command(command)
    program = command.words[0]
    name = program.text
    if program.fixed and not name.isidentifier():  # a path; most names are identifiers
        name = base_name(name)
    findings.effects.append(Effect(_RUN, name, None, program.fixed, command.written))
