"""Notes one program with its effects, and follows the commands it runs."""

from __future__ import annotations

import re
from os.path import basename
from typing import TYPE_CHECKING, Final

import msgspec

from interlock.effects.command import Command, GapKind
from interlock.effects.effect import Effect, EffectKind, Word
from interlock.effects.programs.arguments import sort_arguments
from interlock.effects.programs.lookup import find_program, is_address
from interlock.effects.programs.program import HANDED_ON, Arguments, Flag, Program, Role
from interlock.effects.programs.showing import Showing, showing, shown_by_git
from interlock.effects.shell.arithmetic import note_evaluated
from interlock.effects.shell.builtins import BUILTINS, EVALUATING
from interlock.effects.shell.consequences import (
    note_consequences,
    note_downloads,
    note_looks,
    note_results,
    on_image,
)
from interlock.effects.shell.context import CommandContext, note, written_out
from interlock.effects.shell.control_flow import FILLING, fill_array
from interlock.effects.shell.delegation import MAX_WRAPPERS, Delegation, hands_on, only_checks
from interlock.effects.shell.feed import COPYING, NO_FEED, Feed, FeedKind, printed_by
from interlock.effects.shell.findings import Findings, acting_flags
from interlock.effects.shell.names import is_sensitive
from interlock.effects.shell.program_text import MAKES, note_make
from interlock.effects.shell.redirects import MAKING, note_made
from interlock.effects.shell.scope import Scope
from interlock.effects.shell.shifting_words import may_move

if TYPE_CHECKING:
    from interlock.effects.shell.walk import Walker

_OPEN_OPTION: Final = re.compile(r"--[\w-]*[$`]")
_EXPANDED: Final = frozenset("$`")
# For programs with long options behind one dash, or whose letters may take the first word of a command.
_ANY_OPEN: Final = re.compile(r"-[\w-]*[$`]")
_SAME_SHELL: Final = frozenset({"command", "builtin", "exec"})
_CALLING_BACK: Final = frozenset({"mapfile", "readarray", "compgen", "complete"})
ODD: Final = _CALLING_BACK | MAKING | MAKES | {"alias", "exec", "fc", "flock"}
MEANING_MORE: Final = ODD | EVALUATING | BUILTINS.keys()
_SHELLS: Final = frozenset({"sh", "bash", "dash", "ash", "zsh", "ksh", "mksh"})
WRAPPING: Final = _SHELLS | {"env"}
# Module names are looked up faster than class members.
_FOLDER, _ENV, _OPEN, _TEXT = Role.FOLDER, Role.ENV, FeedKind.OPEN, FeedKind.TEXT
_RUN, _READ = EffectKind.RUN, EffectKind.READ
_SAYING_HOW: Final = frozenset({None, Role.TEXT, Role.SHELL, Role.COMMAND})
_UNPACKING: Final = frozenset({"tar", "bsdtar", "cpio", "patch", "jar"})  # write into the folder of an option
_CLEARING: Final = frozenset({"-i", "-u"})
_STILL_RUNS: Final = frozenset({None, Role.COMMAND})  # with these roles, a wrapper still runs its operands
_FINDERS: Final = frozenset({"find", "fd", "fdfind"})
_CONTAINERS: Final = frozenset({"docker", "docker-compose", "podman", "nerdctl", "kubectl", "oc", "lxc"})
_CHANGING_USER: Final = frozenset({"sudo", "doas"})
_SCRIPT_NAME: Final = re.compile(r"[A-Za-z][\w-]*")
_ELSEWHERE: Final = frozenset({"-execdir", "-okdir"})  # run in the folder of what they find


class Call(msgspec.Struct, gc=False):
    """One program whose name is known."""

    words: tuple[Word, ...]
    name: str
    context: CommandContext
    scope: Scope
    findings: Findings
    walker: Walker
    written: str

    @property
    def delegation(self) -> Delegation:
        """What it gives to other programs to run."""
        return Delegation(self.words, self.name, self.context, self.walker, self.findings, self.written)

    def follow(self) -> Feed:
        """Note the program, its effects, and what it would run."""
        words, name, scope, context = self.words, self.name, self.scope, self.context
        findings, written = self.findings, self.written
        if name in scope.functions:
            return self._function()
        arguments = sort_arguments(words)
        entry, wraps = arguments.program, context.transparent
        acting, shown = arguments.flags, None
        powers: tuple[int, ...] = ()
        if acting and (acting := acting_flags(acting)):
            powers = tuple([flag.index for flag in acting if flag.option and flag.option.power])
            # A later argument may be an option that changes this.
            shown = None if context.more else showing(arguments, words)
        marked = bare = written
        if powers or context.place.redirects:
            marked, bare = context.place.marked(powers)
        tame = shown is not None
        if entry is not None and entry.unusual:
            if not wraps and (entry.transparent or name in WRAPPING):
                wraps = self._only_wraps(arguments)
            tame = tame or (entry.device and on_image(arguments, acting, scope))
        folders = scope.folders
        findings.command(Command(
            words, written, marked, bare, context.writes, arguments, context.environment,
            folders[0] if len(folders) == 1 else None, context.via, context.more, wraps, tame,
        ))  # fmt: skip
        findings.effects.append(Effect(_RUN, name, None, True, written))
        network = False
        if shown is Showing.TELLS:
            pass
        elif entry is None:
            self._unknown(acting)
        else:
            network = self._known(arguments, entry, acting, shown)
        if name in MEANING_MORE or scope.shadowed:
            self._means_more(arguments)
        feed = context.feed
        if name in COPYING or feed.kind is _TEXT:
            return self._output(entry, network)
        decoded = feed.decoded or (entry is not None and entry.decodes)
        return Feed(_OPEN, written, decoded, network or feed.network)

    def _doubt(self, flags: tuple[Flag, ...], entry: Program | None) -> None:
        """Note options that are only complete when the command runs: they may be any option."""
        by_letter = entry is not None and (entry.runs or entry.style == "single")
        is_open = _ANY_OPEN if by_letter else _OPEN_OPTION
        for flag in flags:
            if flag.option is None and (is_open.match(flag.name) or flag.name[:1] in _EXPANDED):
                self.findings.gap(GapKind.SYNTAX, f"`{flag.name}` could be any option", self.written)

    def _known(
        self, arguments: Arguments, entry: Program, acting: tuple[Flag, ...], shown: Showing | None
    ) -> bool:
        """Follow a program of the table; return whether its output comes from the network."""
        name, scope, network = self.name, self.scope, False
        if acting:
            self._doubt(acting, entry)
            scope = self._folder(acting)
        if shown is not None:
            network = note_looks(arguments, entry, scope, self.findings, self.written)
        elif acting or arguments.operands or entry.does or entry.start:
            network = note_consequences(arguments.operands, acting, entry, scope, self.findings, self.written)
        if network and note_downloads(arguments, scope, self.written):
            self.findings.unsettled += 1
        if name == "git":
            for path in shown_by_git(arguments):
                self.findings.path(_READ, path, scope, self.written)
        elif scope is not self.scope and entry.name in _UNPACKING and _writes(entry, acting):
            self.findings.path(EffectKind.WRITE, Word("."), scope, self.written)
        # An option before a subcommand may run what the subcommand never does: `git -c core.pager=… log`.
        if (entry.hands_on or acting) and (entry.shell or entry.interpreter or hands_on(arguments)):
            self.findings.unsettled += 1
            self.delegation.follow(arguments, entry, scope)
        if entry.unusual or arguments.commands or self.context.more:
            self._runs(arguments, entry, scope)
        return network

    def _runs(self, arguments: Arguments, entry: Program, scope: Scope) -> None:
        """Follow the commands it runs, or note that unknown or added words may bring one."""
        if arguments.commands:
            self._commands(arguments, entry, scope)
        elif self.name == "xargs":
            self._commands(msgspec.structs.replace(arguments, commands=((Word("echo"),),)), entry, scope)
        elif self._may_bring_one(arguments, entry):
            self.findings.gap(GapKind.OPEN, f"an unknown word decides what `{self.name}` runs", self.written)
        elif self.context.more and self._runs_more(arguments, entry):
            why = f"words added at run time decide what `{self.name}` runs"
            self.findings.gap(GapKind.OPEN, why, self.written)
        if entry.scripts:
            self._runs_script(arguments, entry, scope)

    def _runs_script(self, arguments: Arguments, entry: Program, scope: Scope) -> None:
        """Follow a script of the project as the program it is named after: `yarn prisma migrate reset`.

        Deny and ask rules see that program; an allow needs the command as written.
        """
        words = _script_words(self.words, arguments, entry)
        if words and len(self.context.via) < MAX_WRAPPERS:
            self.walker.run(words, CommandContext(
                place=written_out(words), scope=self.delegation.child(scope),
                via=(*self.context.via, self.name), feed=self.context.feed,
                environment=self.context.environment, more=self.context.more, transparent=True,
            ))  # fmt: skip

    def _may_bring_one(self, arguments: Arguments, entry: Program) -> bool:
        """Return whether a wrapper may get its command from an unknown word that splits: `sudo -u $u`."""
        if not entry.runs or not (entry.transparent or self.name in _CHANGING_USER):
            return False
        return any(word.splits for word in self.words[1:]) and all(
            flag.option is None or flag.option.operands in _STILL_RUNS for flag in arguments.flags
        )

    def _runs_more(self, arguments: Arguments, entry: Program) -> bool:
        """Return whether a program would run words added at its end: `xargs env`, `xargs sh -c`."""
        if any(word.splits and "$" not in word.text for word in self.words):
            return False  # its own words say where they go
        flags = [flag for flag in arguments.flags if flag.option is not None]
        if any(flag.value is None and flag.option and flag.option.value in HANDED_ON for flag in flags):
            return True
        if entry.runs:
            return all(flag.option is None or flag.option.operands in _STILL_RUNS for flag in flags)
        if entry.interpreter and entry.rest is not Role.SHELL:
            return not (arguments.operands or only_checks(arguments)) and all(f.value is None for f in flags)
        return entry.rest is Role.SHELL and all(o.role is not Role.SHELL for o in arguments.operands)

    def _unknown(self, acting: tuple[Flag, ...]) -> None:
        """Follow a program that is not in the table: this text may have written it."""
        if acting:
            self._doubt(acting, None)
        made = next((made for path, made in self.scope.files.items() if basename(path) == self.name), None)
        if made is None or "/" in self.words[0].text:
            return
        if made.content is not None:
            self.delegation.run_made(made.content)
        elif made.name != self.name:
            self.findings.gap(GapKind.OPEN, f"`{self.name}` could be `{made.name}`", self.written)

    def _means_more(self, arguments: Arguments) -> None:
        """Follow builtins, and commands that change what names mean."""
        if self.name in ODD or self.scope.shadowed:
            self._odd(arguments)
        elif self.name in EVALUATING:
            self._evaluates()
        builtin = BUILTINS.get(self.name)
        if builtin is not None:
            builtin(self.scope, self.words)
            if self.name in FILLING:
                fill_array(self.words, self.context.feed, self.scope, self.findings)

    def _odd(self, arguments: Arguments) -> None:
        """Note what a command means beyond its words."""
        self.findings.unsettled += 1
        if self.name == "flock" and any(f.name == "-c" for f in arguments.flags) and arguments.commands:
            self.findings.gap(GapKind.SYNTAX, "`flock -c` with more than one text", self.written)
        if self.name in self.scope.shadowed:
            self.findings.gap(GapKind.SYNTAX, f"`{self.name}` was redefined", self.written)
        self._evaluates()
        if self.name == "alias":
            self._aliases()
        elif self.name in MAKING:
            note_made(self.name, arguments, self.context.feed, self.written, self.scope)
        elif self.name in MAKES:
            note_make(arguments, self.context, self.findings, self.written)
        elif self.name == "exec" and self.context.feed is not NO_FEED:  # `exec` may fail to run its command
            self.scope.input = self.context.feed
        elif self.name == "fc" and all(flag.name != "-l" for flag in arguments.flags):
            self.findings.gap(GapKind.OPEN, "`fc` runs a command from the history", self.written)
        elif self.name in _CALLING_BACK and any(flag.name == "-C" for flag in arguments.flags):
            self.findings.gap(GapKind.OPEN, f"`{self.name}` calls back with words of its own", self.written)

    def _evaluates(self) -> None:
        context = self.context
        note_evaluated(self.words, context.feed, self.scope, self.findings, context.via, self.written)

    def _output(self, entry: Program | None, network: bool) -> Feed:
        """Return what the program prints; decoded output stays suspicious in every program behind it."""
        feed = self.context.feed
        printed = printed_by(self.name, self.words, feed, self.written)
        decoded = feed.decoded or (entry is not None and entry.decodes)
        network = network or feed.network
        return Feed(printed.kind, printed.text, decoded, network) if decoded or network else printed

    def _function(self) -> Feed:
        if find_program(self.name) is not None or self.name in self.scope.shadowed:
            self.findings.gap(GapKind.SYNTAX, f"`{self.name}` was redefined", self.written)
        sure = self.name not in self.scope.unsure
        note(self.context.command(self.words, self.written, transparent=sure), self.findings)
        for name, value in self.context.environment:
            self.scope.assign(name, value.text if value.fixed else None)
        self.walker.call(self.name, self.words, self.scope, self.context.feed)
        if self.context.environment:  # some shells restore the old values
            self.scope.forget([name for name, _ in self.context.environment])
        return Feed(_OPEN, self.written)

    def _aliases(self) -> None:
        """Read the texts of aliases, since a shell will run them."""
        for word in self.words[1:]:
            _, equals, text = word.text.partition("=")
            if equals:
                self.walker.read_text(text, self.delegation.child(self.scope), (*self.context.via, "alias"))

    def _only_wraps(self, arguments: Arguments) -> bool:
        """Return whether a wrapper has no effects but those of the command it runs."""
        if self.context.writes or any(is_sensitive(name) for name, _ in self.context.environment):
            return False
        if any(operand.role is _ENV for operand in arguments.operands) or any(map(_adds, arguments.flags)):
            return False
        if self.name in _SHELLS:
            return any(f.option and f.option.value is Role.SHELL and f.value for f in arguments.flags)
        return bool(arguments.commands)

    def _folder(self, flags: tuple[Flag, ...]) -> Scope:
        """Return the scope with the folder that an option sets."""
        scope = self.scope
        for flag in flags:
            if flag.value is not None and flag.option is not None and flag.option.value is _FOLDER:
                self.findings.unsettled += 1
                scope = scope.copy() if scope is self.scope else scope
                scope.enter(flag.value.text if flag.value.fixed else None)
        return scope

    def _may_run_others(self, arguments: Arguments, entry: Program) -> bool:
        """Return whether unknown words may change which command runs; in a container that does not matter."""
        words = self.words
        if entry.name == "find" or self.name in _CONTAINERS:
            first = 0
        else:
            first = next((at for at, word in enumerate(words) if word is arguments.commands[0][0]), 0)
        return may_move(arguments, words, first, self.scope)

    # --- wrappers ----------------------------------------------------------------------------------

    def _commands(self, arguments: Arguments, entry: Program, scope: Scope) -> None:
        """Follow the commands that a wrapper runs."""
        if len(self.context.via) >= MAX_WRAPPERS:
            self.findings.gap(GapKind.LIMIT, "too many wrappers", self.written)
            return
        if entry.fetches and is_address(arguments.commands[0][0].text, arguments.name):
            self.delegation.check_package(arguments.commands[0][0], arguments.name)
        environment = tuple(
            (name, Word(value, operand.word.fixed))
            for operand in arguments.operands
            if operand.role is _ENV
            for name, _, value in [operand.word.text.partition("=")]
        )
        if self._may_run_others(arguments, entry):
            self.findings.gap(GapKind.OPEN, f"an unknown word decides what `{self.name}` runs", self.written)
        else:
            self.delegation.check_shift(arguments)
        inner = scope if self.name in _SAME_SHELL else scope.copy()
        if any(flag.name in _ELSEWHERE for flag in arguments.flags):
            inner.enter(None)
        if self.name == "env" and any(flag.name in _CLEARING for flag in arguments.flags):
            inner.assign("HOME", None)
        first = 0
        for command in arguments.commands:
            words = command
            first = next((i for i in range(max(first, 0), len(self.words)) if self.words[i] is words[0]), -1)
            context = CommandContext(
                place=self.context.place.inner(first, words), scope=inner,
                via=(*self.context.via, self.name), feed=self.context.feed,
                environment=(*self.context.environment, *environment), more=entry.more or self.context.more,
                transparent=self.context.transparent,
            )  # fmt: skip
            if entry.name == "uv run" and words[0].text == "-":  # the program text comes in
                words = (Word("python3"), *words)
            opened = _open_words(words, arguments, entry)
            self.walker.run(opened, context)
            if entry.more or opened is not words or entry.name in _FINDERS:
                source = self.findings.sorted_as(self.context.feed.text) if entry.more else arguments
                note_results(opened, source, inner, self.findings, self.written)
            if entry.more and self.context.feed.kind is FeedKind.TEXT:
                whole = (*words, *(Word(text) for text in self.context.feed.text.split()))
                self.walker.run(whole, msgspec.structs.replace(context, place=written_out(whole)))


def _script_words(words: tuple[Word, ...], arguments: Arguments, entry: Program) -> tuple[Word, ...]:
    """Return the name of a script and its arguments, or nothing if no program can have that name."""
    if arguments.name != entry.name:  # `yarn NAME`
        name = arguments.name.rpartition(" ")[2]
        values = {id(flag.value) for flag in arguments.flags}
        at = next((at for at, word in enumerate(words) if word.text == name and id(word) not in values), 0)
    else:  # `yarn run NAME`
        at = next((operand.index for operand in arguments.operands), 0)
    if not at or not words[at].fixed or not _SCRIPT_NAME.fullmatch(words[at].text):
        return ()
    rest = words[at + 1 :]
    ended = next((place for place, word in enumerate(rest) if word.text == "--"), len(rest))
    return (words[at], *rest[:ended], *rest[ended + 1 :])


def _writes(entry: Program, acting: tuple[Flag, ...]) -> bool:
    """Return whether a program writes files that its words do not name."""
    return Role.WRITE in entry.does or any(f.option and f.option.does is Role.WRITE for f in acting)


def _adds(flag: Flag) -> bool:
    """Return whether an option of a wrapper has an effect of its own: `time -o FILE`, `env -C FOLDER`."""
    option, value = flag.option, flag.value
    if option is None or option.power or option.does is not None:
        return option is not None
    if option.value is _ENV and value is not None:
        return not value.fixed or is_sensitive(value.text.partition("=")[0])
    return option.value not in _SAYING_HOW


def _open_words(words: tuple[Word, ...], arguments: Arguments, entry: Program) -> tuple[Word, ...]:
    """Mark the words that contain `{}` as unknown: the program fills them in when it runs."""
    if not entry.more and entry.name not in _FINDERS:
        return words  # the same object: nothing is filled in
    marks = [f.value.text for f in arguments.flags if f.name == "-I" and f.value is not None] or ["{}"]
    return tuple(
        Word(w.text, fixed=False, splits=True) if any(mark in w.text for mark in marks) else w for w in words
    )
