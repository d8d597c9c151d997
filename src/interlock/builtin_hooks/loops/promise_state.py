"""A task that is promised: how it stands, and the words that send an agent back to it."""

from __future__ import annotations

import re
import time
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
MOST: Final = 1_000
_OBJECTIVE: Final = 2_000  # characters that are kept of it
_FLAG: Final = re.compile(
    r"\s*--(?:max-iterations[ =](?P<most>\d{1,6})"
    r"|completion-promise[ =](?P<promise>\"[^\"]*\"|'[^']*'|\S+))(?:\s|$)"
)
_FILLED: Final = re.compile(r"\{(?:iteration|max|objective|promise)\}")


class Loop(msgspec.Struct, frozen=True, kw_only=True):
    """The checkpoint of one loop, as it is kept."""

    state: str = "none"  # running, complete, stopped, none
    objective: str = ""
    promise: str = ""  # what is waited for
    most: int = 0  # how often the agent is sent back
    iteration: int = 0
    before: int = 0  # iterations of earlier turns: the loop was taken up again
    started: float = 0.0
    sent_back: str = ""  # what was said last


def asked(prompt: str, command: str) -> str | None:
    """What follows the command a prompt begins with; None when it begins with another word."""
    rest = prompt[len(command) :]
    begins = prompt.startswith(command) and (not rest or not rest[0].isalnum())
    return rest.strip() if begins else None


def begun(words: str, *, promise: str, most: int) -> Loop:
    """The loop that a prompt begins; flags before the objective say what the policy does not."""
    while found := _FLAG.match(words):
        if found["most"]:
            most = max(1, min(MOST, int(found["most"])))
        promise = " ".join((found["promise"] or "").strip("\"'").split()) or promise
        words = words[found.end() :]
    objective = words.strip()[:_OBJECTIVE]
    return Loop(state="running", objective=objective, promise=promise, most=most, started=time.time())


def filled(text: str, loop: Loop) -> str:
    """A text with what it leaves open, in one pass: an objective that holds such a word is text."""
    values = {
        "{iteration}": str(loop.iteration),
        "{max}": str(loop.most),
        "{objective}": loop.objective,
        "{promise}": loop.promise,
    }
    return _FILLED.sub(lambda found: values[found[0]], text)
