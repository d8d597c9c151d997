"""The part of an entry that shows why it was found."""

from __future__ import annotations

import msgspec

from interlock.ledger.entry import Entry
from interlock.search.question import excerpt, parse_question


def shown(question: str, **texts: str) -> tuple[str, list[str]]:
    """The excerpt of an entry with these texts, and the words marked in it."""
    payload = msgspec.json.encode({"body": texts})
    entry = Entry(1, "op_1", "decision", "", "", "", None, None, None, None, payload, b"", b"")
    text, spans = excerpt(entry, parse_question(question))
    return text, [text[start:end] for start, end in spans]


def test_the_text_that_meets_most_of_the_question_is_shown() -> None:
    """One word many times is less than each word once."""
    text, marked = shown('npm "publish otp"', a="npm, npm and npm", b="npm publish --otp 1")

    assert (text, marked) == ("npm publish --otp 1", ["npm", "publish --otp"])


def test_a_mark_stands_where_something_is_missing() -> None:
    """At the front, at the end, at both and at neither; the words are still marked where they stand."""
    assert shown("word", a="a word") == ("a word", ["word"])

    text, marked = shown("word", a=f"{'x ' * 100}word{' y' * 100}")
    assert (text[0], text[-1], marked) == ("…", "…", ["word"])

    assert shown("word", a=f"word{' y' * 100}")[0].startswith("word y")
    assert shown("word", a=f"{'x ' * 100}word")[0].endswith(" word")


def test_what_is_found_without_its_accent_shows_the_beginning() -> None:
    """The index folds accents and the marking does not."""
    assert shown("cafe", a=f"café {'x' * 200}") == (f"café {'x' * 155}…", [])
