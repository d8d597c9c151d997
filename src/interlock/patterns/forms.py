"""Deny patterns over the one form of commands, filed by what a command must have to meet them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from interlock.effects.one_form import filed_under, form_of, names_of, pattern_form, program_key
from interlock.effects.programs.arguments import Arguments
from interlock.patterns.glob_set import GlobSet

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
        hits = [hit for key in keys for hit in self._asked(key, form)]
        if self._absent and hits:
            names = {name for flag in arguments.flags for name in names_of(flag)}
            hits = [hit for hit in hits if names.isdisjoint(self._absent.get(hit, ()))]
        return hits

    def _asked(self, key: str, form: str) -> list[str]:
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
