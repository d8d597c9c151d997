"""Path globs as expressions: every way to spell what they name."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from interlock.effects.paths.globs import denied_paths, folders_above, pattern_path
from interlock.patterns.glob import compiled, glob_expression


def path_denial_expression(glob: str, home: str) -> str:
    """As a deny of paths: `~`, links and letter case make no difference."""
    return _any_of(denied_paths(glob, home))


def deletion_denial_expression(glob: str, home: str) -> str:
    """As a deny of deleting: a folder that goes takes with it what is in it."""
    return _any_of((*denied_paths(glob, home), *folders_above(glob, home)))


def path_allow_expression(glob: str, home: str) -> str:
    """As an allow of paths."""
    return _any_of(pattern_path(glob, home))


def path_as_written(glob: str, home: str) -> Callable[[str], bool]:
    """Whether a path that `path_denial_expression` matches is also matched by the glob as an allow."""
    return compiled(lambda: path_allow_expression(glob, home))


def _any_of(globs: Iterable[str]) -> str:
    return "|".join(glob_expression(glob) for glob in globs)
