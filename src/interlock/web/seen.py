"""Texts in which every character can be seen already: to write them out twice would tell something else."""

from __future__ import annotations

from interlock.events.visible_text import visible


class Seen(str):
    """A text a template shows as it is, escaped like any other; a part of one is an ordinary text again."""

    __slots__ = ()


def seen(text: str) -> Seen:
    """A text with what could not be seen written out."""
    return Seen(visible(text))
