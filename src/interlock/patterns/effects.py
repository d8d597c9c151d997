"""Patterns about what a call does: `write(src/*)`, `network(*.example.com)`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Final

from interlock.effects.effect import Effect, EffectKind
from interlock.effects.paths.globs import folders_above, literal_folder, pattern_path
from interlock.effects.paths.path import PathReader, read_path
from interlock.effects.paths.wild import OPEN, DeniedFolders, DeniedGlobs, with_home
from interlock.events.hook import Pattern
from interlock.patterns.glob import (
    GlobSet,
    Sieve,
    compiled,
    deletion_denial_expression,
    glob_expression,
    path_allow_expression,
    path_denial_expression,
)

_EXCEPT: Final = " !"
_ANCHORS: Final = frozenset("/~")
_WILD: Final = re.compile(r"[*?\[]")


def _plain(glob: str, home: str) -> str:  # noqa: ARG001 - only paths know a home
    return glob_expression(glob)


def _matcher(glob: str) -> Callable[[str], bool]:
    return compiled(lambda: glob_expression(glob))


# How denies of effects on paths are read.
_DENYING: Final[dict[EffectKind, Callable[[str, str], str]]] = {
    EffectKind.READ: path_denial_expression,
    EffectKind.WRITE: path_denial_expression,
    EffectKind.DELETE: deletion_denial_expression,
}

# They tell the effects apart when all targets are matched at once.
_MARKS: Final = {kind: str(number) for number, kind in enumerate(EffectKind)}


class _KindPatterns:
    """The patterns about one kind of effect; what is made of their globs is made on first use."""

    def __init__(self, kind: EffectKind, patterns: Iterable[Pattern], home: str) -> None:
        own = [pattern for pattern in patterns if pattern.tool == kind]
        self._kind: Final = kind
        self._home: Final = home
        self.whole: Final = [pattern.text for pattern in own if pattern.glob is None]
        self.globs: Final = {pattern.text: pattern.glob for pattern in own if pattern.glob is not None}
        # The exceptions of denies such as `read(a* !*.b)`; allows have none, and this text covers nothing.
        parted = {text: glob.partition(_EXCEPT) for text, glob in self.globs.items() if _EXCEPT in glob}
        self._excepted: Final = {text: _matcher(parts[2]) for text, parts in parted.items()}
        self._meant: Final = {
            text: parted[text][0] if text in parted else glob for text, glob in self.globs.items()
        }

    def denial_expressions(self) -> list[str]:
        """Return the globs as denies read them."""
        reading = _DENYING.get(self._kind, _plain)
        return [reading(glob, self._home) for glob in self._meant.values()]

    @cached_property
    def denying(self) -> GlobSet:
        """The globs as denies read them."""
        return GlobSet(zip(self._meant, self.denial_expressions(), strict=True))

    @cached_property
    def allowing(self) -> GlobSet:
        """The globs as allows read them."""
        reading = path_allow_expression if self._kind in _DENYING else _plain
        return GlobSet((text, reading(glob, self._home)) for text, glob in self.globs.items())

    @cached_property
    def folders(self) -> DeniedFolders:
        """The folders before the first wildcard of denied paths."""
        literal = (literal_folder(path) for path in self._denied_paths())
        return DeniedFolders([folder for folder in literal if folder is not None])

    @cached_property
    def wild(self) -> DeniedGlobs:
        """The denied paths that a glob may expand to."""
        paths = self._denied_paths()
        if self._kind is EffectKind.DELETE:
            paths += [path for glob in self._meant.values() for path in folders_above(glob, self._home)]
        return DeniedGlobs(paths, self._home)

    def _denied_paths(self) -> list[str]:
        return [path for glob in self._meant.values() for path in pattern_path(glob, self._home)]

    @cached_property
    def of_unnamed(self) -> set[str]:
        """The patterns that match an effect on an unknown target; they are the same for every call."""
        return self.match(("",) if self.globs else ())

    def match(self, texts: Sequence[str], *, of_variable: bool = False) -> set[str]:
        """Return the patterns that match one of the texts that stand for a target."""
        found = set(self.whole)
        for text in texts:
            hits = self.denying.hits(text)
            # A text that cannot be matched may be any of them.
            found.update(self.denying.keys if hits is None else self.without_exceptions(hits, text))
        if of_variable and self._excepted and texts:
            # The texts are `NAME` and `NAME=value`: an exception for either is one for both.
            return set(self.without_exceptions([*found], texts[-1]))
        return found

    def without_exceptions(self, hits: Sequence[str] | None, text: str) -> Sequence[str]:
        """Return the matched patterns that make no exception for the text."""
        excepted = self._excepted
        if not hits or excepted.keys().isdisjoint(hits):
            return hits or ()
        return [hit for hit in hits if hit not in excepted or not excepted[hit](text)]


class EffectPatterns:
    """The patterns of a policy about effects."""

    def __init__(self, patterns: Iterable[Pattern], home: str) -> None:
        found = list(patterns)
        self.home: Final = home
        self._by_kind: Final = {kind: _KindPatterns(kind, found, home) for kind in EffectKind}
        self.kinds: Final = frozenset(kind for kind, own in self._by_kind.items() if own.whole or own.globs)

    def denials(self, effect: Effect, cwd: str, project: str | None) -> set[str]:
        """Return the patterns that match an effect in any spelling of its target."""
        return self._match(effect, self._spellings(effect, _Paths(cwd, project)))

    def all_denials(
        self, effects: Sequence[Effect], cwd: str, project: str | None
    ) -> Iterable[tuple[Effect, set[str]]]:
        """Return the matched effects of one call with their patterns; most effects match nothing."""
        kinds, met = self.kinds, []
        for one in effects:
            if one.kind not in kinds:
                continue
            if one.target or one.known:
                return self._match_all([one for one in effects if one.kind in kinds], cwd, project)
            if found := self._by_kind[one.kind].of_unnamed:
                met.append((one, set(found)))
        return met

    def _match_all(
        self, meant: Sequence[Effect], cwd: str, project: str | None
    ) -> Iterator[tuple[Effect, set[str]]]:
        paths = _Paths(cwd, project)
        spelled = [(one, self._spellings(one, paths) if one.target or one.known else ()) for one in meant]
        marked = [_MARKS[one.kind] + text for one, texts in spelled for text in texts]
        may_hit = bool(marked) and self._sieve.may_hit(marked)
        for one, texts in spelled:
            found: Iterable[str]
            if not (one.target or one.known):
                found = self._by_kind[one.kind].of_unnamed
            else:
                found = self._match(one, texts) if may_hit else self._by_kind[one.kind].whole
            if found:
                yield one, set(found)

    def _spellings(self, effect: Effect, paths: _Paths) -> Sequence[str]:
        """Return the texts that stand for an effect's target; none if no glob is about its kind."""
        if not self._by_kind[effect.kind].globs:
            return ()
        if effect.known and (effect.base or effect.target[:1] in _ANCHORS or effect.kind not in _DENYING):
            return _denied_texts(effect, paths)
        guesses = self._guesses(effect, paths)
        return [text for one in (effect, *guesses) for text in _denied_texts(one, paths)]

    def _match(self, effect: Effect, texts: Sequence[str]) -> set[str]:
        return self._by_kind[effect.kind].match(texts, of_variable=effect.value is not None)

    @cached_property
    def _sieve(self) -> Sieve:
        return Sieve(
            (_MARKS[kind], expression)
            for kind, own in self._by_kind.items()
            for expression in own.denial_expressions()
        )

    def _guesses(self, effect: Effect, paths: _Paths) -> Iterator[Effect]:
        """Yield the denied files that a target such as `.e*` or `$x/.ssh/id` may expand to."""
        if effect.kind not in _DENYING:
            return
        target, known, own = effect.target, effect.known, self._by_kind[effect.kind]
        guesses = [*own.folders.holding(target, known=known)]
        if not known:
            at_home = with_home(target, self.home)
            if at_home != target:
                guesses.append(at_home)
            if _WILD.search(at_home):
                # If the folder of a glob is unknown, the names in it still tell what it means.
                start = paths.folder(effect.base)
                guesses += own.wild.met_by(OPEN.sub("$", at_home), start, paths.project)
        for one in guesses:
            yield Effect(effect.kind, one, effect.base, by=effect.by)

    def allowances(self, effect: Effect, cwd: str, project: str | None) -> set[str]:
        """Return the patterns that cover an effect, wherever its target really leads."""
        own = self._by_kind[effect.kind]
        found = set(own.whole)
        if own.globs and effect.known:
            ways = _allowed_texts(effect, cwd, project)
            hits = [{key for text in way for key in own.allowing.hits(text) or ()} for way in ways]
            found |= set.intersection(*hits) if hits else set()
        return found

    def literals(self, text: str) -> set[str]:
        """Return the patterns with a glob that match a word of unread text."""
        by_kind = (self._by_kind[kind] for kind in self.kinds)
        return {key for own in by_kind for key in own.without_exceptions(own.denying.hits(text), text)}

    def may_be_in(self, words: Iterable[str]) -> bool:
        """Return whether any of these words of unread text may match."""
        marks = [_MARKS[kind] for kind in self.kinds]
        return self._sieve.may_hit(mark + word for word in words for mark in marks)


class _Paths:
    """Spells the paths of one call; it reads each folder on their way once."""

    def __init__(self, cwd: str, project: str | None) -> None:
        self._cwd: Final = cwd
        self.project: Final = project or cwd
        self._readers: Final[dict[str, PathReader]] = {}

    def folder(self, base: str | None) -> str:
        """Return where a relative path starts."""
        return base or self._cwd

    def spellings(self, path: str, base: str | None) -> Sequence[str]:
        """Return all spellings that a deny compares."""
        folder = self.folder(base)
        reader = self._readers.get(folder)
        if reader is None:
            # Without a project, patterns start at the agent's folder, even if the command changed it.
            reader = self._readers[folder] = PathReader(folder, self.project)
        return reader.denied_spellings(path)


def _denied_texts(effect: Effect, paths: _Paths) -> Sequence[str]:
    if effect.kind in _DENYING and effect.known:
        return paths.spellings(effect.target, effect.base)
    if effect.kind is EffectKind.NETWORK:
        return tuple(dict.fromkeys((effect.target, effect.target.lower())))
    if effect.value is not None:
        return (effect.target, f"{effect.target}={effect.value}")
    return (effect.target,)


def _allowed_texts(effect: Effect, cwd: str, project: str | None) -> tuple[tuple[str, ...], ...]:
    """Return, for each way to read the target, the texts of which one must match."""
    if effect.kind not in _DENYING:
        return ((effect.target,),)
    if effect.base is None and effect.target[:1] not in {"/", "~"}:
        return ()
    reading = read_path(effect.target, effect.base or cwd, project or cwd)
    return () if reading.unread else reading.allow
