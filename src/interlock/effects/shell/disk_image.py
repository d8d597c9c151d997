"""Whether a program that makes file systems or partitions works on an image file, not on a disk."""

from __future__ import annotations

import os.path
import re
from typing import Final

from interlock.effects.effect import Word
from interlock.effects.programs.arguments import Arguments, Flag
from interlock.effects.programs.program import Role
from interlock.effects.shell.scope import Scope

_WRITING: Final = frozenset({Role.WRITE, Role.EDIT})
_IMAGES: Final = (".img", ".iso", ".raw", ".qcow2", ".vdi", ".vmdk", ".image")
# Where the kernel shows what are not files.
_NO_FILES: Final = ("/dev/", "/proc/", "/sys/")
_FILES: Final = "/dev/shm/"  # noqa: S108 - the one folder among them that holds files; nothing is written there
# A folder that a variable names: `$WORK/disk.img`, quoted or not.
_IN_FOLDER: Final = re.compile(r"(\$[A-Za-z_]\w*|\$\{[A-Za-z_]\w*\}|\$\(pwd\)|`pwd`)/[\w./-]+")


def on_image(arguments: Arguments, flags: tuple[Flag, ...], scope: Scope) -> bool:
    """Whether a program for disks writes to files only, by their names; links are seen where paths are."""
    written = [operand.word for operand in arguments.operands if operand.role in _WRITING]
    written += [
        flag.value
        for flag in flags
        if flag.value is not None and flag.option is not None and flag.option.value in _WRITING
    ]
    named = [operand.word for operand in arguments.operands]
    named += [flag.value for flag in arguments.flags if flag.value is not None]
    if any(_is_no_file(word.text) for word in named):
        return False  # whatever it is to the program
    return bool(written) and all(_is_file(word, scope.folders) for word in written)


def _is_file(word: Word, folders: tuple[str, ...]) -> bool:
    text = word.text
    if not word.fixed:  # no disk has such a name, whatever stands before it
        return text.endswith(_IMAGES) and (not word.splits or _IN_FOLDER.fullmatch(text) is not None)
    if not text.startswith("/") and not folders:
        return text.endswith(_IMAGES)
    places = [os.path.normpath(os.path.join(folder, text)) for folder in folders or ("/",)]
    return not any(map(_is_no_file, places))


def _is_no_file(path: str) -> bool:
    place = f"{os.path.normpath(path).lower()}/"
    return place.startswith(_NO_FILES) and not place.startswith(_FILES)
