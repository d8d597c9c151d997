"""One word of a command, as far as its value is known before it runs."""

from __future__ import annotations

from operator import attrgetter
from typing import Final

import msgspec


class Word(msgspec.Struct, frozen=True, gc=False):
    """An argument: its value, or, where only the run decides, the text as written."""

    text: str
    fixed: bool = True  # the program gets exactly `text`, as one argument
    splits: bool = False  # may become none or several arguments: an unquoted variable, a glob


# In place of comprehensions where words are looked at most often: these run without an interpreter.
text_of_word: Final = attrgetter("text")
is_fixed: Final = attrgetter("fixed")
