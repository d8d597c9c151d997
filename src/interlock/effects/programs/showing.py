"""What a command only shows: its help, its version, a list, what it would do, or files that git has."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum
from itertools import pairwise
from typing import Final

from interlock.effects.effect import Word
from interlock.effects.programs.program import HANDED_ON, Arguments, Flag, Operand, Role

_ASKING: Final = frozenset({"--help", "--version", "-help", "-version"})
_YES: Final = frozenset({"true", "1", "t", "yes", "client", "server"})
_NO: Final = frozenset({"false", "0", "f", "no", "none", "off"})
# They have no help of their own: to some shells that word is a file or a command.
_NO_HELP: Final = frozenset({"eval", "source", ".", "exec", "command", "builtin", "trap"})
_HANDED: Final = HANDED_ON | {Role.COMMAND}
_OPEN: Final = frozenset("$`")
_LONE: Final = 2  # dashes of a long name


class Showing(Enum):
    """What a command does instead of its work."""

    TELLS = "tells"  # prints its help or version, and looks at nothing
    LOOKS = "looks"  # lists, or says what it would do


def showing(arguments: Arguments, words: tuple[Word, ...]) -> Showing | None:
    """What a command only shows, or None if it does its work; one that runs others only without them."""
    program, flags = arguments.program, arguments.flags
    for flag in flags:  # few commands have an option that might show something
        if flag.option.shows if flag.option is not None else flag.name in _ASKING:
            break
    else:
        if words[-1].text != "-h":
            return None
    if arguments.commands or (program is None and not words[0].fixed):
        return None
    if program is not None and program.passes_on and (arguments.operands or arguments.name in _NO_HELP):
        return None
    found = next((what for flag in flags if (what := _shown_by(flag, arguments, words))), None)
    if found is None and _asks_git(arguments, words):
        found = Showing.TELLS
    # What prints a partition table with one option may write it with another.
    changes = program is not None and program.device
    if found is None or any(_does_more(flag, changes=changes) for flag in flags):
        return None
    if any(operand.role in _HANDED for operand in arguments.operands) or _may_be_undone(words):
        return None
    return found


def _shown_by(flag: Flag, arguments: Arguments, words: tuple[Word, ...]) -> Showing | None:
    option = flag.option
    if option is None:
        # Whoever does not know the option before it does not know whether this is its value.
        alone = flag.name in _ASKING and flag.value is None and not _follows_unknown(flag, arguments, words)
        return Showing.TELLS if alone else None
    if not option.shows or not _is_yes(flag, words):
        return None
    written = words[flag.index].text.partition("=")[0]
    known = {name.lstrip("-") for name in option.names}
    if written[:_LONE] == "--" and written[_LONE:] not in known and arguments.name[:4] != "git ":
        return None  # others may know a second option that begins so
    if any(_takes_back(word.text, option.names) for word in words):
        return None
    return Showing.LOOKS if _ASKING.isdisjoint(option.names) else Showing.TELLS


def _is_yes(flag: Flag, words: tuple[Word, ...]) -> bool:
    """`--dry-run=none` is not a dry run, and some take `false` from the next word."""
    if flag.option is not None and flag.option.value is not None and not flag.option.attached:
        return True
    if flag.value is not None:
        return flag.value.fixed and flag.value.text.lower() in _YES
    following = words[flag.index + 1 : flag.index + 2]
    return not (following and following[0].text.lower() in _NO)


def _takes_back(text: str, names: tuple[str, ...]) -> bool:
    """`--no-dry-run`, also by its beginning."""
    return text[:5] == "--no-" and any(name.startswith(f"--{text[5:]}") for name in names)


def _follows_unknown(flag: Flag, arguments: Arguments, words: tuple[Word, ...]) -> bool:
    if words[flag.index - 1].text[:1] != "-":
        return False
    return any(one.option is None and one.index == flag.index - 1 for one in arguments.flags)


def _asks_git(arguments: Arguments, words: tuple[Word, ...]) -> bool:
    """`git restore -h`: alone, that is the help of every subcommand, whatever else the letter means there."""
    name = arguments.name
    if name[:4] != "git " or words[-1] != Word("-h"):
        return False
    return [word.text for word in words[1:-1]] == name.split()[1:]


def _does_more(flag: Flag, *, changes: bool) -> bool:
    """Whether an option hands something on, or has a power of its own: `git -c core.sshCommand=… push -n`."""
    option = flag.option
    if option is None:
        return False
    if option.power and (changes or flag.value is not None):
        return True
    return flag.value is not None and option.value in _HANDED


def _may_be_undone(words: tuple[Word, ...]) -> bool:
    """Whether the run may bring an option that says otherwise."""
    for before, word in pairwise(words):
        if before.text == "--":
            break
        if not word.fixed and word.text[:1] in _OPEN:
            return True
    return False


_PATCH: Final = frozenset(
    "-p -U -L -c --cc --word-diff --color-words --patch-with-stat --patch-with-raw".split()
)
# Instead of the lines that changed they show names, numbers or nothing.
_SUMMARY: Final = frozenset(
    "--stat --numstat --shortstat --dirstat -X --summary --name-only --name-status --raw --check -s -q"
    " --compact-summary --cumulative".split()
)
_NAMES_OF_GREP: Final = frozenset("-l -L -c -q".split())
_ABOUT_OBJECT: Final = frozenset("-t -s -e --batch-check".split())
_EXCLUDING: Final = re.compile(r":[!^]|:\((?:[^)]*,)?exclude[,)]")
_MAGIC: Final = re.compile(r":(?:\([^)]*\)|/)?")
_INDEX: Final = re.compile(r":(?:[0-3]:)?")
_UNKNOWN_WORD: Final = re.compile(r"[$`*?\[{]")
# What names a commit and no file: ranges, ancestors, what a reflog holds, digests.
_REVISION: Final = re.compile(
    r"HEAD|@|ORIG_HEAD|FETCH_HEAD|MERGE_HEAD|-|[0-9a-f]{7,64}|.*(?:[~^]\d*|@\{.*\}|\^\{.*\})"
    r"|(?!\.\.?/).*[^./]\.{2,3}(?!/).*|\.{2,3}[^./].*"
)


def shown_by_git(arguments: Arguments) -> Iterable[Word]:
    """The files whose lines a git command prints or packs, as far as its words name them."""
    show = _SHOWING.get(arguments.name)
    return () if show is None else show(arguments)


def _patches(arguments: Arguments, *, unasked: bool) -> bool:
    names = {flag.name for flag in arguments.flags}
    return not _PATCH.isdisjoint(names) or (unasked and _SUMMARY.isdisjoint(names))


def _log(arguments: Arguments) -> Iterator[Word]:
    if _patches(arguments, unasked=False):
        yield from _ranges(arguments.flags)
        yield from _find_files(arguments, arguments.operands)


def _diff(arguments: Arguments) -> Iterator[Word]:
    if _patches(arguments, unasked=True):
        yield from _find_files(arguments, arguments.operands)


def _show(arguments: Arguments) -> Iterator[Word]:
    if _patches(arguments, unasked=True):
        yield from _ranges(arguments.flags)
        yield from _find_files(arguments, arguments.operands)
    else:  # a file of a commit is shown whole, whatever is asked about commits
        yield from _find_files(arguments, [one for one in arguments.operands if ":" in one.word.text])


def _always(arguments: Arguments) -> Iterator[Word]:
    yield from _find_files(arguments, arguments.operands)


def _grep(arguments: Arguments) -> Iterator[Word]:
    names = {flag.name for flag in arguments.flags}
    if _NAMES_OF_GREP.isdisjoint(names):
        yield from _find_files(arguments, arguments.operands[0 if names & {"-e", "-f"} else 1 :])


def _cat_file(arguments: Arguments) -> Iterator[Word]:
    if _ABOUT_OBJECT.isdisjoint(flag.name for flag in arguments.flags):
        yield from _find_files(arguments, [one for one in arguments.operands if ":" in one.word.text])


def _archive(arguments: Arguments) -> Iterator[Word]:
    tree, *paths = arguments.operands or (None,)
    _, colon, folder = tree.word.text.partition(":") if tree is not None else ("", "", "")
    if colon and not paths and tree is not None:
        yield from _find_files(arguments, [tree])
    for one in paths:
        yield _path(f"{folder.rstrip('/')}/{_plain(one.word.text)}" if colon else _plain(one.word.text))


def _ranges(flags: Sequence[Flag]) -> Iterator[Word]:
    """`-L 1,20:PATH`, `-L :function:PATH`."""
    for flag in flags:
        if flag.name == "-L" and flag.value is not None and ":" in flag.value.text:
            yield _path(flag.value.text.rpartition(":")[2])


def _find_files(arguments: Arguments, operands: Sequence[Operand]) -> Iterator[Word]:
    """Behind `--` all are pathspecs; before it a word may be a commit, a file of one, or a file."""
    end = next((flag.index for flag in arguments.flags if flag.name == "--"), None)
    for operand in operands:
        text, fixed = operand.word.text, operand.word.fixed
        if _EXCLUDING.match(text):
            continue
        if end is not None and operand.index > end:
            yield from _pathspec(_plain(text))
        elif text.startswith(":"):
            yield _path(_INDEX.sub("", text, count=1) if not text.startswith((":(", ":/")) else _plain(text))
        elif ":" in text:
            # The name of a commit has no colon; what a shell has still to put there may have.
            yield _path(text.partition(":")[2] if fixed else text.rpartition(":")[2])
        elif not _REVISION.fullmatch(text):
            yield from _pathspec(text)


def _pathspec(text: str) -> Iterator[Word]:
    """A path; the stars of git, unlike those of a shell, may also be nothing before a dot."""
    yield _path(text)
    least = text.rpartition("/")[2].lstrip("*")
    if "*" in text and least:
        yield _path(least)


def _plain(pathspec: str) -> str:
    return _MAGIC.sub("", pathspec, count=1) if pathspec.startswith(":") else pathspec


def _path(text: str) -> Word:
    return Word(text, fixed=_UNKNOWN_WORD.search(text) is None)


_SHOWING: Final[dict[str, Callable[[Arguments], Iterator[Word]]]] = {
    **dict.fromkeys(
        ("git log", "git whatchanged", "git reflog", "git reflog show", "git stash show", "git diff-tree"),
        _log,
    ),
    **dict.fromkeys(("git diff-index", "git diff-files"), _log),
    **dict.fromkeys(("git diff", "git difftool", "git format-patch", "git range-diff"), _diff),
    **dict.fromkeys(("git blame", "git annotate", "git fast-export"), _always),
    "git show": _show,
    "git grep": _grep,
    "git cat-file": _cat_file,
    "git archive": _archive,
}
