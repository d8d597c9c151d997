"""Which files' content a git command shows: by pathspecs, by `REV:PATH`, by `-L RANGE:PATH`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from interlock.effects.effect import Word
from interlock.effects.programs.arguments import Arguments, Flag, Operand

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
_OPEN: Final = re.compile(r"[$`*?\[{]")
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
    return Word(text, fixed=_OPEN.search(text) is None)


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
