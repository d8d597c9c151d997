"""What a path may turn out to be that begins with a variable, or in a folder that nobody knows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from interlock.effects.paths.forms import tidy

_HOME: Final = re.compile(r"\$(?:HOME\b|\{HOME\b[^}]*\})")
OPEN: Final = re.compile(r"\$\{[^}]*\}|\$\([^)]*\)|`[^`]*`|\$\w+")


def with_home(target: str, home: str) -> str:
    """A target with the home it names put in."""
    if target == "~" or target.startswith("~/"):
        return home + target[1:]
    return _HOME.sub(lambda _: home, target) if "$" in target else target


class DeniedFolders:
    """Hidden folders that are denied: of all names those that say where they belong."""

    def __init__(self, folders: Iterable[str]) -> None:
        self._hidden: Final[dict[str, list[str]]] = {}
        for folder in folders:
            if (last := tidy(folder).rpartition("/")[2])[:1] == ".":
                self._hidden.setdefault(last, []).append(folder)

    def holding(self, target: str, *, known: bool) -> Iterator[str]:
        """A target in each of the folders that it may lie in, or be."""
        # A known one starts from nobody knows where, another may begin with a variable.
        below = target if known else OPEN.sub("$", target).rpartition("$")[2].partition("/")[2]
        if below[:1] == ".":
            first = below.partition("/")[0]
            yield from (folder + below[len(first) :] for folder in self._hidden.get(first, ()))
