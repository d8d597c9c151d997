"""Loops: the values of their variables, and the state after parts that may not run."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

import msgspec

from interlock.effects.command import Command
from interlock.effects.effect import Effect, Word
from interlock.effects.shell.arithmetic import count_words
from interlock.effects.shell.expand import expand
from interlock.effects.shell.feed import SEVERAL, Feed, FeedKind
from interlock.effects.shell.findings import Findings
from interlock.effects.shell.names import ANY, is_list
from interlock.effects.shell.scope import Scope, merge_files
from interlock.effects.shell.syntax import Block, Glob, Text, Tilde, Variable

if TYPE_CHECKING:
    from interlock.effects.shell.walk import Walker

_LONGEST_LOOP: Final = 2_000  # characters of a loop; a longer one is read once
_MOST_VALUES: Final = 8
_BODY: Final = re.compile(r"\bdo\b")
_OPEN: Final = re.compile(r"[$`*?\[{~]")
_BESIDE_GLOB: Final = frozenset("$`<>")
_LEADING_AWAY: Final = re.compile(r"\A[/~.]|/\.")  # in a path outside the current folder, or a hidden one
# Parts that have no effect when they are expanded.
_ONLY_LOOKED_AT: Final = frozenset({Text, Glob, Variable, Tilde})


class Looped(msgspec.Struct, frozen=True, gc=False):
    """The values that the variable of a loop may have."""

    name: str = ""
    values: tuple[str, ...] = ()  # for each of which the body is read
    globs: tuple[str, ...] = ()  # other values; only the effects on the variable are noted for them
    whole: bool = False  # there are no other values


NOTHING: Final = Looped()


def read_loop_words(node: Block, scope: Scope, walker: Walker, text: str, feed: Feed) -> Looped:
    """Expand the words of `for` and `case`; return the values of the variable if a short loop uses it."""
    name = node.variable
    if not name:
        for word in node.words:
            if word.parts is not None and not _ONLY_LOOKED_AT.issuperset(map(type, word.parts)):
                expand(word, scope, walker)
        return _loop_over_read(text, feed, scope) if "read" in text else NOTHING
    words = [expanded for word in node.words for expanded in expand(word, scope, walker)]
    if not node.words:  # `for f; do …` goes over the parameters
        words = list(scope.all_parameters() or ())
    count_words(words, scope, walker.findings, walker.via, text)
    scope.stand_for(name, _list_of(words, scope, given=not node.words))
    if f"${name}" not in text and f"${{{name}" not in text:
        return NOTHING
    few = words[:_MOST_VALUES] if len(text) <= _LONGEST_LOOP else []
    away = [word.text for word in few if _is_glob(word) and _LEADING_AWAY.search(word.text)]
    values = [word.text for word in few if word.fixed]
    # The body is not read for each of these, but what it does to its variable is noted for all.
    globs = [word.text for word in words if _is_glob(word)]
    globs += [word.text for word in words[len(few) :] if word.fixed]
    body = _BODY.search(text)
    whole = len(values) == len(words) and body is not None and not _sets(text[body.end() :], name)
    return Looped(name, (*values, *away), tuple(dict.fromkeys(globs)), whole)


def _sets(body: str, name: str) -> bool:
    """Return whether a body may set a variable: it contains the name without `$` or `{` before it."""
    return re.search(rf"(?<![\w${{-]){name}\b|-v{name}\b", body) is not None


def _list_of(words: list[Word], scope: Scope, *, given: bool) -> str | None:
    """Return the substitution that prints the words of a loop; `given`: they are the parameters."""
    if given and scope.parameters is None:
        return scope.listed("@")
    return next((listed for word in words if (listed := list_in(word, scope.printed)) is not None), None)


def _loop_over_read(text: str, feed: Feed, scope: Scope) -> Looped:
    """Note what the condition of a loop reads into its variables; return the lines if they are known."""
    names = names_read(text)
    feed = scope.input_of(feed)
    listed = list_read(text, feed) if names else None
    for name in names:
        scope.stand_for(name, listed)
    lines = lines_of(feed) if len(names) == 1 and len(text) <= _LONGEST_LOOP else ()
    return Looped(names[0], lines) if lines else NOTHING


def fill_array(words: tuple[Word, ...], feed: Feed, scope: Scope, findings: Findings) -> None:
    """Note that an array which a builtin fills contains the names it is given."""
    name, listed = array_filled(words), find_list(scope.input_of(feed))
    if name is not None and listed is not None:
        findings.unsettled += 1
        scope.stand_for(name, listed)


def _is_glob(word: Word) -> bool:
    """Return whether a word is a glob without anything else unknown in it."""
    return word.splits and bool(word.text) and _BESIDE_GLOB.isdisjoint(word.text)


def note_loop(looped: Looped, findings: Findings, text: str, read: int | None) -> None:
    """Note what a body does to its variable; `read`: the number of commands after reading the values."""
    if looped.globs:
        _note_globs(looped, findings, text)
    if looped.whole and read is not None:
        commands = findings.commands
        commands[read:] = [_in_turn(command, looped.name) for command in commands[read:]]


def _in_turn(command: Command, name: str) -> Command:
    """Mark a command that was also read for each value, if nothing else in it is unknown."""
    rest = [word.text.replace(f"${{{name}}}", "") for word in command.words if not word.fixed]
    if not rest or any(_OPEN.search(re.sub(rf"\${name}\b", "", text)) for text in rest):
        return command
    return msgspec.structs.replace(command, in_turn=True)


def _note_globs(looped: Looped, findings: Findings, text: str) -> None:
    """Note the effects on the variable as effects on the files: `for f in src/*; do rm "$f"; done`."""
    findings.spend(len(findings.open_paths) * len(looped.globs))
    name = looped.name
    for effect in findings.open_paths:
        written = effect.target
        if name in written and effect.by in text:
            for glob in looped.globs:
                target = glob if written == f"${name}" else _with(glob, written, name)
                if target != written:
                    findings.effects.append(Effect(effect.kind, target, effect.base, False, effect.by))


def _with(glob: str, target: str, name: str) -> str:
    """Return a path with the glob in place of this variable, but not of one with a longer name."""
    first, *rest = target.replace(f"${{{name}}}", glob).split(f"${name}")
    for piece in rest:
        first += f"${name}{piece}" if piece[:1].isalnum() or piece[:1] == "_" else f"{glob}{piece}"
    return first


# These drop or reorder lines but change none.
FILTERS: Final = frozenset("cat egrep fgrep grep head rg shuf sort tac tail tee uniq".split())
FILLING: Final = frozenset({"read", "mapfile", "readarray"})
_READ: Final = re.compile(r"\bread\b((?:[ \t]+[^\s;&|<>()]+)*)")
_WHOLE: Final = re.compile(r"(?:<\(|\$\()(.*)\)|`(.*)`", re.DOTALL)
_ELSEWHERE: Final = re.compile(r"<&|\s-u")  # reads from another descriptor
_STANDS_FOR: Final = "{}"  # in place of what is found
_LONGEST: Final = 200  # characters of a command in a substitution
_MOST_LINES: Final = 8
_NUMBERS: Final = ("seq ", "jot ", "date ", "nproc")  # print no names of files


def names_read(loop: str) -> tuple[str, ...]:
    """Return the variables that the condition of a loop reads."""
    if "read" not in loop:
        return ()
    match = _BODY.search(loop)
    header = loop[: match.start()] if match else loop
    reads = [[word for word in match[1].split() if word.isidentifier()] for match in _READ.finditer(header)]
    return tuple(name for names in reads for name in names or ["REPLY"])


def list_read(loop: str, feed: Feed) -> str | None:
    """Return the input of a loop as a substitution, None if it is no list of names."""
    if feed.kind is FeedKind.NONE:
        match = _BODY.search(loop)
        return ANY if match and _ELSEWHERE.search(loop, 0, match.start()) else None
    return find_list(feed)


def find_list(feed: Feed) -> str | None:
    """Return the substitution that prints an input, None if it is literal text or no list of names."""
    if feed.kind is FeedKind.FILE:
        return f"$(cat {feed.text})"
    if feed.kind is not FeedKind.OPEN:
        return None
    return ANY if feed.text == SEVERAL.text else list_printed(feed.text)


def list_printed(written: str) -> str | None:
    """Return a substitution of the command that first prints the names: `find … | sort` is `$(find …)`."""
    whole = _WHOLE.fullmatch(written.strip())
    command = ((whole[1] or whole[2] or "") if whole else written).strip()
    first, *rest = command.split("|")
    if all(part.split(None, 1)[0] in FILTERS for part in rest if part.strip()):
        command = first.strip()
    if command.startswith(_NUMBERS):
        return None
    return f"$({command})" if 0 < len(command) <= _LONGEST else ANY


def list_in(word: Word, printed: Mapping[str, str]) -> str | None:
    """Return the substitution whose output a loop goes over, None if the word is something else."""
    if word.fixed or not word.splits:
        return None
    if word.text == _STANDS_FOR:
        return ANY
    if word.text[:1] == "$" and word.text[1:] in printed:
        return printed[word.text[1:]]
    return list_printed(word.text) if _WHOLE.fullmatch(word.text) else None


def lines_of(feed: Feed) -> tuple[str, ...]:
    """Return the lines of a short literal input."""
    if feed.kind is not FeedKind.TEXT:
        return ()
    lines = feed.text.splitlines()
    return tuple(line.strip() for line in lines if line.strip()) if len(lines) <= _MOST_LINES else ()


def follow_filter(name: str, given: Feed, printed: Feed) -> Feed:
    """Return what a program prints; a filter prints what the program before it has printed."""
    if name not in FILTERS or printed.kind is not FeedKind.OPEN:
        return printed
    return Feed(FeedKind.OPEN, given.text, printed.decoded, printed.network)


def lists_given(words: list[Word], *, more: bool) -> dict[str, str]:
    """Return the parameters that stand for what another program finds: `find … -exec sh -c T _ {}`."""
    if more:
        return dict.fromkeys(("@", "*", *map(str, range(10))), ANY)
    open_words = {str(at): word.text for at, word in enumerate(words) if not word.fixed}
    return {name: text if is_list(text) else ANY for name, text in open_words.items() if _STANDS_FOR in text}


def array_filled(words: tuple[Word, ...]) -> str | None:
    """Return the array that a builtin fills."""
    texts = [word.text for word in words[1:]]
    if words[0].text == "read" and not any(text[:1] == "-" and "a" in text for text in texts):
        return None
    names = [text for text in texts if text.isidentifier()]
    return names[-1] if names else "MAPFILE"


_UNSET: Final = object()
_SYSTEM: Final = frozenset({"HOME", "PWD", "IFS"})  # known before anyone sets them
_ANY_INPUT: Final = Feed(FeedKind.OPEN, "input that may or may not be opened")


def join(scope: Scope, old: Scope) -> bool:
    """Make unknown what differs from a snapshot; return whether anything known became unknown."""
    shaken = (scope.lost and not old.lost) or (scope.linked and not old.linked)
    if scope.folders is not old.folders and scope.folders != old.folders:
        scope.perhaps(old.folders)
        shaken = True
    return shaken if scope.is_as(old) else join_values(scope, old) or shaken


def join_values(scope: Scope, old: Scope) -> bool:
    """Do the same for everything but the folder."""
    shaken = False
    if scope.variables is not old.variables:
        shaken = _join_variables(scope, old)
    if scope.arrays is not old.arrays and scope.arrays != old.arrays:
        shaken = _join_arrays(scope, old) or shaken
    if scope.functions is not old.functions and scope.functions != old.functions:
        shaken = _join_functions(scope, old) or shaken
    if scope.parameters is not old.parameters and scope.parameters != old.parameters:
        shaken = shaken or old.parameters is not None
        scope.parameters = None
    if scope.shadowed is not old.shadowed and scope.shadowed != old.shadowed:
        shaken = True
    if scope.input is not old.input and scope.input != old.input:
        shaken = shaken or old.input is not _ANY_INPUT
        scope.input = _ANY_INPUT
    return (len(scope.log) != old.mark and _join_files(scope, old)) or shaken


def _join_variables(scope: Scope, old: Scope) -> bool:
    values = old.variables
    if scope.variables.items() <= values.items():  # nothing changed; this is the fastest check
        return False
    changed = [name for name, value in scope.variables.items() if values.get(name, _UNSET) != value]
    if changed:
        # If it may not be set at all, the environment may set it.
        origins = {name: written for name, written in scope.origins.items() if name not in values}
        scope.forget(changed)
        scope.origins.update(origins)
    return any(values.get(name) is not None or (name in _SYSTEM and name not in values) for name in changed)


def _join_arrays(scope: Scope, old: Scope) -> bool:
    names = scope.arrays.keys() | old.arrays.keys()
    changed = [name for name in names if scope.arrays.get(name) != old.arrays.get(name)]
    scope.forget(changed)
    return any(name in old.arrays for name in changed)


def _join_functions(scope: Scope, old: Scope) -> bool:
    """Note functions that may be undefined; a name with two possible bodies counts as redefined."""
    changed = [name for name, body in scope.functions.items() if old.functions.get(name) != body]
    again = [name for name in changed if name in old.functions]
    scope.doubt(changed)
    if again:
        scope.shadow(again)
    return bool(again)


def _join_files(scope: Scope, old: Scope) -> bool:
    replaced = scope.replaced(old)
    for path, made in replaced.items():
        scope.put(path, merge_files(made, scope.files[path]))
    return any(scope.files[path] != made for path, made in replaced.items())
