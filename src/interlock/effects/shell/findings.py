"""What is found while a text is read: commands, effects and gaps, in the order of the text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fnmatch import filter as matching
from fnmatch import fnmatchcase
from itertools import islice, product
from os.path import basename
from typing import TYPE_CHECKING, Final

import msgspec

from interlock.effects.command import Command, Gap, GapKind
from interlock.effects.effect import Effect, EffectKind, Word
from interlock.effects.paths.wild import ANY_DEPTH
from interlock.effects.programs.arguments import sort_arguments
from interlock.effects.programs.program import Arguments, Flag, Role
from interlock.effects.programs.roles import STREAMS
from interlock.effects.shell.feed import Feed, means_the_same
from interlock.effects.shell.scope import Scope
from interlock.effects.shell.syntax import TooMuchError, read_easy

if TYPE_CHECKING:
    from interlock.effects.shell.context import CommandContext


_MOST: Final = 32  # combinations of folders and names
_NAMING: Final = frozenset({"-name", "-iname", "-path", "-ipath"})
_NOT: Final = frozenset({"!", "-not"})
_DEPTH: Final = {"(": 1, ")": -1}
OR: Final = frozenset({"-o", "-or", ","})
ACTING: Final = frozenset({"-delete", "-exec", "-execdir", "-ok", "-okdir"})
_EVERY: Final = "*"
_WHOLE_DISK: Final = frozenset({"locate", "mlocate", "plocate"})
_BY_PATTERN: Final = _WHOLE_DISK | {"fd", "fdfind"}
# How commands begin that print the files they find.
FINDING: Final = tuple(f"{name}{blank}" for name in sorted({"find"} | _BY_PATTERN) for blank in " \t")
_PLAIN: Final = re.compile(r"[\w.-]+")


def select_tests(flags: Sequence[Flag]) -> list[Flag]:
    """Return the tests of `find` except those that only exclude files: `-path ./a -prune -o`, `! -name x`."""
    rest = list(flags[_behind_pruned(flags) :])
    tests: list[Flag] = []
    while rest:
        flag = rest.pop(0)
        if flag.name in _NOT:
            _drop_test(rest)
        else:
            tests.append(flag)
    return tests


def _behind_pruned(flags: Sequence[Flag]) -> int:
    """Return where the tests after the last `-prune -o` start, if nothing acts on files before."""
    depth = start = 0
    for at, flag in enumerate(flags):
        depth += _DEPTH.get(flag.name, 0)
        if flag.name in ACTING:
            break
        if not depth and flag.name == "-prune" and flags[at + 1 : at + 2] and flags[at + 1].name in OR:
            start = at + 2
    return start


def _drop_test(rest: list[Flag]) -> None:
    """Remove the first test, or all tests in the parentheses there."""
    depth = 0
    while rest:
        name = rest.pop(0).name
        depth += _DEPTH.get(name, 0)
        if not depth and name not in _NOT:
            return


def find_paths(arguments: Arguments) -> Iterator[Word]:
    """Yield the paths that `find` and the like may find: each name in and below each folder."""
    operands = [operand.word for operand in arguments.operands]
    if arguments.name == "find":
        tests = select_tests(arguments.flags)
        values = [flag.value for flag in tests if flag.name in _NAMING and flag.value is not None]
        names = [value.text.rpartition("/")[2] for value in values] or [_EVERY]
        folders = operands or [Word(".")]
    elif arguments.name in _BY_PATTERN and operands and (name := _name_of_pattern(operands[0].text)):
        names = [name]
        folders = [Word("/")] if arguments.name in _WHOLE_DISK else operands[1:] or [Word(".")]
    else:
        yield Word("", fixed=False)
        return
    for folder, name in product(folders, names):
        own = basename(folder.text)
        if own.strip(".") and fnmatchcase(own, name):  # it may be a file itself
            yield folder
        fixed = folder.fixed and _WILD.isdisjoint(name)
        start = folder.text.rstrip("/")
        yield Word(f"{start}/{name}", fixed)
        yield Word(f"{start}/{ANY_DEPTH}/{name}", fixed=False, splits=True)


def _name_of_pattern(pattern: str) -> str:
    """Return the one name that an expression matches; empty if it may match others."""
    name = pattern.removeprefix("^").removesuffix("$").replace("\\.", ".").rpartition("/")[2]
    return name if _PLAIN.fullmatch(name) and name.strip(".") else ""


def find_printed_paths(substitution: str) -> Iterator[Word]:
    """Yield the same for `$(find …)` or `` `find …` ``."""
    command = substitution.strip("`").removeprefix("$(").removesuffix(")")
    words = [word for word in read_easy(command.partition("|")[0])[0] if ">" not in word.text]
    return islice(find_paths(sort_arguments(words)), _MOST)


_WRITE = Role.WRITE  # module names are looked up faster than class members


def acting_flags(flags: tuple[Flag, ...]) -> tuple[Flag, ...]:
    """Return the options that have a power or an effect, or are unknown."""
    acting = [flag for flag in flags if flag.option is None or not (flag.option.idle or _into_stream(flag))]
    return tuple(acting)


def _into_stream(flag: Flag) -> bool:
    """Return whether an option writes to a stream and not to a file: `curl -o /dev/null`."""
    option, value = flag.option, flag.value
    if value is None or option is None or option.value is not _WRITE or option.does is not None:
        return False
    return value.fixed and value.text in STREAMS


# Words for writing. Code that contains none of them only reads the files it names.
_WRITES: Final = re.compile(
    r"\b(?:write|dump|save|rename|replace|copy|move|mv|cp|put|spew|link|symlink)|['\"][rwax]?b?[wax+]b?\+?['\"]",
    re.ASCII,
)
_INTO: Final = r"(?:>|\b[wW][ \t])[\s'\",>]*[\w./~-]*"
_PART: Final = r"(?<![\w.-]){}(?![\w-])"


def writes_in(code: str, name: str) -> bool:
    """Return whether code names a file and may write it."""
    named = _PART.format(re.escape(name))
    if re.search(named, code) is None:
        return False
    return _WRITES.search(code) is not None or re.search(_INTO + named, code) is not None


_MAX_COMMANDS: Final = 500  # different ones
# A command costs ten, two of its words one; the limit is about a quarter of a second.
_MAX_EFFORT: Final = 100_000
_ENV: Final = EffectKind.ENV  # module names are looked up faster than class members
_WILD: Final = frozenset("*?[")
_FINDING: Final = ("$(find ", "`find ")
_MOST_GLOBS: Final = 50  # of files that are run, each compared with all written files
_MOST_LINKS: Final = 3  # followed for one path
_CHARACTERS, _FILES = 16, 4  # of code and of names count as much work as one word
_NO_ARGUMENTS: Final = Arguments(None, "")
_MAX_WHY: Final = 300  # a reason may contain a word, and a word may be as long as the text


def env_effect(name: str, value: Word, by: str) -> Effect:
    """Return the effect of setting a variable, with its value if known."""
    return Effect(_ENV, name, None, True, by, value.text if value.fixed else None)


class PastCommand(msgspec.Struct, frozen=True, gc=False):
    """The result of a command, with everything besides its text that it depends on."""

    words: tuple[Word, ...]
    folders: tuple[str, ...]
    context: CommandContext
    printed: Feed
    effort: int
    inner: tuple[str, ...]  # the programs that it runs; if one is a function now, the result is another

    def is_as(self, words: tuple[Word, ...], context: CommandContext) -> bool:
        """Return whether these words, with their input and folder, have the same result here."""
        before, scope = self.context, context.scope
        return (
            self.words == words
            and self.folders == scope.folders
            and before.via == context.via
            and before.writes == context.writes
            and before.environment == context.environment
            and (before.feed is context.feed or means_the_same(before.feed, context.feed, words[0].text))
            and scope.functions.keys().isdisjoint(self.inner)
        )


def _key(command: Command) -> object:
    """Return what tells apart commands of the same text."""
    return (
        command.words, command.cwd, command.transparent, command.more, command.via, command.environment,
    )  # fmt: skip


class Findings(msgspec.Struct):
    """Commands, effects and gaps so far."""

    commands: list[Command] = []
    effects: list[Effect] = []
    gaps: list[Gap] = []
    effort: int = 0  # of reading so far
    unsettled: int = 0  # how often a command had results that its words and input do not explain
    inner: list[str] = []  # the programs that other programs run
    open_paths: list[Effect] = []  # the effects on paths that are only known at run time
    sources: dict[str, GapKind] = {}  # substitutions that bring in foreign text, as written
    ran: dict[str, str] = {}  # files that were run before this text wrote them, and the command
    printed: dict[str, tuple[PastCommand, ...]] = {}  # the last results of a command, by its text
    _noted: dict[str, Command | set[object]] = {}  # by text; a set if several commands have the same

    def sorted_as(self, written: str) -> Arguments:
        """Return the arguments of a noted command that prints files for others."""
        if not written.startswith(FINDING):  # its output is unknown
            return _NO_ARGUMENTS
        alike = (command.arguments for command in reversed(self.commands) if command.written == written)
        return next(filter(None, alike), _NO_ARGUMENTS)

    def command(self, command: Command) -> None:
        """Note a command, unless the same one is noted already."""
        effort = self.effort = self.effort + 10 + len(command.words) // 2
        commands = self.commands
        if effort > _MAX_EFFORT:
            raise TooMuchError
        alike = self._noted.setdefault(command.written, command)
        if alike is not command:
            if not isinstance(alike, set):
                alike = self._noted[command.written] = {_key(alike)}
            if (key := _key(command)) in alike:
                return
            alike.add(key)
        if len(commands) >= _MAX_COMMANDS:
            raise TooMuchError
        commands.append(command)

    def spend(self, effort: int) -> None:
        """Count the work of reading, since even a short text can cause very much of it."""
        self.effort += effort
        if self.effort > _MAX_EFFORT:
            raise TooMuchError

    def gap(self, kind: GapKind, why: str, text: str, start: int = 0, folders: tuple[str, ...] = ()) -> None:
        """Note a part that cannot be read; unknown text from another machine is noted as such."""
        self.unsettled += 1
        if self.sources and kind is GapKind.OPEN:
            kind = next((source for written, source in self.sources.items() if written in text), kind)
        if len(why) > _MAX_WHY:
            why = why[: _MAX_WHY - 1] + "…"
        self.gaps.append(Gap(kind=kind, why=why, text=text, start=start, folders=folders))

    def note_run(self, path: str, scope: Scope, by: str) -> None:
        """Note a file that is run and that this text has not made yet."""
        self.ran.update(dict.fromkeys(scope.places(path), by))
        self.doubt_written(path, by)

    def doubt_written(self, path: str, by: str) -> None:
        """Note a gap if code that names this file ran before and may have written it."""
        name = basename(path)
        for gap in self.gaps:
            if gap.kind is GapKind.CODE and name in gap.text:
                self.spend(len(gap.text) // _CHARACTERS)
                if writes_in(gap.text, name):
                    self.gap(GapKind.OPEN, f"`{path}` may be written by code", f"{gap.text}\n{by}")
                    return

    def doubt_links(self, scope: Scope, by: str) -> None:
        """Note a gap if this text made links and wrote files: the file that is run may be one of them."""
        self.spend(len(scope.files) // _FILES)
        if scope.linked and any(made.content is not None for made in scope.files.values()):
            self.gap(GapKind.OPEN, "a link may lead to the program", by)

    def look_back(self, scope: Scope) -> None:
        """Note files that ran in a loop, in the background or by a trap and are written after that."""
        globs = [path for path in self.ran if not _WILD.isdisjoint(path)]
        if len(globs) > _MOST_GLOBS:
            raise TooMuchError
        for glob in globs:
            self.ran.update(dict.fromkeys(matching(scope.files, glob), self.ran[glob]))
        for path in sorted(self.ran.keys() & scope.files.keys()):
            if (content := scope.files[path].content) is not None:
                text = f"{content.text}\n{self.ran[path]}"
                self.gap(GapKind.OPEN, f"`{path}` may be written before it is run", text)

    def path(self, kind: EffectKind, word: Word, scope: Scope, by: str, deep: int = 0) -> tuple[Effect, ...]:
        """Note an effect on a path, for every folder the command may be in."""
        text, fixed = word.text, word.fixed
        if not fixed and text.startswith(_FINDING) and deep < _MOST_LINKS:
            for listed in find_printed_paths(text):
                self.path(kind, listed, scope, by, _MOST_LINKS)
        if fixed and text.startswith("~"):
            text = "./" + text  # a quoted tilde is a plain name
        elif text.startswith("//"):
            text = "/" + text.lstrip("/")
        if text.startswith("/") or not scope.folders:
            effects: tuple[Effect, ...] = (Effect(kind, text, None, fixed, by),)
            if scope.near and text[:1] not in "/~":
                self.effects.append(Effect(kind, f"{scope.near}/{text}", None, False, by))
        else:
            effects = tuple([Effect(kind, text, folder, fixed, by) for folder in scope.folders])
        if scope.linked and deep < _MOST_LINKS:
            for other in scope.led_to(text):
                effects += self.path(kind, other, scope, by, deep + 1)
        self.effects += effects
        if not fixed:
            self.open_paths += effects
        return effects
