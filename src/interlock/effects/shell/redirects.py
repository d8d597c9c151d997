"""Redirects as effects and as input."""

from __future__ import annotations

from typing import Final

from interlock.effects.command import Command, GapKind
from interlock.effects.effect import Effect, EffectKind, Word
from interlock.effects.shell.arithmetic import is_foreign
from interlock.effects.shell.builtins import BUILTINS
from interlock.effects.shell.context import TextSpan, writes_file
from interlock.effects.shell.expand import Inner, expand, single, text_of
from interlock.effects.shell.expand import target as target_of
from interlock.effects.shell.expansions import runs_in
from interlock.effects.shell.feed import Feed, FeedKind
from interlock.effects.shell.findings import Findings, env_effect
from interlock.effects.shell.made_files import content_of
from interlock.effects.shell.names import ANY, is_command_line, is_run_later, is_sensitive
from interlock.effects.shell.scope import MadeFile, Scope
from interlock.effects.shell.syntax import Assignment, Part, Redirect, Text

# Names of the module are found sooner than members of a class.
_TEXT, _OPEN, _FILE = FeedKind.TEXT, FeedKind.OPEN, FeedKind.FILE
_AWAY: Final = frozenset(">&")  # how their operators begin
_READING: Final = frozenset({"<", "<>"})
_OTHERS: Final = frozenset("123456789{")  # how redirects begin that name a descriptor other than the input
# What changes this very shell, itself or by what it runs.
_IN_THIS_SHELL: Final = frozenset({*BUILTINS, "eval", "exec", "command", "builtin", "coproc"})
_ADDING: Final = frozenset({">>", "&>>"})
_CONNECTING: Final = ("/dev/tcp/", "/dev/udp/")
_ALWAYS_THERE: Final = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr"})
_ALWAYS_OPEN: Final = frozenset({"0", "1", "2", "-"})
_WRITE, _READ = EffectKind.WRITE, EffectKind.READ


def follow_redirects(
    redirects: tuple[Redirect, ...], feed: Feed, scope: Scope, inner: Inner, by: str
) -> tuple[Feed, tuple[Effect, ...], bool]:
    """Note what redirects do; what the command reads, what they write, whether it prints elsewhere."""
    found = inner.found
    writes: tuple[Effect, ...] = ()
    away = False
    for redirect in redirects:
        operator, body = redirect.operator, redirect.body
        if inner.text[redirect.start] == "{":  # `{fd}>f` puts the number into that variable
            scope.assign(inner.text[redirect.start + 1 : redirect.end].partition("}")[0], None)
        into_file = body is None and writes_file(redirect)
        if operator[0] in _AWAY:
            away = True
            if not into_file:  # to a stream, as most go
                continue
        target = (
            target_of(redirect.target, scope, inner) if body is None else _read_document(body, scope, inner)
        )
        if operator[:2] != "<<":
            if target.text.startswith(_CONNECTING):
                _connect(target.text, found, by)
            elif into_file:
                writes += found.path(_WRITE, target, scope, by)
            if operator in _READING:
                found.path(_READ, target, scope, by)
        if operator[0] == "<":
            given = _input_of(operator, target, feed, inner, by)
            # A descriptor with another number is not the input.
            feed = inner.given = feed if inner.text[redirect.start] in _OTHERS else given
    return feed, writes, away


def _read_document(body: list[Part], scope: Scope, inner: Inner) -> Word:
    text, settled = text_of(body, scope, inner)
    return Word(text, settled)


def _input_of(operator: str, target: Word, feed: Feed, inner: Inner, by: str) -> Feed:
    """What there is to read where an input redirect leads."""
    text = target.text
    if operator[:2] == "<<":
        return Feed(_TEXT if target.fixed else _OPEN, text + "\n" if operator == "<<<" else text)
    if operator in _READING:
        if text.startswith(_CONNECTING):
            return Feed(_OPEN, text, network=True)
        return Feed(_FILE if target.fixed else _OPEN, text)
    if text == "-":
        return feed
    if not text.rstrip("-").isdigit():
        inner.found.gap(GapKind.SYNTAX, f"redirect `<&{text}`", by)
    # Whatever was opened under that number, anywhere in the text.
    return Feed(_OPEN, inner.text, network=any(map(inner.text.__contains__, _CONNECTING)))


def unopened(redirects: tuple[Redirect, ...], scope: Scope, program: Word | None = None) -> Scope | None:
    """How things stand, and stay if a file cannot be opened: then nothing runs that was to use it."""
    if program is not None and program.fixed:
        name = program.text
        if name not in _IN_THIS_SHELL and name not in scope.functions:
            return None  # a process of its own changes nothing here
    for redirect in redirects:
        operator, target = redirect.operator, redirect.target
        if operator[:2] != "<<":
            sure = _ALWAYS_OPEN if operator[-1] == "&" else _ALWAYS_THERE
            if target.parts is not None or target.text not in sure:
                return scope.copy()  # what is on the disk is not undone
    return None


def make_file(effect: Effect, redirects: tuple[Redirect, ...], printed: Feed, scope: Scope) -> None:
    """A file that is written here may be run further on."""
    printed = content_of(printed, scope)
    operators = {redirect.operator for redirect in redirects}
    if "<>" in operators:  # puts it over what is there
        printed = Feed(_OPEN, effect.by)
    elif not _ADDING.isdisjoint(operators):
        before = scope.made(effect.target)
        printed = _append(before.content if before is not None else None, printed, effect.by)
    scope.make(effect.target, MadeFile(content=printed))


def _append(before: Feed | None, printed: Feed, by: str) -> Feed:
    """What is in a file to which this is added."""
    if before is None or before.kind is not printed.kind:
        return Feed(_OPEN, by, printed.decoded, printed.network)
    decoded, network = before.decoded or printed.decoded, before.network or printed.network
    return Feed(printed.kind, before.text + printed.text, decoded, network)


def note_block(
    place: TextSpan, scope: Scope, via: tuple[str, ...], writes: tuple[Effect, ...], found: Findings
) -> None:
    """A block whose output goes to a file needs an allow of its own for that."""
    marked, bare = place.marked()
    for effect in writes:
        scope.make(effect.target, MadeFile(content=Feed(_OPEN, place.text)))
    found.command(
        Command(
            (), place.written, marked, bare, writes, cwd=scope.folder, via=via, transparent=not writes,
        )
    )  # fmt: skip


def _connect(target: str, found: Findings, by: str) -> None:
    host = "".join(target.split("/")[3:4])  # /dev/tcp/HOST/PORT
    found.effects.append(Effect(EffectKind.NETWORK, host or target, None, bool(host), by))


def assigned_all(
    assignments: tuple[Assignment, ...],
    text: str,
    scope: Scope,
    arrays: dict[str, tuple[Word, ...]],
    inner: Inner,
    *,
    keep: bool,
) -> tuple[tuple[str, Word], ...]:
    """The variables that one command sets: each sees those before it, which only stay without a program."""
    if len(assignments) == 1:
        return (assigned(assignments[0], text, scope, arrays, inner),)
    before = {one.name: scope.variables.get(one.name) for one in assignments}
    found = []
    for one in assignments:
        name, value = assigned(one, text, scope, arrays, inner)
        scope.assign(name, value.text if value.fixed else None)
        found.append((name, value))
    if not keep:
        for name, old in before.items():
            scope.assign(name, old)
    return tuple(found)


def assigned(
    assignment: Assignment, text: str, scope: Scope, arrays: dict[str, tuple[Word, ...]], inner: Inner
) -> tuple[str, Word]:
    """The variable and its value; the elements of an array are put among the arrays."""
    if assignment.value is None:
        words, keyed = list[Word](), False
        for element in assignment.elements:
            for word in expand(element, scope, inner):
                _note_value(assignment.name, word, None, inner)
                words.append(word)
            if text.startswith("[", element.start):  # a subscript, which is counted
                counted = single(element, scope, inner)
                _note_value(assignment.name, Word(f"a{counted.text}", counted.fixed), None, inner)
                keyed = True
        if not keyed and not assignment.adds:
            arrays[assignment.name] = tuple(words)
        return assignment.name, Word("(…)", fixed=False)
    value = single(assignment.value, scope, inner)
    before = scope.variables.get(assignment.name) if assignment.adds else None
    whole = Word(f"{before}{value.text}", value.fixed) if before else value
    _note_value(assignment.name, whole, assignment.value.parts, inner)
    if assignment.plain:
        return assignment.name, value
    if value.fixed and is_run_later(assignment.name, "", fixed=False):  # what it is added to counts as well
        inner.found.gap(GapKind.OPEN, f"a shell runs the value of `{assignment.name}`", value.text)
    return assignment.name, Word(ANY + value.text, fixed=False)  # behind what it holds by then


def _note_value(name: str, value: Word, parts: tuple[Part, ...] | None, inner: Inner) -> None:
    """What a shell would run of a value, now or when it counts with it."""
    if is_run_later(name, value.text, fixed=value.fixed):
        inner.found.gap(GapKind.OPEN, f"a shell runs the value of `{name}`", value.text)
    elif is_command_line(name, value.text):
        inner.found.gap(GapKind.CODE, f"a program runs the value of `{name}`", value.text)
    if "[" in value.text:
        literal = value.text
        if not value.fixed:  # a substitution that stands there has been read
            literal = "".join([part.text for part in parts or () if type(part) is Text])
        hidden = not value.fixed and ("$(" in literal or "`" in literal) and "[" in literal
        if hidden or runs_in(literal):
            inner.found.gap(GapKind.OPEN, f"arithmetic would run the value of `{name}`", value.text)


def assign(
    environment: tuple[tuple[str, Word], ...],
    scope: Scope,
    place: TextSpan,
    writes: tuple[Effect, ...],
    found: Findings,
    *,
    via: tuple[str, ...],
) -> None:
    """Assignments that stand alone change this shell; redirects that stand alone make files."""
    marked, bare = place.marked()
    written = place.written if place.redirects else marked
    sensitive = False
    for name, value in environment:
        if value.fixed:
            scope.assign(name, value.text)
        else:
            foreign = bool(found.sources) and is_foreign(value.text, found.sources)
            scope.assign_open(name, value.text, foreign=foreign)
        found.effects.append(env_effect(name, value, written))
        sensitive = sensitive or is_sensitive(name)
    found.command(
        Command(
            (), written, marked, bare, writes, None, environment, scope.folder, via, False,
            not sensitive and not writes,
        )
    )  # fmt: skip
