"""Patterns about what a call does: `write(src/*)`, `network(*.example.com)`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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


class EffectPatterns:
    """The patterns of a policy about effects."""

    def __init__(self, patterns: Iterable[Pattern], home: str) -> None:
        found = list(patterns)
        self.home: Final = home
        self._whole: Final = {
            kind: [p.text for p in found if p.tool == kind and p.glob is None] for kind in EffectKind
        }
        self._globs: Final = {
            kind: {p.text: p.glob for p in found if p.tool == kind and p.glob is not None}
            for kind in EffectKind
        }
        # The exceptions of denies such as `read(a* !*.b)`; allows have none, and this text covers nothing.
        parted = {p.text: p.glob.partition(_EXCEPT) for p in found if p.glob and _EXCEPT in p.glob}
        self._excepted: Final = {text: _matcher(parts[2]) for text, parts in parted.items()}
        self._meant: Final = {
            kind: {text: parted[text][0] if text in parted else glob for text, glob in globs.items()}
            for kind, globs in self._globs.items()
        }
        self._denials: Final[dict[EffectKind, GlobSet]] = {}
        self._any: Sieve | None = None
        self._unnamed: Final[dict[EffectKind, set[str]]] = {}
        self._literal_folders: Final[dict[EffectKind, DeniedFolders]] = {}
        self._wild: Final[dict[EffectKind, DeniedGlobs]] = {}
        self._allowances: Final[dict[EffectKind, GlobSet]] = {}
        self.kinds: Final = frozenset(kind for kind in EffectKind if self._whole[kind] or self._globs[kind])

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
            if found := self._match_unnamed(one):
                met.append((one, set(found)))
        return met

    def _match_all(
        self, meant: Sequence[Effect], cwd: str, project: str | None
    ) -> Iterator[tuple[Effect, set[str]]]:
        paths = _Paths(cwd, project)
        spelled = [(one, self._spellings(one, paths) if one.target or one.known else ()) for one in meant]
        marked = [_MARKS[one.kind] + text for one, texts in spelled for text in texts]
        may_hit = bool(marked) and self._sieve().may_hit(marked)
        for one, texts in spelled:
            if not (one.target or one.known):
                found = self._match_unnamed(one)
            else:
                found = self._match(one, texts) if may_hit else self._whole[one.kind]
            if found:
                yield one, set(found)

    def _match_unnamed(self, effect: Effect) -> Iterable[str]:
        """Return the patterns that match an effect on an unknown target; they are the same for every call."""
        found = self._unnamed.get(effect.kind)
        if found is None:
            texts = ("",) if self._globs[effect.kind] else ()
            found = self._unnamed[effect.kind] = self._match(effect, texts)
        return found

    def _spellings(self, effect: Effect, paths: _Paths) -> Sequence[str]:
        """Return the texts that stand for an effect's target; none if no glob is about its kind."""
        if not self._globs[effect.kind]:
            return ()
        if effect.known and (effect.base or effect.target[:1] in _ANCHORS or effect.kind not in _DENYING):
            return _denied_texts(effect, paths)
        guesses = self._guesses(effect, paths)
        return [text for one in (effect, *guesses) for text in _denied_texts(one, paths)]

    def _match(self, effect: Effect, texts: Sequence[str]) -> set[str]:
        found = set(self._whole[effect.kind])
        for text in texts:
            globs = self._denying(effect.kind)
            hits = globs.hits(text)
            # A text that cannot be matched may be any of them.
            found.update(globs.keys if hits is None else self._without_exceptions(hits, text))
        if effect.value is not None and self._excepted and texts:
            # The texts are `NAME` and `NAME=value`: an exception for either is one for both.
            return set(self._without_exceptions([*found], texts[-1]))
        return found

    def _without_exceptions(self, hits: Sequence[str] | None, text: str) -> Sequence[str]:
        """Return the matched patterns that make no exception for the text."""
        excepted = self._excepted
        if not hits or excepted.keys().isdisjoint(hits):
            return hits or ()
        return [hit for hit in hits if hit not in excepted or not excepted[hit](text)]

    def _sieve(self) -> Sieve:
        if self._any is None:
            self._any = Sieve(
                (_MARKS[kind], _DENYING.get(kind, _plain)(glob, self.home))
                for kind in EffectKind
                for glob in self._meant[kind].values()
            )
        return self._any

    def _guesses(self, effect: Effect, paths: _Paths) -> Iterator[Effect]:
        """Yield the denied files that a target such as `.e*` or `$x/.ssh/id` may expand to."""
        if effect.kind not in _DENYING:
            return
        target, known = effect.target, effect.known
        guesses = [*self._folders(effect.kind).holding(target, known=known)]
        if not known:
            at_home = with_home(target, self.home)
            if at_home != target:
                guesses.append(at_home)
            if _WILD.search(at_home):
                # If the folder of a glob is unknown, the names in it still tell what it means.
                start = paths.folder(effect.base)
                guesses += self._denied_globs(effect.kind).met_by(
                    OPEN.sub("$", at_home), start, paths.project
                )
        for one in guesses:
            yield Effect(effect.kind, one, effect.base, by=effect.by)

    def _folders(self, kind: EffectKind) -> DeniedFolders:
        """Return the folders before the first wildcard of denied paths."""
        found = self._literal_folders.get(kind)
        if found is None:
            paths = [path for glob in self._meant[kind].values() for path in pattern_path(glob, self.home)]
            literal = [folder for path in paths if (folder := literal_folder(path)) is not None]
            found = self._literal_folders[kind] = DeniedFolders(literal)
        return found

    def _denied_globs(self, kind: EffectKind) -> DeniedGlobs:
        """Return the denied paths that a glob may expand to."""
        found = self._wild.get(kind)
        if found is None:
            globs = self._meant[kind].values()
            paths = [path for glob in globs for path in pattern_path(glob, self.home)]
            if kind is EffectKind.DELETE:
                paths += [path for glob in globs for path in folders_above(glob, self.home)]
            found = self._wild[kind] = DeniedGlobs(paths, self.home)
        return found

    def allowances(self, effect: Effect, cwd: str, project: str | None) -> set[str]:
        """Return the patterns that cover an effect, wherever its target really leads."""
        found = set(self._whole[effect.kind])
        if self._globs[effect.kind] and effect.known:
            globs = self._allowing(effect.kind)
            ways = _allowed_texts(effect, cwd, project)
            hits = [{key for text in way for key in globs.hits(text) or ()} for way in ways]
            found |= set.intersection(*hits) if hits else set()
        return found

    def literals(self, text: str) -> set[str]:
        """Return the patterns with a glob that match a word of unread text."""
        return {
            key
            for kind in self.kinds
            for key in self._without_exceptions(self._denying(kind).hits(text), text)
        }

    def may_be_in(self, words: Iterable[str]) -> bool:
        """Return whether any of these words of unread text may match."""
        marks = [_MARKS[kind] for kind in self.kinds]
        return self._sieve().may_hit(mark + word for word in words for mark in marks)

    def _denying(self, kind: EffectKind) -> GlobSet:
        globs = self._denials.get(kind)
        if globs is None:
            reading = _DENYING.get(kind, _plain)
            globs = self._denials[kind] = self._compile(self._meant[kind], reading)
        return globs

    def _allowing(self, kind: EffectKind) -> GlobSet:
        globs = self._allowances.get(kind)
        if globs is None:
            reading = path_allow_expression if kind in _DENYING else _plain
            globs = self._allowances[kind] = self._compile(self._globs[kind], reading)
        return globs

    def _compile(self, globs: Mapping[str, str], reading: Callable[[str, str], str]) -> GlobSet:
        return GlobSet((text, reading(glob, self.home)) for text, glob in globs.items())


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
