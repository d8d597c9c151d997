"""Variables that a text sets: their values where those are known, and the commands that set them."""

from __future__ import annotations

from interlock.reading.command import Command, GapKind
from interlock.reading.effect import Effect
from interlock.reading.shell.expand import Inner, expand, single
from interlock.reading.shell.findings import Findings, env_effect
from interlock.reading.shell.place import Place
from interlock.reading.shell.scope import Scope
from interlock.reading.shell.sensitive import is_run_later, is_sensitive
from interlock.reading.shell.syntax import Assignment
from interlock.reading.word import Word


def assigned(
    assignment: Assignment, text: str, scope: Scope, arrays: dict[str, tuple[str, ...]], inner: Inner
) -> tuple[str, Word]:
    """The variable and its value; an array whose elements are known is put among the arrays."""
    if assignment.value is None:
        words = [word for element in assignment.elements for word in expand(element, scope, inner)]
        keyed = any(text.startswith("[", element.start) for element in assignment.elements)
        if not keyed and not assignment.adds and all(word.fixed for word in words):
            arrays[assignment.name] = tuple(word.text for word in words)
        return assignment.name, Word("(…)", fixed=False)
    value = single(assignment.value, scope, inner)
    if is_run_later(assignment.name, value.text, fixed=value.fixed):
        why = f"a shell runs what `{assignment.name}` holds"
        inner.found.gap(GapKind.OPEN, why, value.text, assignment.value.start)
    return assignment.name, value if assignment.plain else Word(value.text, fixed=False)


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
        scope.assign(name, value.text if value.fixed else None)
        found.effects.append(env_effect(name, value, written))
        sensitive = sensitive or is_sensitive(name)
    found.command(
        Command(
            (), written, marked, bare, writes, None, environment, scope.folder, via, False,
            not sensitive and not writes,
        )
    )  # fmt: skip
