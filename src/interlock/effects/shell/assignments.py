"""Variables that a text sets: their values where those are known, and the commands that set them."""

from __future__ import annotations

from interlock.effects.command import Command, GapKind
from interlock.effects.effect import Effect, Word
from interlock.effects.shell.counting import is_foreign
from interlock.effects.shell.expand import Inner, expand, single
from interlock.effects.shell.expansions import runs_in
from interlock.effects.shell.findings import Findings, env_effect
from interlock.effects.shell.listing import ANY
from interlock.effects.shell.names import is_command_line, is_run_later, is_sensitive
from interlock.effects.shell.place import Place
from interlock.effects.shell.scope import Scope
from interlock.effects.shell.syntax import Assignment, Part, Text


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
    place: Place,
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
