"""What a command means to a project, whichever tool it names: `pytest`, `npm test` and `cargo test` test."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

import msgspec

from interlock.builtin_hooks.toolchain.toolchains import Toolchain

TIMED: Final = re.compile(r"time[ \t]+(?:-p[ \t]+)?")
# `time` and assignments of plain words before a command; anything else there is left alone.
_BEFORE: Final = re.compile(rf"(?:{TIMED.pattern})?" + r"(?:[A-Za-z_]\w*=[\w./:,@%+-]*[ \t]+)*")
_MERGED: Final = re.compile(r"\s+2>&1$")
_EVERYTHING: Final = frozenset({"", ".", "./..."})


class Meant(msgspec.Struct, frozen=True, kw_only=True):
    """A command taken apart; put together again in this order it is the same command."""

    toolchain: str
    action: str
    before: str = ""  # `time`, assignments
    starter: str = ""  # `uv run`, `python -m`
    program: str  # `pytest`, `npm test`
    rest: str = ""  # its arguments as they are written, with the space before them
    after: str = ""  # `2>&1`

    @property
    def arguments(self) -> str:
        """The arguments; what stands for everything anyway is none."""
        words = self.rest.strip()
        return "" if words in _EVERYTHING else words

    def said(self, command: str) -> str:
        """Another command in the place of this one."""
        return f"{self.before}{command}{self.after}"


class Meanings:
    """Finds what commands mean; nearly all of them mean nothing, and their first word tells."""

    def __init__(self, toolchains: Iterable[Toolchain]) -> None:
        self._by_first: Final[dict[str, list[tuple[re.Pattern[str], str, str, str]]]] = {}
        for chain in toolchains:
            for program, action in chain.means.items():
                for starter in ("", *chain.starters):
                    self._add(chain.name, starter, program, action)
        for listed in self._by_first.values():
            listed.sort(key=lambda one: -len(one[0].pattern))  # the longest beginning says most

    def _add(self, chain: str, starter: str, program: str, action: str) -> None:
        words = f"{starter} {program}".split()
        pattern = r"[ \t]+".join(map(re.escape, words)) + r"(?=\s|$)"
        if starter:
            split = len(starter.split())
            head, tail = (r"[ \t]+".join(map(re.escape, part)) for part in (words[:split], words[split:]))
            pattern = rf"(?P<starter>{head})[ \t]+(?P<program>{tail})(?=\s|$)"
        else:
            pattern = rf"(?P<starter>)(?P<program>{pattern})"
        found = (re.compile(pattern, re.IGNORECASE), chain, starter, action)
        self._by_first.setdefault(words[0].lower(), []).append(found)

    def of(self, text: str) -> Meant | None:
        """What a command means; None when that is nothing known."""
        first = text.split(None, 1)[:1]
        if not first or not (first[0].lower() in self._by_first or first[0] == "time" or "=" in first[0]):
            return None
        before = _BEFORE.match(text)
        start = before.end() if before else 0
        words = text[start:].split(None, 1)
        for pattern, chain, starter, action in self._by_first.get(words[0].lower() if words else "", ()):
            found = pattern.match(text, start)
            if found is not None:
                merged = _MERGED.search(text, found.end())
                end = merged.start() if merged else len(text)
                return Meant(
                    toolchain=chain,
                    action=action,
                    before=text[:start],
                    starter=starter,
                    program=found["program"],
                    rest=text[found.end() : end],
                    after=text[end:],
                )
        return None
