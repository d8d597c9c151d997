"""The effects of a call that a policy can name, and the words of a command."""

from __future__ import annotations

from enum import StrEnum
from operator import attrgetter
from typing import Final

import msgspec


class Word(msgspec.Struct, frozen=True, gc=False):
    """An argument: its value, or, where only the run decides, the text as written."""

    text: str
    fixed: bool = True  # the program gets exactly `text`, as one argument
    splits: bool = False  # it may become no argument or several: an unquoted variable, a glob


# Used with `map` where it matters: faster than a comprehension.
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
    """One effect and its target; a target that is not known yet is given as written."""

    kind: EffectKind
    target: str
    base: str | None = None  # the folder a relative path starts from; None if unknown
    known: bool = True  # False: the target is only known when it runs (`$x`, a glob, standard input)
    by: str = ""  # the command that causes it, as written
    value: str | None = None  # the new value of a variable, if known
