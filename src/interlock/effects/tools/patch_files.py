"""The files a patch text would change."""

from __future__ import annotations

import re
from typing import Final

from interlock.effects.effect import EffectKind

_LINE: Final = re.compile(
    r"""^[ \t]*(?:
      \*\*\*[ ](?P<verb>Add|Create|Update|Delete|Move)[ ](?:File:|to:)[ ]*(?P<file>[^\r\n]+)
    | (?P<mark>---|\+\+\+)[ ](?P<side>[^\r\n]+)
    | (?P<move>rename|copy)[ ](?P<way>from|to)[ ](?P<moved>[^\r\n]+)
    | diff[ ]--git[ ](?P<pair>[^\r\n]+)
    )""",
    re.VERBOSE | re.MULTILINE,
)
_STAMP: Final = re.compile(r"\t.*$")
_PAIR: Final = re.compile(r'"?a/(?P<old>.*?)"? "?b/(?P<new>.*?)"?')
_NOTHING: Final = "/dev/null"

FileEffect = tuple[EffectKind, str]


def patch_files(text: str) -> tuple[FileEffect, ...]:
    """What a patch does to which file, in either of the two notations; nothing where no file is named."""
    found: dict[FileEffect, None] = {}
    old = ""
    for line in _LINE.finditer(text):
        if line["verb"]:
            kind = EffectKind.DELETE if line["verb"] == "Delete" else EffectKind.WRITE
            found[kind, line["file"].strip()] = None
        elif line["mark"]:
            name = _named(line["side"])
            found.update(_changed(line["mark"], name, old))
            old = name
        elif line["move"]:
            found[_moved(line["move"], line["way"]), line["moved"].strip().strip('"')] = None
        elif (pair := _PAIR.fullmatch(line["pair"].strip())) is not None:
            found[EffectKind.WRITE, pair["new"]] = None
    return tuple(found)


def _changed(mark: str, name: str, old: str) -> dict[FileEffect, None]:
    """A side of a file's change; where the new side is nothing, the old one is removed."""
    if name != _NOTHING:
        return dict.fromkeys((EffectKind.WRITE, one) for one in _with_and_without_prefix(name))
    if mark == "+++" and old:
        return dict.fromkeys((EffectKind.DELETE, one) for one in _with_and_without_prefix(old))
    return {}


def _moved(move: str, way: str) -> EffectKind:
    if way == "to":
        return EffectKind.WRITE
    return EffectKind.DELETE if move == "rename" else EffectKind.READ


def _named(side: str) -> str:
    return _STAMP.sub("", side).strip().strip('"')


def _with_and_without_prefix(name: str) -> tuple[str, ...]:
    """`a/x` is `x` to a program that strips one folder, and itself to one that does not."""
    return (name, name[2:]) if name[:2] in {"a/", "b/"} and len(name) > len("a/") else (name,)
