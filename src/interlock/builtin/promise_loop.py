"""A task that is promised: how it stands, and the words that send an agent back to it."""

from __future__ import annotations

import re
from typing import Final

import msgspec

TOLD: Final = (
    "This task ends with a promise. Only when all of it is done and you have checked it, end your answer "
    "with <promise>{promise}</promise>; until then you are sent back to it, {max} times at most."
)
CONTINUATION: Final = (
    "The task is not done yet (iteration {iteration} of {max}). {objective}\n"
    "Look at what is there already, do what is missing, and check it. Only when all of it is done and "
    "checked, end your answer with <promise>{promise}</promise>."
)
_FILLED: Final = re.compile(r"\{(?:iteration|max|objective|promise)\}")


class Loop(msgspec.Struct, frozen=True, kw_only=True):
    """The checkpoint of one loop, as it is kept."""

    state: str = "none"  # running, complete, stopped, none
    objective: str = ""
    iteration: int = 0
    before: int = 0  # iterations of earlier turns: the loop was taken up again
    started: float = 0.0
    sent_back: str = ""  # what was said last


def filled(text: str, loop: Loop, *, promise: str, most: int) -> str:
    """A text with what it leaves open, in one pass: an objective that holds such a word is text."""
    values = {
        "{iteration}": str(loop.iteration),
        "{max}": str(most),
        "{objective}": loop.objective,
        "{promise}": promise,
    }
    return _FILLED.sub(lambda found: values[found[0]], text)
