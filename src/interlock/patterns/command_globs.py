"""The globs about the text of shell commands: most are found by their first word, the others in one pass."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import Final

import re2

from interlock.effects.canonical_form import filed_under, form_of, names_of, pattern_form, program_key
from interlock.effects.programs.arguments import Arguments
from interlock.patterns.glob import GlobSet, command_denial_expression

_PLAIN_WORDS: Final = re.compile(r"(?P<words>[^*?]*[^*?\s][^*?]*)(?P<star>\*?)")
_BLANKS: Final = "\t\n\f\r "  # what `\s` is to the engine
# This many globs of one first word are compared one by one; of more the engine is asked, in one pass.
_FEW: Final = 24


class CommandGlobs:
    """Globs as denies read them; `hits` gives those that match the whole text."""

    def __init__(self, globs: Mapping[str, str]) -> None:
        self._written_out: Final[dict[str, list[str]]] = {}
        for key, glob in globs.items():
            if command_denial_expression(glob) == re2.escape(glob):
                self._written_out.setdefault(glob, []).append(key)
        begun = {key: found for key, glob in globs.items() if (found := _beginnings(glob)) is not None}
        first = {key: found[0].split(None, 1)[0] for key, found in begun.items()}
        count = Counter(first.values())
        # By first word: how a text that is met begins, with a blank behind it, and what it is met by.
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
        self._between: GlobSet | None = None
        self._whole: GlobSet | None = None

    def all_hits(self, texts: Collection[str]) -> dict[str, list[str] | None]:
        """Per text of one call what hits it: that nothing of the rest does is asked about all at once."""
        if self._rest:
            between = self._between or self._between_marks()
            if between.hits("\0" + "\0".join(texts) + "\0") != []:
                return {text: self.hits(text) for text in texts}
        return self._by_first_word(texts)

    def hits(self, text: str) -> list[str] | None:
        """The globs that match, or None when the text could not be matched at all."""
        found = self._by_first_word((text,))[text]
        if not self._rest or found is None:
            return found
        rest = self._exact().hits(text) if "\0" in text else self._between_marks().hits(f"\0{text}\0")
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

    def _between_marks(self) -> GlobSet:
        """Matches what stands between two marks: one text, or any of many."""
        if self._between is None:
            self._between = GlobSet(self._rest.items(), begin=r"\x00", end=r"\x00")
        return self._between

    def _exact(self) -> GlobSet:
        """For a text that has a mark in itself."""
        if self._whole is None:
            self._whole = GlobSet(self._rest.items())
        return self._whole


def _beginnings(glob: str) -> tuple[str, ...] | None:
    """How a text with a blank behind it begins if a glob meets it; None where that takes an expression.

    These are `git push *`, met by `git push` alone too, and `rm -rf /*`, whose first word is whole.
    """
    plain = _PLAIN_WORDS.fullmatch(glob)
    if plain is None or not plain["star"]:
        return None
    words, expression = plain["words"], command_denial_expression(glob)
    if expression == rf"{re2.escape(words[:-1])}(?:\s.*)?":
        return tuple(words[:-1] + blank for blank in _BLANKS)
    # Its first word must be whole, and a blank at its end might be taken for the one behind the text.
    simple = expression == f"{re2.escape(words)}.*" and len(words.split(None, 1)) > 1
    return (words,) if simple and not words[-1].isspace() else None


_ABSENT: Final = re.compile(r"(?<=\s)!-\S+(?:\s|$)")
_ABSENT_NAME: Final = re.compile(r"(?<=\s)!(-\S+)")


class FormPatterns:
    """Only what is filed under a command's program or flags is ever compiled and asked."""

    def __init__(self, globs: Mapping[str, str]) -> None:
        self._globs: Final = {text: _ABSENT.sub("", glob).strip() for text, glob in globs.items()}
        # Flags that a command must not have, written `!--flag`.
        self._absent: Final = {
            text: frozenset(_ABSENT_NAME.findall(glob)) for text, glob in globs.items() if " !-" in glob
        }
        self._filed: dict[str, list[str]] | None = None
        self._sets: Final[dict[str, GlobSet]] = {}
        self._keys: frozenset[str] = frozenset()
        self._by_flag = False
        self._by_any = False

    @property
    def filed(self) -> Mapping[str, list[str]]:
        """Pattern texts by program, by flag, and under `` those that may meet any command."""
        if self._filed is None:
            filed: dict[str, list[str]] = {}
            for text, glob in self._globs.items():
                key = filed_under(glob)
                if key or pattern_form(glob) is not None:
                    filed.setdefault(key, []).append(text)
            self._by_flag = any(key.startswith("-") for key in filed)
            self._by_any = "" in filed or self._by_flag
            self._keys = frozenset(filed)
            self._filed = filed
        return self._filed

    def speaks_of(self, program: str) -> bool:
        """Whether a command of this program could be met at all."""
        filed = self._filed or self.filed
        return self._by_any or program_key(program) in filed

    @property
    def speaks_of_any(self) -> bool:
        """Whether some pattern does not say which program it means."""
        return bool(self._filed or self.filed) and self._by_any

    def hits(self, arguments: Arguments, known: set[str] | frozenset[str] = frozenset()) -> list[str]:
        """The patterns that match a command in one form, perhaps without those known to hit already."""
        filed = self._filed or self.filed
        # The program's name as its form has it.
        named = arguments.name if arguments.program is None else arguments.name.partition(" ")[0]
        keys: list[str] = []
        if named in filed and not known.issuperset(filed[named]):
            keys.append(named)
        if "" in filed and not known.issuperset(filed[""]):
            keys.append("")
        if self._by_flag and arguments.flags:
            every = self._keys
            for flag in arguments.flags:
                own = flag.option.names if flag.option else (flag.name,)
                if not every.isdisjoint(own):
                    keys += every.intersection(own)
        if not keys:
            return keys
        form = form_of(arguments)
        hits = [hit for key in keys for hit in self._matches_of(key, form)]
        if self._absent and hits:
            names = {name for flag in arguments.flags for name in names_of(flag)}
            hits = [hit for hit in hits if names.isdisjoint(self._absent.get(hit, ()))]
        return hits

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
