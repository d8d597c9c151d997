"""Where links in the gate's own places lead: whoever changes what is there changes the gate.

People keep their policy and their settings in a repository of their own and link to them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Final

from interlock.builtin_hooks.self_protection.protected_paths import IN_HOST_FOLDERS

_MOST: Final = 1_000  # entries of one folder that are looked at


def links_out_of(folders: Iterable[Path], home: Path) -> tuple[str, ...]:
    """What the links in these folders, and those to a host's settings in a home, lead to, as globs."""
    found = [real for folder in folders for real in _linked_in(folder)]
    return tuple(dict.fromkeys(_glob(real) for real in (*found, *_settings(home))))


def _linked_in(folder: Path) -> Iterator[str]:
    entries = (Path(above, name) for above, inner, files in os.walk(folder) for name in (*inner, *files))
    for entry in islice(entries, _MOST):
        if entry.is_symlink():
            yield os.path.realpath(entry)


def _settings(home: Path) -> Iterator[str]:
    """Those that would lie elsewhere if nothing on the way was a link; they need not be there yet."""
    own = os.path.realpath(home)
    for folder, names in IN_HOST_FOLDERS.items():
        for name in names:
            real = os.path.realpath(home / folder / name)
            if real != f"{own}/{folder}/{name}":
                yield real


def _glob(real: str) -> str:
    return f"{real}/**" if Path(real).is_dir() else real
