"""One program with its words: noted with what it does, and looked through where it runs others."""

from __future__ import annotations

import re
from typing import Final

import msgspec

from interlock.reading.command import GapKind
from interlock.reading.programs.arguments import Arguments, Flag, sort_arguments
from interlock.reading.programs.lookup import program_named
from interlock.reading.programs.program import Program, Role
from interlock.reading.shell.builtins import BUILTINS, EVALUATING, evaluates_subscript
from interlock.reading.shell.consequences import note_consequences, note_downloads
from interlock.reading.shell.feed import COPYING, NO_FEED, Feed, FeedKind, printed_by
from interlock.reading.shell.findings import Findings
from interlock.reading.shell.handed import MAX_WRAPPERS, Handed, hands_on
from interlock.reading.shell.place import Place
from interlock.reading.shell.scope import Made, Scope
from interlock.reading.shell.sensitive import is_sensitive
from interlock.reading.shell.setting import Setting, Texts, note
from interlock.reading.word import Word

_OPEN_OPTION: Final = re.compile(r"--[\w-]*[$`]")
_SAME_SHELL: Final = frozenset({"command", "builtin", "exec"})
_CALLING_BACK: Final = frozenset({"mapfile", "readarray", "compgen", "complete"})
_COPYING_INPUT: Final = frozenset({"tee", "dd", "sponge"})
_ODD: Final = EVALUATING | _CALLING_BACK | _COPYING_INPUT | {"alias", "flock"}
_SHELLS: Final = frozenset({"sh", "bash", "dash", "ash", "zsh", "ksh", "mksh"})
# Names of the module are found sooner than members of a class.
_FOLDER, _ENV, _OPEN = Role.FOLDER, Role.ENV, FeedKind.OPEN
_ELSEWHERE: Final = frozenset({"-execdir", "-okdir"})  # run in the folder of what they find


class Call:
    """One program whose name is known."""

    __slots__ = ("found", "name", "scope", "setting", "texts", "words", "written")

    def __init__(
        self, words: tuple[Word, ...], name: str, setting: Setting, found: Findings, texts: Texts
    ) -> None:
        self.words: Final = words
        self.name: Final = name
        self.setting: Final = setting
        self.scope: Final = setting.scope
        self.found: Final = found
        self.texts: Final = texts
        self.written: Final = setting.place.written

    @property
    def handed(self) -> Handed:
        """What it gives to others to run."""
        return Handed(self.words, self.name, self.setting, self.found, self.texts)

    def follow(self) -> Feed:
        """Note the program, its effects, and what it would run."""
        if self.name in self.scope.functions:
            return self._function()
        arguments = sort_arguments(self.words)
        entry, flags = arguments.program, arguments.flags
        note(
            self.words, self.setting, self.found, self.written, _powers(arguments) if flags else None,
            arguments=arguments, transparent=entry is not None and self._is_transparent(entry, arguments),
        )  # fmt: skip
        for flag in flags:
            if flag.option is None and _OPEN_OPTION.match(flag.name):
                self.found.gap(GapKind.SYNTAX, f"`{flag.name}` may be any option", self.written)
        network = entry is not None and self._known(arguments, entry)
        if self.name in _ODD or self.scope.shadowed:
            self._odd(arguments)
        builtin = BUILTINS.get(self.name)
        if builtin is not None:
            builtin(self.scope, self.words)
        if not network and self.setting.feed is NO_FEED and self.name not in COPYING:
            return Feed(_OPEN, self.written, entry is not None and entry.decodes)
        return self._printed(entry, network=network)

    def _known(self, arguments: Arguments, entry: Program) -> bool:
        """Follow a program that the table knows; whether what it gives comes from the network."""
        scope = self._folder(arguments) if arguments.flags else self.scope
        network = note_consequences(arguments, entry, scope, self.found, self.written)
        if network:
            note_downloads(arguments, scope, self.written)
        if entry.hands_on and (entry.shell or entry.interpreter or hands_on(arguments)):
            self.handed.follow(arguments, entry, scope)
        if arguments.commands:
            self._commands(arguments, entry, scope)
        elif self.name == "xargs":
            self._commands(msgspec.structs.replace(arguments, commands=((Word("echo"),),)), entry, scope)
        return network

    def _odd(self, arguments: Arguments) -> None:
        """What makes a command mean more than its words say."""
        if self.name == "flock" and any(f.name == "-c" for f in arguments.flags) and arguments.commands:
            self.found.gap(GapKind.SYNTAX, "`flock -c` with more than a text", self.written)
        if self.name in self.scope.shadowed:
            self.found.gap(GapKind.SYNTAX, f"`{self.name}` was given another meaning", self.written)
        if evaluates_subscript(self.name, self.words):
            self.found.gap(GapKind.OPEN, f"`{self.name}` evaluates what its words hold", self.written)
        if self.name == "alias":
            self._aliases()
        elif self.name in _COPYING_INPUT:
            self._copies(arguments)
        elif self.name in _CALLING_BACK and any(flag.name == "-C" for flag in arguments.flags):
            self.found.gap(GapKind.OPEN, f"`{self.name}` calls back with words of its own", self.written)

    def _printed(self, entry: Program | None, *, network: bool) -> Feed:
        """What the program prints; a decoder's output stays suspicious through all that follows."""
        feed = self.setting.feed
        printed = printed_by(self.name, self.words, feed, self.written)
        decoded = feed.decoded or (entry is not None and entry.decodes)
        network = network or feed.network
        return Feed(printed.kind, printed.text, decoded, network) if decoded or network else printed

    def _function(self) -> Feed:
        if program_named(self.name) is not None:
            self.found.gap(GapKind.SYNTAX, f"`{self.name}` was given another meaning", self.written)
        note(self.words, self.setting, self.found, self.written, transparent=True)
        for name, value in self.setting.environment:
            self.scope.assign(name, value.text if value.fixed else None)
        self.texts.call(self.name, self.words, self.scope, self.setting.feed)
        return Feed(_OPEN, self.written)

    def _aliases(self) -> None:
        """What an alias will stand for is text a shell will run."""
        for word in self.words[1:]:
            _, equals, text = word.text.partition("=")
            if equals:
                self.texts.read_text(text, self.handed.child(self.scope), (*self.setting.via, "alias"))

    def _copies(self, arguments: Arguments) -> None:
        """`tee` puts its input into files that may be run further on."""
        feed = self.setting.feed
        if self.name != "tee" and feed.kind is FeedKind.TEXT:
            feed = Feed(FeedKind.OPEN, feed.text)
        values = [flag.value for flag in arguments.flags if flag.value is not None]
        for word in (*values, *(operand.word for operand in arguments.operands)):
            self.scope.make(word.text, Made(content=feed))

    def _is_transparent(self, entry: Program, arguments: Arguments) -> bool:
        """Whether the command is nothing but what it runs."""
        if not entry.transparent and self.name not in _SHELLS and self.name != "env":
            return False
        if self.setting.writes or any(is_sensitive(name) for name, _ in self.setting.environment):
            return False
        if any(operand.role is _ENV for operand in arguments.operands):
            return False
        if self.name in _SHELLS:
            return any(f.option and f.option.value is Role.SHELL and f.value for f in arguments.flags)
        return bool(arguments.commands)

    def _folder(self, arguments: Arguments) -> Scope:
        """Where the program works, when an option says so."""
        scope = self.scope
        for flag in arguments.flags:
            if flag.value is not None and flag.option is not None and flag.option.value is _FOLDER:
                scope = scope.copy() if scope is self.scope else scope
                scope.enter(flag.value.text if flag.value.fixed else None)
        return scope

    # --- wrappers ----------------------------------------------------------------------------------

    def _commands(self, arguments: Arguments, entry: Program, scope: Scope) -> None:
        """What a wrapper runs, in its place in the text."""
        if len(self.setting.via) >= MAX_WRAPPERS:
            self.found.gap(GapKind.LIMIT, "too many wrappers", self.written)
            return
        environment = tuple(
            (name, Word(value, operand.word.fixed))
            for operand in arguments.operands
            if operand.role is _ENV
            for name, _, value in [operand.word.text.partition("=")]
        )
        if any(_may_take_more(flag, self.words) for flag in arguments.flags):
            self.found.gap(GapKind.OPEN, f"an option decides which words `{self.name}` runs", self.written)
        inner = scope if self.name in _SAME_SHELL else scope.copy()
        if any(flag.name in _ELSEWHERE for flag in arguments.flags):
            inner.enter(None)
        first = 0
        for words in arguments.commands:
            first = next((i for i in range(max(first, 0), len(self.words)) if self.words[i] is words[0]), -1)
            setting = Setting(
                place=self.setting.place.inner(first, len(words), _shown(words)), scope=inner,
                via=(*self.setting.via, self.name), feed=self.setting.feed,
                environment=(*self.setting.environment, *environment), more=entry.more or self.setting.more,
                transparent=self.setting.transparent,
            )  # fmt: skip
            self.texts.run(_opened(words, arguments, entry), setting)
            if entry.more and self.setting.feed.kind is FeedKind.TEXT:
                whole = (*words, *(Word(text) for text in self.setting.feed.text.split()))
                place = Place(_shown(whole), 0, len(_shown(whole)), None)
                self.texts.run(whole, msgspec.structs.replace(setting, place=place))


def _may_take_more(flag: Flag, words: tuple[Word, ...]) -> bool:
    """Whether an option takes the next word when what is attached to it turns out to be empty: `-u$x`."""
    value, word = flag.value, words[flag.index]
    if value is None or value.fixed or flag.option is None or flag.option.attached or value is word:
        return False
    return value.text.startswith(("$", "`")) and word.text.endswith(value.text) and word.text[:2] != "--"


def _powers(arguments: Arguments) -> list[int]:
    """Where the options stand that make a program do more than its name says."""
    return [flag.index for flag in arguments.flags if flag.option is not None and flag.option.power]


def _opened(words: tuple[Word, ...], arguments: Arguments, entry: Program) -> tuple[Word, ...]:
    """The words with those opened in which something found at run time will stand."""
    if not entry.more and entry.name != "find":
        return words
    marks = [f.value.text for f in arguments.flags if f.name == "-I" and f.value is not None] or ["{}"]
    return tuple(
        Word(w.text, fixed=False, splits=True) if any(mark in w.text for mark in marks) else w for w in words
    )


def _shown(words: tuple[Word, ...]) -> str:
    return " ".join(word.text for word in words)
