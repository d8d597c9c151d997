"""What a script gives to judge."""

from __future__ import annotations

import pytest

from interlock.effects.command import reading_of
from interlock.effects.reading import read_script


@pytest.mark.parametrize(
    ("text", "deny"),
    [
        ("ls", ("ls",)),
        ("cd x && rm -rf y", ("cd x && rm -rf y", "cd x", "rm -rf y")),
        ("A=1 B='x y' rm  x", ("A=1 B='x y' rm  x", "rm  x")),
        ("A=$(x y) rm z", ("A=$(x y) rm z", "x y", "rm z")),
        ("A=1", ("A=1",)),
        ("", ("",)),
    ],
)
def test_denied_are_the_whole_text_and_every_command(text: str, deny: tuple[str, ...]) -> None:
    """As written, and without the assignments before it."""
    reading = reading_of(read_script(text, "/w"), text)

    assert reading.deny[0] == text
    assert set(reading.deny) == set(deny)
    assert reading.unread is None


def test_the_first_gap_says_why_it_is_unread() -> None:
    """And the gaps themselves are kept."""
    reading = reading_of(read_script("echo 'x", "/w"), "echo 'x")

    assert reading.unread == reading.gaps[0].why
