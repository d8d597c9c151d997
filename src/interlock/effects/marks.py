"""The private marks in the text of a command as an allow compares it."""

from __future__ import annotations

import re
from typing import Final

from interlock.effects.shell.place import POWER_MARK, REDIRECT_MARK

MARKS: Final = re.compile(f"[{REDIRECT_MARK}{POWER_MARK}]")


def unmarked(text: str) -> str:
    """The text that was marked."""
    return text if text.isascii() else text.replace(REDIRECT_MARK, ">").replace(POWER_MARK, "")


def has_marks(text: str) -> bool:
    """Whether a text does more than a plain pattern covers."""
    return not text.isascii() and MARKS.search(text) is not None
