"""Paths that code of another language names: by a text in quotes, and by several that are put together."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from interlock.effects.paths.forms import tidy

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

    Where the code speaks of the home, that is one of these folders, also for a text that is put behind it.
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
