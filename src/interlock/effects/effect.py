"""What a call does to the world, in words a policy can speak about, and the words of a command."""

from __future__ import annotations

from enum import StrEnum
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


class EffectKind(StrEnum):
    """The six things a call can do."""

    RUN = "run"  # a program, by its name
    READ = "read"  # a path
    WRITE = "write"  # a path: create, change, append
    DELETE = "delete"  # a path
    NETWORK = "network"  # a host
    ENV = "env"  # a variable that later programs will see


class Effect(msgspec.Struct, frozen=True, gc=False):
    """One effect with its target; a target that is not known yet stands as written."""

    kind: EffectKind
    target: str
    base: str | None = None  # the folder a relative path starts from; None when that is not known
    known: bool = True  # False: the target is only decided when it runs (`$x`, a glob, standard input)
    by: str = ""  # the command that has it, as written
    value: str | None = None  # what a variable is set to, when that is known
