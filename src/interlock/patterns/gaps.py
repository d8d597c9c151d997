"""Denied words inside text that could not be read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final

from interlock.effects.canonical_form import program_key
from interlock.effects.command import Gap, repaired
from interlock.effects.effect import Word
from interlock.effects.paths.forms import tidy
from interlock.effects.programs.arguments import sort_arguments
from interlock.patterns.command_globs import CommandGlobs, FormPatterns
from interlock.patterns.effects import EffectPatterns
from interlock.patterns.glob import GlobSet

_OPENING: Final = frozenset("'\"`<>")  # before a text, or before a file in one: `open(F, ">x")`
_QUOTING: Final = re.compile(r"\bq[qw]?[^\w\s]$")  # `q(x)` in Perl
_NO_NAME: Final = re.compile(r"[\\$%#?*:;=^]")
_HOME: Final = re.compile(r"expand_?(?:user|path)|\bhome\b|homedir|HOME\b|USERPROFILE|getpw")
_LONGEST: Final = 200  # characters of a name
_MOST: Final = 100  # texts that are looked at
_TOGETHER: Final = 6  # texts that are put together


def named_paths(
    text: str, words: Sequence[re.Match[str]], folders: Sequence[str], home: str
) -> Iterator[str]:
    """The paths meant by texts in code, from each folder it may run in: `'settings.json'` in `~/.claude`.

    Where the code is about the home, that is one of these folders, also for a text that is put behind it.
    """
    names = [word.group() for word in words if _is_text(text, word)][:_MOST]
    at_home = bool(home) and _HOME.search(text) is not None
    starts = (*folders, home) if at_home else folders
    for first in range(len(names)):
        for count in range(1, _TOGETHER + 1):
            path = "/".join(names[first : first + count])
            if first + count > len(names):
                break
            if path[0] in "/~":
                if count > 1:  # alone it stands among the words
                    yield tidy(path)
                if at_home:
                    yield tidy(f"{home}/{path.removeprefix('~')}")
            else:
                yield from (tidy(f"{folder}/{path}") for folder in starts)


def _is_text(text: str, word: re.Match[str]) -> bool:
    """Whether a word is the beginning of a text in code, and may be a name."""
    start = word.start()
    if len(word.group()) > _LONGEST or _NO_NAME.search(word.group()):
        return False
    before = text[start - 1 : start]
    if before == "}" and text[start] == "/":  # behind what is put into it: `f"{home}/x"`
        return True
    return before in _OPENING or _QUOTING.search(text, max(start - 3, 0), start) is not None


# What stands around words in the languages we do not read, and how they write a new line or a tab.
_WORD: Final = re.compile(r"""[^\s\x00-\x1f'"`;&|<>(){}\[\],!]+""")
_WRITTEN_BLANK: Final = re.compile(r"\\[nrt]")
# This many words are looked at, and this many tried as the start of a command; behind them a denied program's
# name is enough.
_MAX_STARTS: Final = 2_000
_MAX_TRIES: Final = 200
_MAX_WORDS: Final = 24


def denied_in(
    gaps: Iterable[Gap],
    globs: GlobSet | CommandGlobs | None,
    forms: FormPatterns | None,
    effects: EffectPatterns | None,
) -> dict[str, str]:
    """The patterns whose words occur in a gap, each with the place."""
    found: dict[str, str] = {}
    for gap in gaps:
        text = _WRITTEN_BLANK.sub("\n", gap.text)
        words = list(islice(_WORD.finditer(text), _MAX_STARTS))
        if globs is not None and forms is not None:
            _try_starts(text, words, globs, forms, found)
        if effects is not None:
            # A lone `/` is a division far more often than the root of everything.
            distinct = dict.fromkeys(word.group() for word in words if word.group() != "/")
            distinct.update(dict.fromkeys(named_paths(text, words, gap.folders, effects.home)))
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
    """Try every word as the start of a command, as far as a pattern could mean it."""
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
    """A pattern that does not name its program is tried where quotes or brackets begin."""
    if program_key(words[at].group()) in forms.filed:
        return True
    return forms.speaks_of_any and (at == 0 or not _is_blank(text, words[at - 1], words[at]))


def _candidates(text: str, words: Sequence[re.Match[str]], at: int) -> Iterator[list[str]]:
    """The words from here to the end of the quotes or brackets they stand in, and across them."""
    through = words[at : at + _MAX_WORDS]
    inside = 1
    while inside < len(through) and _is_blank(text, through[inside - 1], through[inside]):
        inside += 1
    yield [word.group() for word in through[:inside]]
    if inside < len(through):
        yield [word.group() for word in through]


def _is_blank(text: str, one: re.Match[str], following: re.Match[str]) -> bool:
    return text[one.end() : following.start()].isspace()
