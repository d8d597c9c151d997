"""Laws of finding hints in long texts: in one pass, and none is missed."""

from __future__ import annotations

import base64
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.redaction.finding import LONG, Finder, hints_in
from interlock.redaction.redactor import KEYLESS

WORDS = st.binary(min_size=1, max_size=4).map(lambda word: bytes(97 + byte % 3 for byte in word))
TEXTS = st.binary(max_size=400).map(lambda text: bytes(97 + byte % 4 for byte in text))
LONG_ONE = base64.b64encode(random.Random(1).randbytes(LONG)).decode()


class Counted(bytes):
    """A text that counts how often a piece is looked for in it."""

    looks = 0

    def __contains__(self, piece: object) -> bool:
        type(self).looks += 1
        return isinstance(piece, bytes) and self.find(piece) >= 0


@pytest.mark.req("L06")
@given(TEXTS, st.frozensets(WORDS))
def test_the_pass_finds_what_looking_for_each_finds(text: bytes, hints: frozenset[bytes]) -> None:
    """Also hints that overlap, and that are parts of others."""
    assert hints_in(text, hints) == {hint for hint in hints if hint in text}


@pytest.mark.req("L06")
@pytest.mark.parametrize("before", ["", LONG_ONE], ids=["short", "long"])
def test_a_secret_is_found_whatever_stands_before_it(before: str) -> None:
    """By its own looks, and by the command it is given to."""
    for secret in ("key AKIAQWERTYUIOPASDFGH end", "curl -u bob:hunter22x https://a.example"):
        assert "[secret:" in KEYLESS.text(f"{before}\n{secret}\n")


@pytest.mark.req("L06")
def test_a_long_text_is_not_read_once_for_each_hint() -> None:
    """An image or a document of some megabytes would hold every other session up for a second."""
    Finder().spans(Counted(LONG_ONE.encode()))

    assert Counted.looks < 5
