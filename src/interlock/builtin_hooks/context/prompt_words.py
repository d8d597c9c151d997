"""The words of a prompt, and whether it contains a phrase that is not negated."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

LOOKED_AT: Final = 4_000  # characters; the beginning of a prompt says what it is about
_WORD: Final = re.compile(r"[^\W\d_]{3,}")
_NEGATED: Final = re.compile(r"(?:\b(?:not|never|cannot|dont|doesnt|didnt|cant|wont)|n['’]t)\s+(?:\w+\s+)?$")


def words_of(prompt: str) -> list[str]:
    """Its words of at least three letters that are not negated, in lower case, each once."""
    text = prompt[:LOOKED_AT].lower()
    return list(dict.fromkeys(word[0] for word in _WORD.finditer(text) if _is_affirmed(text, word.start())))


class Phrases:
    """Finds whole phrases that have no negation just before them."""

    def __init__(self, phrases: Iterable[str]) -> None:
        self._pattern: Final = re.compile("|".join(map(_whole, phrases)) or r"(?!)")

    def found(self, prompt: str) -> bool:
        """Whether one of them is in the prompt and not negated."""
        text = prompt[:LOOKED_AT].lower()
        return any(_is_affirmed(text, match.start()) for match in self._pattern.finditer(text))


def _is_affirmed(text: str, start: int) -> bool:
    return _NEGATED.search(text[max(0, start - 40) : start]) is None


def _whole(phrase: str) -> str:
    """A pattern for a phrase that is not part of a longer word; before `.md` a word may end."""
    text = " ".join(phrase.lower().split())
    start = r"(?<!\w)" if text[:1].isalnum() else ""
    end = r"(?!\w)" if text[-1:].isalnum() else ""
    return start + "".join(map(_either, text)) + end


def _either(character: str) -> str:
    """A pattern for a character as people type it: any space, either apostrophe."""
    if character == " ":
        return r"\s+"
    return "['’]" if character == "'" else re.escape(character)
