"""Patterns about shell commands, in text that was parsed and in text that could not be."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import Final

import re2

from interlock.effects.canonical_form import (
    filed_under,
    form_of,
    pattern_form,
    program_key,
)
from interlock.effects.command import Gap, repaired
from interlock.effects.effect import Word
from interlock.effects.paths.globs import tidy
from interlock.effects.programs.arguments import sort_arguments
from interlock.effects.programs.program import Arguments
from interlock.patterns.effects import EffectPatterns
from interlock.patterns.glob import GlobSet, command_denial_expression

_PLAIN_WORDS: Final = re.compile(r"(?P<words>[^*?]*[^*?\s][^*?]*)(?P<star>\*?)")
_BLANKS: Final = "\t\n\f\r "  # what `\s` is to the engine
# Up to this many globs with the same first word are compared one by one; more are matched in one pass.
_FEW: Final = 24


class CommandGlobs:
    """Globs as denies read them; most are found by their first word, the others in one pass."""

    def __init__(self, globs: Mapping[str, str]) -> None:
        self._written_out: Final[dict[str, list[str]]] = {}
        for key, glob in globs.items():
            if command_denial_expression(glob) == re2.escape(glob):
                self._written_out.setdefault(glob, []).append(key)
        begun = {key: found for key, glob in globs.items() if (found := _beginnings(glob)) is not None}
        first = {key: found[0].split(None, 1)[0] for key, found in begun.items()}
        count = Counter(first.values())
        # By first word: the beginnings of matching texts, with a blank appended to the text, and the key.
        self._begun: Final[dict[str, list[tuple[tuple[str, ...], str]]]] = {}
        for key, word in first.items():
            if count[word] <= _FEW:
                self._begun.setdefault(word, []).append((begun[key], key))
        known = {key for few in self._begun.values() for _, key in few}
        known.update(key for keys in self._written_out.values() for key in keys)
        self._rest: Final = {
            key: command_denial_expression(glob) for key, glob in globs.items() if key not in known
        }
        self.keys: Final = list(globs)

    def all_hits(self, texts: Collection[str]) -> dict[str, list[str] | None]:
        """Return the hits of each text of one call; one pass over all texts checks for any other hit."""
        if self._rest and self._between_marks.hits("\0" + "\0".join(texts) + "\0") != []:
            return {text: self.hits(text) for text in texts}
        return self._by_first_word(texts)

    def hits(self, text: str) -> list[str] | None:
        """Return the globs that match the whole text, None if it cannot be matched."""
        found = self._by_first_word((text,))[text]
        if not self._rest or found is None:
            return found
        rest = self._exact.hits(text) if "\0" in text else self._between_marks.hits(f"\0{text}\0")
        return None if rest is None else found + rest

    def _by_first_word(self, texts: Collection[str]) -> dict[str, list[str] | None]:
        begun, written_out = self._begun, self._written_out
        found: dict[str, list[str] | None] = {}
        for text in texts:
            hits = written_out[text].copy() if text in written_out else []
            words = text.split(None, 1)
            if words and words[0] in begun:
                closed = text + " "
                for beginnings, key in begun[words[0]]:
                    if closed.startswith(beginnings):
                        hits.append(key)
            found[text] = hits
        return found

    @cached_property
    def _between_marks(self) -> GlobSet:
        """The set that matches between two NULs: one text, or any of many."""
        return GlobSet(self._rest.items(), begin=r"\x00", end=r"\x00")

    @cached_property
    def _exact(self) -> GlobSet:
        """The set for a text that contains NUL."""
        return GlobSet(self._rest.items())


def _beginnings(glob: str) -> tuple[str, ...] | None:
    """Return how a matching text begins, with a blank appended; None if that takes an expression.

    These are `git push *`, which `git push` alone matches too, and `rm -rf /*`, whose first word is whole.
    """
    plain = _PLAIN_WORDS.fullmatch(glob)
    if plain is None or not plain["star"]:
        return None
    words, expression = plain["words"], command_denial_expression(glob)
    if expression == rf"{re2.escape(words[:-1])}(?:\s.*)?":
        return tuple(words[:-1] + blank for blank in _BLANKS)
    # The first word must be whole, and a final blank could be mistaken for the appended one.
    simple = expression == f"{re2.escape(words)}.*" and len(words.split(None, 1)) > 1
    return (words,) if simple and not words[-1].isspace() else None


_ABSENT: Final = re.compile(r"(?<=\s)!-\S+(?:\s|$)")
_ABSENT_NAME: Final = re.compile(r"(?<=\s)!(-\S+)")


class FormPatterns:
    """Globs about a command's canonical form; only those about its program or flags are compiled."""

    def __init__(self, globs: Mapping[str, str]) -> None:
        self._globs: Final = {text: _ABSENT.sub("", glob).strip() for text, glob in globs.items()}
        # Flags that a command must not have, written `!--flag`.
        self._absent: Final = {
            text: frozenset(_ABSENT_NAME.findall(glob)) for text, glob in globs.items() if " !-" in glob
        }
        self._sets: Final[dict[str, GlobSet]] = {}

    @cached_property
    def filed(self) -> Mapping[str, list[str]]:
        """Pattern texts by program, by flag, and under "" those that may match any command."""
        filed: dict[str, list[str]] = {}
        for text, glob in self._globs.items():
            key = filed_under(glob)
            if key or pattern_form(glob) is not None:
                filed.setdefault(key, []).append(text)
        return filed

    @cached_property
    def _flags(self) -> frozenset[str]:
        return frozenset(key for key in self.filed if key.startswith("-"))

    @cached_property
    def speaks_of_any(self) -> bool:
        """Whether some pattern names no program."""
        return "" in self.filed or bool(self._flags)

    def speaks_of(self, program: str) -> bool:
        """Return whether a pattern could match a command of this program."""
        return self.speaks_of_any or program_key(program) in self.filed

    def hits(self, arguments: Arguments, known: set[str] | frozenset[str] = frozenset()) -> list[str]:
        """Return the patterns that match a command; those in `known` may be left out."""
        filed = self.filed
        program = arguments.name.partition(" ")[0] if arguments.program else arguments.name
        keys = [key for key in (program, "") if key in filed and not known.issuperset(filed[key])]
        flags: set[str] = set()
        for flag in arguments.flags if self._flags or self._absent else ():
            flags.update(flag.option.names if flag.option else (flag.name,))
        keys += sorted(self._flags & flags)
        if not keys:
            return keys
        form = form_of(arguments)
        hits = [hit for key in keys for hit in self._matches_of(key, form)]
        return [hit for hit in hits if flags.isdisjoint(self._absent.get(hit, ()))] if flags else hits

    def _matches_of(self, key: str, form: str) -> list[str]:
        globs = self._sets.get(key)
        if globs is None:
            globs = self._sets[key] = GlobSet(self._expressions(self.filed[key]))
        hits = globs.hits(form)
        # A form that cannot be matched may be any of them.
        return globs.keys if hits is None else hits

    def _expressions(self, texts: Iterable[str]) -> Iterable[tuple[str, str]]:
        for text in texts:
            expression = pattern_form(self._globs[text])
            if expression is not None:
                yield text, expression


_OPENING: Final = frozenset("'\"`<>")  # before a text, or before a file in one: `open(F, ">x")`
_QUOTING: Final = re.compile(r"\bq[qw]?[^\w\s]$")  # `q(x)` in Perl
_NO_NAME: Final = re.compile(r"[\\$%#?*:;=^]")
_HOME: Final = re.compile(r"expand_?(?:user|path)|\bhome\b|homedir|HOME\b|USERPROFILE|getpw")
_LONGEST: Final = 200  # characters of a name
_MAX_NAMES: Final = 100  # that are joined
_MAX_JOINED: Final = 6  # names in one path


def _named_paths(
    text: str, words: Sequence[re.Match[str]], folders: Sequence[str], home: str
) -> Iterator[str]:
    """Yield the paths that strings in code may mean, such as `'settings.json'`, in each folder it may run in.

    If the code mentions the home, that is one of the folders, and absolute paths may be joined to it.
    """
    names = [word.group() for word in words if _is_text(text, word)][:_MAX_NAMES]
    at_home = bool(home) and _HOME.search(text) is not None
    starts = (*folders, home) if at_home else folders
    for first in range(len(names)):
        for count in range(1, _MAX_JOINED + 1):
            path = "/".join(names[first : first + count])
            if first + count > len(names):
                break
            if path[0] in "/~":
                if count > 1:  # a single name is among the words already
                    yield tidy(path)
                if at_home:
                    yield tidy(f"{home}/{path.removeprefix('~')}")
            else:
                yield from (tidy(f"{folder}/{path}") for folder in starts)


def _is_text(text: str, word: re.Match[str]) -> bool:
    """Return whether a word begins a string in code and may be a name."""
    start = word.start()
    if len(word.group()) > _LONGEST or _NO_NAME.search(word.group()):
        return False
    before = text[start - 1 : start]
    if before == "}" and text[start] == "/":  # after an expression: `f"{home}/x"`
        return True
    return before in _OPENING or _QUOTING.search(text, max(start - 3, 0), start) is not None


# Words in languages that we do not parse, and escapes for a new line or a tab.
_WORD: Final = re.compile(r"""[^\s\x00-\x1f'"`;&|<>(){}\[\],!]+""")
_WRITTEN_BLANK: Final = re.compile(r"\\[nrt]")
_MAX_STARTS: Final = 2_000  # words that are checked
_MAX_TRIES: Final = 200  # words tried as starts of commands; after them, a denied name is enough
_MAX_WORDS: Final = 24  # of one command


def denied_in(
    gaps: Iterable[Gap],
    globs: GlobSet | CommandGlobs | None,
    forms: FormPatterns | None,
    effects: EffectPatterns | None,
) -> dict[str, str]:
    """Return the patterns whose words occur in a gap, each with the place."""
    found: dict[str, str] = {}
    for gap in gaps:
        text = _WRITTEN_BLANK.sub("\n", gap.text)
        words = list(islice(_WORD.finditer(text), _MAX_STARTS))
        if globs is not None and forms is not None:
            _try_starts(text, words, globs, forms, found)
        if effects is not None:
            # A single `/` is far more often a division than the root folder.
            distinct = dict.fromkeys(word.group() for word in words if word.group() != "/")
            distinct.update(dict.fromkeys(_named_paths(text, words, gap.folders, effects.home)))
            if distinct and effects.may_be_in(map(repaired, distinct)):
                for word in distinct:
                    found.update((hit, word) for hit in effects.literals(repaired(word)) if hit not in found)
    return found


def _try_starts(
    text: str,
    words: Sequence[re.Match[str]],
    globs: GlobSet | CommandGlobs,
    forms: FormPatterns,
    found: dict[str, str],
) -> None:
    """Try every word that a pattern could mean as the start of a command."""
    starts = [at for at in range(len(words)) if _may_start(text, words, at, forms)]
    for at in starts[:_MAX_TRIES]:
        for candidate in _candidates(text, words, at):
            shown = " ".join(candidate)
            hits = globs.hits(repaired(shown)) or []
            hits += forms.hits(sort_arguments([Word(one) for one in candidate]))
            found.update((hit, shown) for hit in hits if hit not in found)
    if len(starts) > _MAX_TRIES:
        behind = words[starts[_MAX_TRIES]].start()
    else:
        behind = words[-1].end() if words else len(text)
    for name in dict.fromkeys(_WORD.findall(text, behind)):
        filed = forms.filed.get(name.rpartition("/")[2], ())
        found.update((hit, name) for hit in filed if hit not in found)


def _may_start(text: str, words: Sequence[re.Match[str]], at: int, forms: FormPatterns) -> bool:
    """Return whether to try a word; patterns without a program are tried after quotes or brackets."""
    if program_key(words[at].group()) in forms.filed:
        return True
    return forms.speaks_of_any and (at == 0 or not _is_blank(text, words[at - 1], words[at]))


def _candidates(text: str, words: Sequence[re.Match[str]], at: int) -> Iterator[list[str]]:
    """Yield the words from here to the end of their quotes or brackets, then those beyond it too."""
    through = words[at : at + _MAX_WORDS]
    inside = 1
    while inside < len(through) and _is_blank(text, through[inside - 1], through[inside]):
        inside += 1
    yield [word.group() for word in through[:inside]]
    if inside < len(through):
        yield [word.group() for word in through]


def _is_blank(text: str, one: re.Match[str], following: re.Match[str]) -> bool:
    return text[one.end() : following.start()].isspace()
