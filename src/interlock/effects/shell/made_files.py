"""Files that a command makes and later ones may run: copies, links, pipes, what was put into them."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from functools import partial
from typing import Final

from interlock.effects.effect import Word
from interlock.effects.programs.arguments import Arguments, Flag, Operand
from interlock.effects.programs.program import Role
from interlock.effects.shell.feed import DESCRIPTOR, STANDARD_INPUT, Feed, FeedKind
from interlock.effects.shell.scope import MadeFile, Scope

_COPYING_INPUT: Final = frozenset({"tee", "dd", "sponge"})
_NAMING: Final = frozenset({"cp", "mv", "ln", "link", "install", "rsync", "scp", "ditto"})
_PIPING: Final = frozenset({"mkfifo", "mknod"})
_SPLITTING: Final = {"split": "x", "csplit": "xx"}  # with what their names begin unless they are told
_RENAMING: Final = frozenset({"rename", "prename", "file-rename", "rename.ul", "mmv", "vidir"})
MAKING: Final = _COPYING_INPUT | _NAMING | _PIPING | _RENAMING | _SPLITTING.keys()
# Others that put text into the files they are told; what compilers and formatters make is not text of theirs.
WRITING_TEXT: Final = frozenset(
    "sed awk perl ruby uniq xxd patch recode dos2unix unix2dos mac2unix yq xq tomlq jq ed red ex"
    " vim view nvi emacs json.tool pandoc zstd sops ansible-vault cpio script iconv msgmerge xmllint xsltproc"
    " sdiff zipnote sqlite3 duckdb".split()
) | {"git mv", "docker cp", "podman cp", "nerdctl cp", "kubectl cp", "oc cp"}
_LINKING: Final = frozenset({"-l", "-s"})  # with which `cp` makes links
_PUTTING: Final = frozenset({Role.WRITE, Role.EDIT})
_OPEN: Final = frozenset("$`)")  # in a name that only the run decides


def note_made(name: str, arguments: Arguments, feed: Feed, written: str, scope: Scope) -> None:
    """Remember what one of these programs puts where."""
    if name in _NAMING:
        _name(name, arguments, feed, scope)
    elif name in _COPYING_INPUT:
        _copy_input(name, arguments, feed, written, scope)
    elif name in _RENAMING:  # by a rule: any name may mean another file from here on
        scope.linked = True
    elif name in _SPLITTING:
        told = [operand.word.text for operand in arguments.operands if operand.role in _PUTTING]
        told += [flag.value.text for flag in arguments.flags if flag.value and flag.name == "-f"]
        for start in told or (_SPLITTING[name],):
            scope.make(f"{start}*", MadeFile(content=Feed(FeedKind.OPEN, written)))
    else:  # what comes out of a pipe is written to it somewhere else
        for operand in arguments.operands:
            scope.make(operand.word.text, MadeFile(content=Feed(FeedKind.OPEN, written)))


def note_written(operands: Sequence[Operand], flags: Sequence[Flag], by: str, scope: Scope) -> bool:
    """Remember the files into which one of the others puts text that nobody knows; whether there are any."""
    paths = [operand.word for operand in operands if operand.role in _PUTTING]
    paths += [flag.value for flag in flags if flag.value and flag.option and flag.option.value in _PUTTING]
    made = MadeFile(content=Feed(FeedKind.OPEN, by))
    for path in paths:
        scope.make(path.text, made)
        for place in () if path.fixed else scope.places(path.text):
            for other in list(filter(partial(_is_met, place), scope.files)):
                scope.put(other, made)
    return bool(paths)


def _is_met(glob: str, path: str) -> bool:
    return fnmatchcase(path, glob)


def content_of(feed: Feed, scope: Scope) -> Feed:
    """What a file holds that is given this: of another file, what stands in that one now."""
    if feed.kind is not FeedKind.FILE:
        return feed
    made = scope.made(feed.text)
    return made.content if made is not None and made.content is not None else Feed(FeedKind.OPEN, feed.text)


def _name(name: str, arguments: Arguments, feed: Feed, scope: Scope) -> None:
    """`cp`, `mv`, `ln` and `install` give a file another name, or put it into a folder."""
    flags = {flag.name for flag in arguments.flags}
    link = name in {"ln", "link"} or (name == "cp" and not _LINKING.isdisjoint(flags))
    scope.linked = scope.linked or link
    if arguments.operands and arguments.operands[-1].role is Role.NETWORK:
        return  # it goes to another machine
    sources = [operand.word for operand in arguments.operands if operand.role is not Role.NETWORK]
    targets = [flag.value for flag in arguments.flags if flag.option and flag.option.value is Role.WRITE]
    target = targets[-1] if targets else sources.pop() if len(sources) > 1 else None
    for source in sources:
        if target is not None:
            _give(source, target.text, feed, scope, link=link)
        elif link:  # it gets the same name here
            _give(source, source.text.rstrip("/").rpartition("/")[2], feed, scope, link=link)


def _give(source: Word, target: str, feed: Feed, scope: Scope, *, link: bool = False) -> None:
    """What is at one path is at another, too, and whatever lies below it."""
    last = source.text.rstrip("/").rpartition("/")[2]
    made = scope.made(source.text)
    if source.text in STANDARD_INPUT and feed.kind is not FeedKind.NONE:
        made = MadeFile(content=content_of(feed, scope))
    elif DESCRIPTOR.fullmatch(source.text):
        made = MadeFile(content=Feed(FeedKind.OPEN, source.text))
    elif made is None:
        known = source.fixed or _OPEN.isdisjoint(last)
        content = None if known else Feed(FeedKind.OPEN, source.text)
        made = MadeFile(content, last if known else None, source, scope.folder, link)
    for place in scope.places(source.text):
        for path, below in tuple(scope.files.items()):
            if path.startswith(place + "/"):
                rest = path[len(place) :]
                scope.make(target + rest, below)
                scope.make(f"{target}/{last}{rest}", below)
            elif not source.fixed and fnmatchcase(path, place):
                scope.make(f"{target}/{path.rpartition('/')[2]}", below)
    scope.make(target, made)
    scope.make(f"{target}/{last}", made)
    if "/" in source.text:  # `cp --parents`, `rsync -R`
        scope.make(f"{target}/{source.text}", made)


def _copy_input(name: str, arguments: Arguments, feed: Feed, written: str, scope: Scope) -> None:
    """`tee` puts its input into files that may be run further on; `dd` also another file."""
    if feed.kind is FeedKind.NONE:
        feed = Feed(FeedKind.OPEN, written)
    feed = content_of(feed, scope)
    if feed.kind is FeedKind.TEXT and (name != "tee" or any(f.name == "-a" for f in arguments.flags)):
        feed = Feed(FeedKind.OPEN, f"{written}\n{feed.text}")
    values = {flag.name: flag.value for flag in arguments.flags if flag.value is not None}
    if name == "dd" and "if" in values and "of" in values:
        _give(values["if"], values["of"].text, feed, scope)
        return
    for word in (*values.values(), *(operand.word for operand in arguments.operands)):
        scope.make(word.text, MadeFile(content=feed))
