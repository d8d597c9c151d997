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


# Effects on paths, and how a deny of them is read.
_DENYING: Final[dict[EffectKind, Callable[[str, str], str]]] = {
    EffectKind.READ: path_denial_expression,
    EffectKind.WRITE: path_denial_expression,
    EffectKind.DELETE: deletion_denial_expression,
}

# Tells the effects apart where their targets are looked at together.
_MARKS: Final = {kind: str(number) for number, kind in enumerate(EffectKind)}


class EffectPatterns:
    """The patterns of a policy about effects, by kind."""

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
        # Of a deny `read(a* !*.b)` what it does not mean; an allow has no such part, and then covers nothing.
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
        """The patterns that an effect is met by, in any spelling of its target."""
        return self._match(effect, self._spellings(effect, _Paths(cwd, project)))

    def all_denials(
        self, effects: Sequence[Effect], cwd: str, project: str | None
    ) -> Iterable[tuple[Effect, set[str]]]:
        """The same for the effects of one call, as far as they are met: most meet nothing at all."""
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
        """The patterns met by an effect on nobody knows what, which are the same for every call."""
        found = self._unnamed.get(effect.kind)
        if found is None:
            texts = ("",) if self._globs[effect.kind] else ()
            found = self._unnamed[effect.kind] = self._match(effect, texts)
        return found

    def _spellings(self, effect: Effect, paths: _Paths) -> Sequence[str]:
        """Every text that stands for an effect's target, where a glob is about its kind."""
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
        if (
            effect.value is not None and self._excepted
        ):  # a variable goes by its name and by its value: one act
            return set(self._without_exceptions([*found], texts[-1])) if texts else found
        return found

    def _without_exceptions(self, hits: Sequence[str] | None, text: str) -> Sequence[str]:
        """Those of the patterns met by a text that do not leave it out."""
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
        """The denied files that a target such as `.e*` or `$x/.ssh/id` may turn out to be."""
        if effect.kind not in _DENYING:
            return
        target, known = effect.target, effect.known
        guesses = [*self._folders(effect.kind).holding(target, known=known)]
        if not known:
            at_home = with_home(target, self.home)
            if at_home != target:
                guesses.append(at_home)
            if _WILD.search(at_home):
                # Where nobody knows in which folder a glob begins, the names in it still say what is meant.
                start = paths.folder(effect.base)
                guesses += self._denied_globs(effect.kind).met_by(
                    OPEN.sub("$", at_home), start, paths.project
                )
        for one in guesses:
            yield Effect(effect.kind, one, effect.base, by=effect.by)

    def _folders(self, kind: EffectKind) -> DeniedFolders:
        """What stands before the first wildcard of denied paths."""
        found = self._literal_folders.get(kind)
        if found is None:
            paths = [path for glob in self._meant[kind].values() for path in pattern_path(glob, self.home)]
            literal = [folder for path in paths if (folder := literal_folder(path)) is not None]
            found = self._literal_folders[kind] = DeniedFolders(literal)
        return found

    def _denied_globs(self, kind: EffectKind) -> DeniedGlobs:
        """The denied paths that a glob may be made."""
        found = self._wild.get(kind)
        if found is None:
            globs = self._meant[kind].values()
            paths = [path for glob in globs for path in pattern_path(glob, self.home)]
            if kind is EffectKind.DELETE:
                paths += [path for glob in globs for path in folders_above(glob, self.home)]
            found = self._wild[kind] = DeniedGlobs(paths, self.home)
        return found

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
        return {
            key
            for kind in self.kinds
            for key in self._without_exceptions(self._denying(kind).hits(text), text)
        }

    def may_be_in(self, words: Iterable[str]) -> bool:
        """Whether it is worth asking about each of these words of unread text."""
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
    """The paths of one call, each folder on their way looked at once."""

    def __init__(self, cwd: str, project: str | None) -> None:
        self._cwd: Final = cwd
        self.project: Final = project or cwd
        self._readers: Final[dict[str, PathReader]] = {}

    def folder(self, base: str | None) -> str:
        """Where a relative path starts from."""
        return base or self._cwd

    def spellings(self, path: str, base: str | None) -> Sequence[str]:
        """All that a deny compares."""
        folder = self.folder(base)
        reader = self._readers.get(folder)
        if reader is None:
            # Without a project, patterns start from where the agent is, wherever the command has gone.
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
    """Per way the target may be understood, the texts of which one must match."""
    if effect.kind not in _DENYING:
        return ((effect.target,),)
    if effect.base is None and effect.target[:1] not in {"/", "~"}:
        return ()
    reading = read_path(effect.target, effect.base or cwd, project or cwd)
    return () if reading.unread else reading.allow
