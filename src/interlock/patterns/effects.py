"""Patterns about what a call does: `write(src/*)`, `network(*.example.com)`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from fnmatch import translate
from typing import Final

from interlock.hooks import Pattern
from interlock.patterns.glob import glob_expression
from interlock.patterns.glob_set import GlobSet
from interlock.patterns.path_glob import (
    deletion_denial_expression,
    path_allow_expression,
    path_denial_expression,
)
from interlock.reading.effect import Effect, EffectKind
from interlock.reading.paths.path import read_path

_SHELL_GLOB: Final = re.compile(r"[*?\[]")
_WILD: Final = re.compile(r"[*?]")


def _plain(glob: str, home: str) -> str:  # noqa: ARG001 - only paths know a home
    return glob_expression(glob)


# Effects on paths, and how a deny of them is read.
_DENYING: Final[dict[EffectKind, Callable[[str, str], str]]] = {
    EffectKind.READ: path_denial_expression,
    EffectKind.WRITE: path_denial_expression,
    EffectKind.DELETE: deletion_denial_expression,
}


class EffectPatterns:
    """The patterns of a policy that speak of effects, by kind."""

    def __init__(self, patterns: Iterable[Pattern], home: str) -> None:
        found = list(patterns)
        self._home: Final = home
        self._whole: Final = {
            kind: [p.text for p in found if p.tool == kind and p.glob is None] for kind in EffectKind
        }
        self._globs: Final = {
            kind: {p.text: p.glob for p in found if p.tool == kind and p.glob is not None}
            for kind in EffectKind
        }
        self._denials: Final[dict[EffectKind, GlobSet]] = {}
        self._literal_names: Final[dict[EffectKind, frozenset[str]]] = {}
        self._allowances: Final[dict[EffectKind, GlobSet]] = {}
        self.kinds: Final = frozenset(kind for kind in EffectKind if self._whole[kind] or self._globs[kind])

    def denials(self, effect: Effect, cwd: str, project: str | None) -> set[str]:
        """The patterns that an effect is met by, in any spelling of its target."""
        found = set(self._whole[effect.kind])
        if self._globs[effect.kind]:
            globs = self._denying(effect.kind)
            for one in (effect, *self._guesses(effect)):
                for text in _denied_texts(one, cwd, project):
                    hits = globs.hits(text)
                    # A text that cannot be matched may be any of them.
                    found.update(globs.keys if hits is None else hits)
        return found

    def _guesses(self, effect: Effect) -> Iterable[Effect]:
        """The denied files that a target such as `.e*` may turn out to be."""
        folder, slash, name = effect.target.rpartition("/")
        if effect.known or effect.kind not in _DENYING or not _SHELL_GLOB.search(name):
            return ()
        may_be = re.compile(translate(name)).fullmatch
        return (
            Effect(effect.kind, folder + slash + one, effect.base, by=effect.by)
            for one in self._names(effect.kind)
            if may_be(one) and (one[0] != "." or name[0] == ".")
        )

    def _names(self, kind: EffectKind) -> frozenset[str]:
        """The last names of denied paths, where they are written out."""
        names = self._literal_names.get(kind)
        if names is None:
            last = {glob.rstrip("/").rpartition("/")[2] for glob in self._globs[kind].values()}
            names = self._literal_names[kind] = frozenset(
                one for one in last if one and not _WILD.search(one)
            )
        return names

    def allowances(self, effect: Effect, cwd: str, project: str | None) -> set[str]:
        """The patterns that cover an effect, wherever its target really leads."""
        found = set(self._whole[effect.kind])
        if self._globs[effect.kind] and effect.known:
            globs = self._allowing(effect.kind)
            ways = _allowed_texts(effect, cwd, project)
            hits = [{key for text in way for key in globs.hits(text) or ()} for way in ways]
            found |= set.intersection(*hits) if hits else set()
        return found

    def literals(self, text: str) -> set[str]:
        """The patterns, other than those for every target, that a word of unread text matches."""
        return {key for kind in self.kinds for key in self._denying(kind).hits(text) or ()}

    def _denying(self, kind: EffectKind) -> GlobSet:
        globs = self._denials.get(kind)
        if globs is None:
            globs = self._denials[kind] = self._compiled(kind, _DENYING.get(kind, _plain))
        return globs

    def _allowing(self, kind: EffectKind) -> GlobSet:
        globs = self._allowances.get(kind)
        if globs is None:
            reading = path_allow_expression if kind in _DENYING else _plain
            globs = self._allowances[kind] = self._compiled(kind, reading)
        return globs

    def _compiled(self, kind: EffectKind, reading: Callable[[str, str], str]) -> GlobSet:
        return GlobSet((text, reading(glob, self._home)) for text, glob in self._globs[kind].items())


def _denied_texts(effect: Effect, cwd: str, project: str | None) -> Iterable[str]:
    if effect.kind in _DENYING and effect.known:
        return read_path(effect.target, effect.base or cwd, project).deny
    if effect.kind is EffectKind.NETWORK:
        return dict.fromkeys((effect.target, effect.target.lower()))
    if effect.value is not None:
        return (effect.target, f"{effect.target}={effect.value}")
    return (effect.target,)


def _allowed_texts(effect: Effect, cwd: str, project: str | None) -> tuple[tuple[str, ...], ...]:
    """Per way the target may be understood, the texts of which one must match."""
    if effect.kind not in _DENYING:
        return ((effect.target,),)
    if effect.base is None and effect.target[:1] not in {"/", "~"}:
        return ()
    reading = read_path(effect.target, effect.base or cwd, project)
    return () if reading.unread else reading.allow
