"""Small changes to a shell text, such as a typing error or an attacker makes."""

from __future__ import annotations

import random
import re
from typing import Final

from tests.effects.oracle.corpus import groups

_TOKENS: Final = re.compile(r"\s+|\w+|.", re.DOTALL)
_INSERTED: Final = groups("pieces")["put in"]
_SWAPS: Final = dict(zip("'\"`({)};&|\n ", '"\'"{(})\n|&;\t', strict=True))


def mutate(text: str, rng: random.Random) -> str:
    """The text with one to three changes."""
    for _ in range(rng.choice((1, 1, 2, 3))):
        text = rng.choice((_insert, _delete, _double, _swap, _move))(text, rng)
    return text


def _insert(text: str, rng: random.Random) -> str:
    at = rng.randint(0, len(text))
    return text[:at] + rng.choice(_INSERTED) + text[at:]


def _delete(text: str, rng: random.Random) -> str:
    tokens = _TOKENS.findall(text)
    if tokens:
        del tokens[rng.randrange(len(tokens))]
    return "".join(tokens)


def _double(text: str, rng: random.Random) -> str:
    tokens = _TOKENS.findall(text)
    at = rng.randrange(len(tokens) or 1)
    return "".join((*tokens[: at + 1], *tokens[at:]))


def _swap(text: str, rng: random.Random) -> str:
    places = [at for at, letter in enumerate(text) if letter in _SWAPS]
    if not places:
        return text
    at = rng.choice(places)
    return text[:at] + _SWAPS[text[at]] + text[at + 1 :]


def _move(text: str, rng: random.Random) -> str:
    tokens = _TOKENS.findall(text)
    if tokens:
        token = tokens.pop(rng.randrange(len(tokens)))
        tokens.insert(rng.randint(0, len(tokens)), token)
    return "".join(tokens)
