"""Finds commands that only show something: help, a version, a list, a dry run, or files that git has."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from itertools import pairwise
from typing import Final

from interlock.effects.effect import Word
from interlock.effects.programs.program import HANDED_ON, Arguments, Flag, Operand, Role

_ASKING: Final = frozenset({"--help", "--version", "-help", "-version"})
_YES: Final = frozenset({"true", "1", "t", "yes", "client", "server"})
_NO: Final = frozenset({"false", "0", "f", "no", "none", "off"})
# These have no help: some shells take the word for a file or a command.
_NO_HELP: Final = frozenset({"eval", "source", ".", "exec", "command", "builtin", "trap"})
_HANDED: Final = HANDED_ON | {Role.COMMAND}
_OPEN: Final = frozenset("$`")


class Showing(Enum):
    """What a command does instead of its work."""

    TELLS = "tells"  # prints its help or version, and reads nothing
    LOOKS = "looks"  # lists something, or says what it would do


def showing(arguments: Arguments, words: tuple[Word, ...]) -> Showing | None:
    """Return what a command only shows, or None if it does its work or runs another command."""
    program, flags = arguments.program, arguments.flags
    for flag in flags:  # few commands have such an option
        if flag.option.shows if flag.option is not None else flag.name in _ASKING:
            break
    else:
        if words[-1].text != "-h":
            return None
    if arguments.commands or (program is None and not words[0].fixed):
        return None
    if program is not None and program.passes_on and (arguments.operands or arguments.name in _NO_HELP):
        return None
    kind = next((shown for flag in flags if (shown := _showing_of_flag(flag, arguments, words))), None)
    if kind is None and _asks_git(arguments, words):
        kind = Showing.TELLS
    # A program that prints a partition table with one option may write it with another.
    changes = program is not None and program.device
    if kind is None or any(_does_more(flag, changes=changes) for flag in flags):
        return None
    if any(operand.role in _HANDED for operand in arguments.operands) or _may_be_undone(words):
        return None
    return kind


def _showing_of_flag(flag: Flag, arguments: Arguments, words: tuple[Word, ...]) -> Showing | None:
    option = flag.option
    if option is None:
        # After an unknown option, this may be its value.
        alone = flag.name in _ASKING and flag.value is None and not _follows_unknown(flag, arguments, words)
        return Showing.TELLS if alone else None
    if not option.shows or not _is_yes(flag, words):
        return None
    written = words[flag.index].text.partition("=")[0]
    known = {name.lstrip("-") for name in option.names}
    if written[:2] == "--" and written[2:] not in known and arguments.name[:4] != "git ":
        return None  # an abbreviation; the program may have a second option with this prefix
    if any(_takes_back(word.text, option.names) for word in words):
        return None
    return Showing.LOOKS if _ASKING.isdisjoint(option.names) else Showing.TELLS


def _is_yes(flag: Flag, words: tuple[Word, ...]) -> bool:
    """Return whether the option is on: `--dry-run=none` is off, and some take `false` from the next word."""
    if flag.option is not None and flag.option.value is not None and not flag.option.attached:
        return True
    if flag.value is not None:
        return flag.value.fixed and flag.value.text.lower() in _YES
    following = words[flag.index + 1 : flag.index + 2]
    return not (following and following[0].text.lower() in _NO)


def _takes_back(text: str, names: tuple[str, ...]) -> bool:
    """Return whether this is `--no-dry-run` or an abbreviation of it."""
    return text[:5] == "--no-" and any(name.startswith(f"--{text[5:]}") for name in names)


def _follows_unknown(flag: Flag, arguments: Arguments, words: tuple[Word, ...]) -> bool:
    if words[flag.index - 1].text[:1] != "-":
        return False
    return any(other.option is None and other.index == flag.index - 1 for other in arguments.flags)


def _asks_git(arguments: Arguments, words: tuple[Word, ...]) -> bool:
    """Return whether this is `git restore -h`: alone, `-h` is help in every subcommand."""
    name = arguments.name
    if name[:4] != "git " or words[-1] != Word("-h"):
        return False
    return [word.text for word in words[1:-1]] == name.split()[1:]


def _does_more(flag: Flag, *, changes: bool) -> bool:
    """Return whether an option runs something or does more than show: `git -c core.sshCommand=… push -n`."""
    option = flag.option
    if option is None:
        return False
    if option.power and (changes or flag.value is not None):
        return True
    return flag.value is not None and option.value in _HANDED


def _may_be_undone(words: tuple[Word, ...]) -> bool:
    """Return whether a word may expand to an option that undoes it."""
    for before, word in pairwise(words):
        if before.text == "--":
            break
        if not word.fixed and word.text[:1] in _OPEN:
            return True
    return False


_PATCH: Final = frozenset(
    "-p -U -L -c --cc --word-diff --color-words --patch-with-stat --patch-with-raw".split()
)
# These show names, numbers or nothing instead of the changed lines.
_SUMMARY: Final = frozenset(
    "--stat --numstat --shortstat --dirstat -X --summary --name-only --name-status --raw --check -s -q"
    " --compact-summary --cumulative".split()
)
# They print patches only if asked.
_LOGS: Final = frozenset(
    f"git {name}"
    for name in "log,whatchanged,reflog,reflog show,stash show,diff-tree,diff-index,diff-files".split(",")
)
_DIFFS: Final = frozenset({"git diff", "git difftool", "git format-patch", "git range-diff"})
_WHOLE_FILES: Final = frozenset({"git blame", "git annotate", "git fast-export"})
_PRINTING: Final = _LOGS | _DIFFS | _WHOLE_FILES | {"git show", "git grep", "git cat-file", "git archive"}
_NAMES_OF_GREP: Final = frozenset("-l -L -c -q".split())
_ABOUT_OBJECT: Final = frozenset("-t -s -e --batch-check".split())
_EXCLUDING: Final = re.compile(r":[!^]|:\((?:[^)]*,)?exclude[,)]")
_MAGIC: Final = re.compile(r":(?:\([^)]*\)|/)?")
_INDEX: Final = re.compile(r":(?:[0-3]:)?")
_UNKNOWN_WORD: Final = re.compile(r"[$`*?\[{]")
# Names of commits, not files: ranges, ancestors, reflog entries, digests.
_REVISION: Final = re.compile(
    r"HEAD|@|ORIG_HEAD|FETCH_HEAD|MERGE_HEAD|-|[0-9a-f]{7,64}|.*(?:[~^]\d*|@\{.*\}|\^\{.*\})"
    r"|(?!\.\.?/).*[^./]\.{2,3}(?!/).*|\.{2,3}[^./].*"
)


def shown_by_git(arguments: Arguments) -> Iterable[Word]:
    """Return the files named by a git command whose lines it prints or packs."""
    return _find_shown(arguments) if arguments.name in _PRINTING else ()


def _find_shown(arguments: Arguments) -> Iterator[Word]:
    name, operands = arguments.name, arguments.operands
    flags = {flag.name for flag in arguments.flags}
    objects = [operand for operand in operands if ":" in operand.word.text]  # `HEAD:file`
    shown: Sequence[Operand] = operands
    if name == "git archive":
        yield from _archive(arguments)
        return
    if name == "git grep":
        shown = operands[0 if flags & {"-e", "-f"} else 1 :] if _NAMES_OF_GREP.isdisjoint(flags) else ()
    elif name == "git cat-file":
        shown = objects if _ABOUT_OBJECT.isdisjoint(flags) else ()
    elif name not in _WHOLE_FILES:
        patches = not _PATCH.isdisjoint(flags) or (name not in _LOGS and _SUMMARY.isdisjoint(flags))
        if patches and name not in _DIFFS:
            yield from _ranges(arguments.flags)
        if not patches:  # a file of a commit is shown whole, whatever the options say about commits
            shown = objects if name == "git show" else ()
    yield from _find_files(arguments, shown)


def _archive(arguments: Arguments) -> Iterator[Word]:
    tree, *paths = arguments.operands or (None,)
    _, colon, folder = tree.word.text.partition(":") if tree is not None else ("", "", "")
    if colon and not paths and tree is not None:
        yield from _find_files(arguments, [tree])
    start = f"{folder.rstrip('/')}/" if colon else ""
    for path in paths:
        yield _path(start + _plain(path.word.text))


def _ranges(flags: Sequence[Flag]) -> Iterator[Word]:
    """`-L 1,20:PATH`, `-L :function:PATH`."""
    for flag in flags:
        if flag.name == "-L" and flag.value is not None and ":" in flag.value.text:
            yield _path(flag.value.text.rpartition(":")[2])


def _find_files(arguments: Arguments, operands: Sequence[Operand]) -> Iterator[Word]:
    """Yield the files among operands: after `--` all are pathspecs; before it, some name commits."""
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
            # A commit name has no colon, but an expansion before it may have one.
            yield _path(text.partition(":")[2] if fixed else text.rpartition(":")[2])
        elif not _REVISION.fullmatch(text):
            yield from _pathspec(text)


def _pathspec(text: str) -> Iterator[Word]:
    """Yield a path; a star of git, unlike one of a shell, may also match nothing before a dot."""
    yield _path(text)
    least = text.rpartition("/")[2].lstrip("*")
    if "*" in text and least:
        yield _path(least)


def _plain(pathspec: str) -> str:
    return _MAGIC.sub("", pathspec, count=1) if pathspec.startswith(":") else pathspec


def _path(text: str) -> Word:
    return Word(text, fixed=_UNKNOWN_WORD.search(text) is None)
