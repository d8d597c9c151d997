"""A long text or list as people and agents read it: cut short, on one line."""

from __future__ import annotations

from collections.abc import Iterable


def shorten(text: str, most: int) -> str:
    """This many characters, the last of them a mark where more was there."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def one_line(text: str, most: int) -> str:
    """The words with single blanks between them."""
    return shorten(" ".join(text.split()), most)


def printable_line(text: str, most: int) -> str:
    """Every character that a terminal would act on becomes a blank."""
    return shorten("".join(one if one.isprintable() else " " for one in text[: most + 1]), most)


def and_more(count: int, most: int) -> str:
    """What stands behind a list of which only this many are shown."""
    return f" and {count - most} more" if count > most else ""


def first_few(texts: Iterable[str], most: int) -> str:
    """The first so many of a list, and how many more there are."""
    found = list(texts)
    return ", ".join(found[:most]) + and_more(len(found), most)


def plural(count: int, noun: str) -> str:
    """`1 call`, `2 calls`."""
    return f"{count} {noun}{'' if count == 1 else 's'}"
