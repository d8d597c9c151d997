"""Two states of a shell of which one will have come about, as one: what they do not share is not known."""

from __future__ import annotations

from typing import Final

from interlock.effects.shell.feed import Feed, FeedKind
from interlock.effects.shell.scope import Scope, either

_UNSET: Final = object()
_SYSTEM: Final = frozenset({"HOME", "PWD", "IFS"})  # known before anyone sets them
_ANY_INPUT: Final = Feed(FeedKind.OPEN, "input that may or may not be opened")


def join(scope: Scope, old: Scope) -> bool:
    """Leave open what is not as it was remembered; whether anything is open now that was known."""
    shaken = (scope.lost and not old.lost) or (scope.linked and not old.linked)
    if scope.folders is not old.folders and scope.folders != old.folders:
        scope.perhaps(old.folders)
        shaken = True
    return shaken if scope.is_as(old) else join_values(scope, old) or shaken


def join_values(scope: Scope, old: Scope) -> bool:
    """The same for all but the folder."""
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


def after(printed: Feed, scope: Scope, old: Scope) -> Feed:
    """What a command printed that may not have run at all: then things stand as they stood."""
    join_values(scope, old)
    return printed


def _join_variables(scope: Scope, old: Scope) -> bool:
    values = old.variables
    if scope.variables.items() <= values.items():  # none is changed: asked so, it is seen soonest
        return False
    changed = [name for name, value in scope.variables.items() if values.get(name, _UNSET) != value]
    if changed:
        # Where it may not be set at all, that is not of this text.
        kept = {name: written for name, written in scope.origins.items() if name not in values}
        scope.forget(changed)
        scope.origins.update(kept)
    return any(values.get(name) is not None or (name in _SYSTEM and name not in values) for name in changed)


def _join_arrays(scope: Scope, old: Scope) -> bool:
    names = scope.arrays.keys() | old.arrays.keys()
    changed = [name for name in names if scope.arrays.get(name) != old.arrays.get(name)]
    scope.forget(changed)
    return any(name in old.arrays for name in changed)


def _join_functions(scope: Scope, old: Scope) -> bool:
    """A function that is there only perhaps is a program of its name, too; one of two is not followed."""
    changed = [name for name, body in scope.functions.items() if old.functions.get(name) != body]
    again = [name for name in changed if name in old.functions]
    scope.doubt(changed)
    if again:
        scope.shadow(again)
    return bool(again)


def _join_files(scope: Scope, old: Scope) -> bool:
    replaced = scope.replaced(old)
    for path, made in replaced.items():
        scope.put(path, either(made, scope.files[path]))
    return any(scope.files[path] != made for path, made in replaced.items())
