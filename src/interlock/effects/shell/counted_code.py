"""Code for a small language that is known but for the numbers in it: `sed -n "$((n - 5)),$((n + 5))p"`."""

from __future__ import annotations

import re
from typing import Final

from interlock.effects.programs.little_code import LITTLE, is_plain_code
from interlock.effects.programs.program import Program
from interlock.effects.shell.place import Place
from interlock.effects.word import Word

_NUMBER: Final = re.compile(r"\$\(\([\w\s${}#+*/%-]*\)\)|\$[#?]|\$\{#\w+\}", re.ASCII)
# As it stands in the text, where nothing that was quoted can be taken for a number.
_CODE: Final = re.compile(rf'"((?:[^"\\$`]++|{_NUMBER.pattern})*)"', re.ASCII)


def is_plain_but_for_numbers(
    word: Word, words: tuple[Word, ...], place: Place, entry: Program | None
) -> bool:
    """Whether nothing is open in a word of code but numbers, and it only transforms what it is given."""
    spans = place.spans
    if entry is None or entry.name not in LITTLE or spans is None or len(spans) != len(words):
        return False
    at = next((at for at, one in enumerate(words) if one is word), None)
    found = None if at is None else _CODE.fullmatch(place.text, spans[at].start, spans[at].end)
    return found is not None and is_plain_code(entry.name, Word(_NUMBER.sub("1", found[1])))
