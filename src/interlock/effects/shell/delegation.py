"""Follows what a program gives to others to run: texts for a shell, code for an interpreter, files."""

from __future__ import annotations

import os.path
import re
from typing import TYPE_CHECKING, Final

import msgspec

from interlock.effects.command import GapKind
from interlock.effects.effect import Word
from interlock.effects.programs.lookup import find_program, is_address
from interlock.effects.programs.program import HANDED_ON, Arguments, Flag, Program, Role
from interlock.effects.shell.context import CommandContext, note, written_out
from interlock.effects.shell.control_flow import lists_given
from interlock.effects.shell.expansions import runs_in
from interlock.effects.shell.feed import DESCRIPTOR, STANDARD_INPUT, Feed, FeedKind
from interlock.effects.shell.findings import Findings
from interlock.effects.shell.program_text import (
    fed_in_parallel,
    is_plain_but_for_numbers,
    names_a_list,
    note_code,
    texts_in_parallel,
)
from interlock.effects.shell.scope import MadeFile, Scope
from interlock.effects.shell.shifting_words import moving_option, unknown_option

if TYPE_CHECKING:
    from interlock.effects.shell.walk import Walker

MAX_WRAPPERS: Final = 20
_SETTLED_END: Final = re.compile(r"/([A-Za-z0-9_.+-]+)\Z")
_SPLIT_SPECIAL: Final = re.compile(r"[\\$'\"#]")
_HIDDEN: Final = re.compile(r"[$`]|<\(")
_LOGGING_IN: Final = frozenset({"su", "runuser"})
_AT_A_TIME: Final = frozenset({"at", "batch"})
_CHECKING: Final = frozenset({"sh", "bash", "dash", "ash", "zsh", "ksh", "mksh"})
_PRINTING: Final = frozenset({"--dry-run", "--dryrun"})
_SOURCING: Final = frozenset({"source", "."})
_EXTENDED_SHELLS: Final = frozenset({"bash", "zsh", "ksh", "eval", "source", "."})
_EXTENDED: Final = re.compile(
    r"\$['\"]|[<>]\(|\[\[|\(\(|&>|\|&|<<<|\{[^{}\s]*(?:,|\.\.)[^{}\s]*\}|\b(?:function|time|coproc)[\s<>\\]|=\("
    r"|(?<![^\s;&|()])(?:\d\d+|\{\w+\})[<>]"
)
_ORIGINS: Final = {
    GapKind.DECODED: "decoded text",
    GapKind.NETWORK: "text from another machine",
    GapKind.OPEN: "the output of another program",
}
_EACH_A_TEXT: Final = frozenset({"concurrently", "hyperfine", "pee", "mispipe"})  # one shell per operand
_ODD_SETTINGS: Final = frozenset({"lastpipe", "expand_aliases", "cdable_vars", "keyword", "history"})
_WILD: Final = frozenset("*?[")
_COPY: Final = "a copy"
_BY_NAME: Final = frozenset({"-o", "+o", "-O", "+O"})
_FILES: Final = frozenset({Role.SCRIPT, Role.MODULE})
_FOR_SHELLS: Final = frozenset({Role.SHELL, Role.OPENER, Role.ASSIGNED})


def only_checks(arguments: Arguments) -> bool:
    """Return whether the code is only checked or printed and not run: `bash -n`, `node --check`."""
    name, program = arguments.name, arguments.program
    if name == "parallel":
        return any(flag.name in _PRINTING for flag in arguments.flags)
    if name in _CHECKING:
        return any(
            flag.name == "-n" or (flag.name == "-o" and flag.value == Word("noexec"))
            for flag in arguments.flags
        )
    if program is None or program.operands[:1] != (Role.SCRIPT,) or not program.interpreter:
        return False
    return any(flag.option and flag.option.operands is Role.READ for flag in arguments.flags)


def hands_on(arguments: Arguments) -> bool:
    """Return whether these words give anything to others to run."""
    for operand in arguments.operands:
        if operand.role in HANDED_ON:
            return True
    for flag in arguments.flags:
        if flag.value is not None and flag.option is not None and flag.option.value in HANDED_ON:
            return True
    return False


class Delegation(msgspec.Struct, gc=False):
    """Follows what one program gives to others to run."""

    words: tuple[Word, ...]
    name: str
    context: CommandContext
    walker: Walker
    findings: Findings
    written: str

    def follow(self, arguments: Arguments, entry: Program, scope: Scope) -> None:
        """Read or note everything that is given to others to run."""
        if entry.shell:
            self._check_options(arguments, scope)
            if only_checks(arguments):
                return
        handed, texts = self._options(arguments, scope)
        for operand in arguments.operands:
            if operand.role is Role.SHELL:
                texts.append(operand.word)
            elif operand.role in HANDED_ON:
                handed = handed or not entry.interpreter or not _is_given(operand.word)
                self._hand(operand.role, operand.word, arguments, scope)
        if texts and texts[0].text == "--":
            texts = texts[1:]
        if texts and self.name == "env":
            self._split_string(texts, scope)
        elif texts:
            self._run_joined(texts, arguments, scope)
        elif entry.interpreter and not (handed or arguments.commands or only_checks(arguments)):
            self._input(self.context.feed, entry, scope)

    def _run_joined(self, texts: list[Word], arguments: Arguments, scope: Scope) -> None:
        """Read operands that make up one text for a shell."""
        if not arguments.program or not arguments.program.shell:  # whose options have been looked at
            self.check_shift(arguments)
        if self.name in _EACH_A_TEXT:
            for text in texts:
                self._shell(text, arguments, scope)
            return
        whole = Word(" ".join(w.text for w in texts), fixed=all(w.fixed for w in texts))
        if self.name != "parallel":
            self._shell(whole, arguments, scope)
        elif (words := fed_in_parallel(whole, arguments)) is not None:
            self._instead(words, self.name, transparent=True)
        else:
            for text in texts_in_parallel(whole, arguments):
                self._shell(text, arguments, scope)

    def check_shift(self, arguments: Arguments) -> None:
        """Note an unknown option: it may take the first word of what looks like the command or text."""
        if odd := unknown_option(arguments, self.words):
            why = f"`{odd}` is not a known option of `{self.name}` and may take the next word"
            start = self.context.place.start + max(self.written.find(odd), 0)
            self.findings.gap(GapKind.SYNTAX, why, self.written, start)

    def _options(self, arguments: Arguments, scope: Scope) -> tuple[bool, list[Word]]:
        """Follow the values of options; return whether any is run, and those that belong to the operands."""
        handed = False
        texts: list[Word] = []
        for flag in arguments.flags:
            if flag.option is None or flag.value is None or flag.option.value not in HANDED_ON:
                continue
            handed = handed or flag.option.value is not Role.SCRIPT or not _is_given(flag.value)
            if flag.option.operands is Role.SHELL:  # `env -S a b` runs both as one text
                texts.append(flag.value)
            else:
                self._hand(flag.option.value, flag.value, arguments, scope)
        return handed, texts

    def _check_options(self, arguments: Arguments, scope: Scope) -> None:
        """Note unknown options of a shell, since they may decide which word is its text."""
        flags = arguments.flags
        odd = [flag.name for flag in flags if flag.option is None]
        odd += filter(None, [moving_option(arguments, self.words, scope)])
        keeps = (
            self.name == "parallel"
        )  # its `-k` keeps the order; that of a shell finds assignments anywhere
        odd += [flag.name for flag in flags if (flag.name == "-k" and not keeps) or _is_odd_setting(flag)]
        for flag in flags:  # a shell takes the next word as the value, even after `-ov`
            if flag.name in _BY_NAME and flag.value not in (None, *self.words[flag.index + 1 :][:1]):
                odd.append(flag.name)
        if self.name not in _AT_A_TIME:  # `at now + 1 hour`
            odd += [word.text for word in self.words[1:] if word.text == "-" or word.text.startswith("+")]
        if self.name in _LOGGING_IN:  # `-` is an option of these, and `--` ends the options
            usual = {"-", "--"} if arguments.commands else {"-"}
            odd = [name for name in odd if name not in usual]
        if odd:
            self.findings.gap(GapKind.SYNTAX, f"`{self.name}` with the option `{odd[0]}`", self.written)

    def _hand(self, role: Role, word: Word, arguments: Arguments, scope: Scope) -> None:
        if role in _FOR_SHELLS:
            self._shell(_shell_text(role, word), arguments, scope)
        elif role is Role.PACKAGE:
            self.check_package(word, arguments.name)
        elif role is Role.CODE and word.fixed:
            self._code(word.text, arguments.program, scope)
        elif role is Role.CODE:
            if not is_plain_but_for_numbers(word, self.words, self.context.place, arguments.program):
                self.findings.gap(
                    GapKind.OPEN, f"program text for `{self.name}` that is not known", word.text
                )
        elif role is Role.MODULE and word.fixed:
            self._module(word, arguments)
        elif role is Role.SCRIPT and "://" in word.text:
            why = f"`{self.name}` runs {_ORIGINS[GapKind.NETWORK]}"
            self.findings.gap(GapKind.NETWORK, why, self.written)
        elif role is Role.SCRIPT:
            self._script(word, arguments.program, scope)
        if not word.fixed and role in _FILES and _decides(word, scope):
            self.findings.gap(GapKind.OPEN, f"`{self.name}` runs `{word.text}`", self.written)

    def check_package(self, word: Word, program: str) -> None:
        """Note a package that is run at once if it is named by an address: another machine sends it."""
        if is_address(word.text, program):
            why = f"`{self.name}` runs {_ORIGINS[GapKind.NETWORK]}"
            self.findings.gap(GapKind.NETWORK, why, self.written)

    def _script(self, word: Word, entry: Program | None, scope: Scope) -> None:
        """Follow a file that is run: its content is known if this text made it or if it is the input."""
        made = scope.made(word.text)
        given = _is_given(word)
        self.findings.doubt_links(scope, self.written)
        if made is not None and made.content is not None and entry is not None:
            self._input(made.content, entry, scope)
        elif made is not None and _COPY not in self.context.via:
            self._run_copy(word, made, scope)
        elif given and entry is not None and (self.name in _SOURCING or not entry.interpreter):
            self._input(self.context.feed, entry, scope)
        elif self.name in _SOURCING and (word.text == "--" or _is_program(word.text)):
            # A shell searches PATH for a bare name first, and a program is not shell text.
            self.findings.gap(GapKind.SYNTAX, f"`{self.name}` of `{word.text}`", self.written)
        elif any(map(DESCRIPTOR.fullmatch, scope.places(word.text))) and word.text != "/dev/stdin":
            self.findings.gap(GapKind.OPEN, f"`{self.name}` runs `{word.text}`", self.written)
        elif word.fixed or not _WILD.isdisjoint(word.text):
            self.findings.note_run(word.text, scope, self.written)

    def _run_copy(self, word: Word, made: MadeFile, scope: Scope) -> None:
        """Follow a copy as the program it is a copy of."""
        if made.origin is None or made.folder is None or not made.origin.fixed:
            self.findings.gap(GapKind.OPEN, f"`{word.text}` is a copy of `{made.name}`", self.written)
            return
        same = scope.folder == made.folder
        origin = made.origin if same else Word(os.path.join(made.folder, made.origin.text))
        words = tuple(origin if part is word else part for part in self.words)
        self._instead(words, _COPY, transparent=False)

    def run_made(self, content: Feed) -> None:
        """Follow a program that this text has written."""
        first, scope = content.text.partition("\n")[0], self.context.scope
        if content.kind is FeedKind.OPEN:
            why = f"`{self.name}` is {_ORIGINS[content.source]}"
            self.findings.gap(content.source, why, f"{content.text}\n{self.written}")
        elif content.kind is FeedKind.TEXT and (not first.startswith("#!") or first.endswith("sh")):
            self.walker.read_text(content.text, self.child(scope), (*self.context.via, self.name))
        elif content.kind is FeedKind.TEXT:
            self._code(content.text, find_program(first.split()[-1]), scope)
        self.findings.doubt_links(scope, self.written)

    def _module(self, word: Word, arguments: Arguments) -> None:
        """Follow `python -m pip install x` as `pip install x`, too, so that rules about `pip` match."""
        at = next((o.index for o in arguments.operands), len(self.words))
        self._instead((word, *self.words[at:]), f"{self.name} -m", transparent=True)

    def _instead(self, words: tuple[Word, ...], via: str, *, transparent: bool) -> None:
        """Follow the command that this one amounts to."""
        context = msgspec.structs.replace(
            self.context, place=written_out(words), via=(*self.context.via, via),
            environment=(), writes=(), transparent=transparent,
        )  # fmt: skip
        if len(self.context.via) < MAX_WRAPPERS:
            self.walker.run(words, context)

    def _shell(self, word: Word, arguments: Arguments, scope: Scope) -> None:
        """Read a text that a shell will run."""
        if not word.fixed:
            why = f"`{self.name}` passes text to a shell that is only known when it runs"
            self.findings.gap(GapKind.OPEN, why, word.text)
        via = (*self.context.via, self.name)
        feed, before = self.context.feed, scope.input
        given = before if feed.kind is FeedKind.NONE else feed  # what commands in that text read
        if self.name == "eval":
            for name, value in self.context.environment:
                scope.assign(name, value.text if value.fixed else None)
            scope.input = given
            self.walker.read_text(word.text, scope, via)
            if scope.input is given:  # no `exec` in the text changed it
                scope.input = before
            if self.context.environment:
                scope.forget([name for name, _ in self.context.environment])
            scope.lost = scope.lost or not word.fixed
            return
        if arguments.program is None or not arguments.program.shell:
            self._note_shell(word, via)
        self._doubt(word.text)
        child = self.child(scope)
        child.input = given
        if self.name == "trap":  # it runs wherever the shell is at that time
            child.enter(None)
        rest = [o.word for o in arguments.operands if o.role is not Role.SHELL]
        if any(runs_in(w.text) for w in rest):
            self.findings.gap(GapKind.OPEN, f"`{self.name}` may do arithmetic with its words", self.written)
        is_shell = arguments.program is not None and arguments.program.shell
        if is_shell and not self.context.more and not (rest and rest[0].splits):
            child.parameters = tuple(rest) or (Word(self.name),)
        child.lists = lists_given(rest, more=self.context.more)
        self.walker.read_text(word.text, child, via)

    def _split_string(self, texts: list[Word], scope: Scope) -> None:
        """Follow `env -S`: it splits its text at blanks, adds the other words, and needs no shell."""
        text, rest = texts[0], texts[1:]
        if not text.fixed or _SPLIT_SPECIAL.search(text.text):
            self.findings.gap(GapKind.SYNTAX, "`env -S` with quotes or variables", text.text)
        words = (*(Word(word, text.fixed) for word in text.text.split()), *rest)
        if words and ("=" in words[0].text or words[0].text[:1] == "-"):  # `env` takes these itself
            words = (Word("env"), *words)
        if words and len(self.context.via) < MAX_WRAPPERS:
            via = (*self.context.via, "env")
            context = CommandContext(place=written_out(words), scope=scope.copy(), via=via)
            self.walker.run(words, context)

    def _doubt(self, text: str) -> None:
        """Note syntax that some shells called `sh` read differently."""
        if self.name not in _EXTENDED_SHELLS and (match := _EXTENDED.search(text)):
            why = f"`{match.group()}` means different things in different shells"
            self.findings.gap(GapKind.SYNTAX, why, text, match.start())

    def _note_shell(self, word: Word, via: tuple[str, ...]) -> None:
        """Note the shell that `ssh host TEXT`, `watch TEXT` and the like start."""
        words = (Word("sh"), Word("-c"), word)
        place = written_out(words)
        context = msgspec.structs.replace(self.context, place=place, via=via, environment=(), writes=())
        note(context.command(words, place.written, transparent=True), self.findings)

    def child(self, scope: Scope) -> Scope:
        """Return the scope of a child process: it has the environment, not the variables of this shell."""
        child = scope.copy()
        child.forget(set(child.variables))
        child.functions, child.parameters = {}, None
        for name, value in self.context.environment:
            # A shell sets PWD itself.
            child.assign(name, value.text if value.fixed and name != "PWD" else None)
        return child

    def _input(self, feed: Feed, entry: Program, scope: Scope) -> None:
        """Follow program text that comes from standard input or from a file this text made."""
        feed = scope.input_of(feed)
        if self.name == "parallel" and (feed.kind is FeedKind.FILE or names_a_list(self.words)):
            feed = Feed(FeedKind.OPEN, feed.text)  # its lines are commands, not a script of the project
        if feed.kind is FeedKind.FILE:
            made = scope.made(feed.text)
            if made is not None:
                feed = made.content or Feed(FeedKind.OPEN, feed.text)
            elif DESCRIPTOR.fullmatch(_plain(feed.text)):
                feed = Feed(FeedKind.OPEN, feed.text)  # anything may be open there
            else:
                self.findings.doubt_links(scope, self.written)
                self.findings.note_run(feed.text, scope, self.written)
        if feed.kind is FeedKind.OPEN:
            why = f"`{self.name}` runs {_ORIGINS[feed.source]}"
            self.findings.gap(feed.source, why, f"{feed.text}\n{self.written}")
        elif feed.kind is FeedKind.TEXT and (entry.shell or self.name in _SOURCING):
            self._doubt(feed.text)
            self.walker.read_text(feed.text, self.child(scope), (*self.context.via, self.name))
        elif feed.kind is FeedKind.TEXT:
            self._code(feed.text, entry, scope)

    def _code(self, code: str, entry: Program | None, scope: Scope) -> None:
        """Note program text that is written in the command."""
        note_code(code, self.name, entry, self.context, self.child(scope), self.walker)


def _shell_text(role: Role, word: Word) -> Word:
    """Return the part of a word that a shell gets."""
    if role is Role.OPENER:
        return Word(f'{word.text} "$1"', word.fixed)
    return Word(word.text.partition("=")[2], word.fixed) if role is Role.ASSIGNED else word


def _is_odd_setting(flag: Flag) -> bool:
    """Return whether `-O` or `-o` changes how a shell reads its text."""
    if flag.name not in {"-O", "-o"} or flag.value is None or not flag.value.fixed:
        return False
    return flag.value.text in _ODD_SETTINGS


def _decides(word: Word, scope: Scope) -> bool:
    """Return whether the file is only known at run time and may be one that nobody has reviewed."""
    if _HIDDEN.search(word.text):
        end = settled_end(word.text)
        return word.splits or end is None or end == "stdin" or "/fd/" in word.text
    return bool(scope.files)


def settled_end(path: str) -> str | None:
    """Return the last part of a path if it is certain, although the folders before it may not be."""
    match = _SETTLED_END.search(path)
    return match[1] if match else None


def _plain(path: str) -> str:
    """Return a path without doubled slashes and the like."""
    return "/" + os.path.normpath(path).lstrip("/") if path.startswith("/") else path


def _is_given(word: Word) -> bool:
    """Return whether a file to run is the standard input."""
    return _plain(word.text) in STANDARD_INPUT


def _is_program(name: str) -> bool:
    return "/" not in name and find_program(name) is not None
