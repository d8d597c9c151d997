"""The shim with more patience than the wheel's: on a busy machine a daemon that is late does not hang."""

from __future__ import annotations

import hashlib
import os
import platform
import sys
import tempfile
from functools import cache
from pathlib import Path

from hatch_build import NAME, ROOT, build, compiler, flag_sets

from interlock.version import __version__

_PATIENCE = ("-DSILENCE_MS=15000", "-DSTART_MS=30000", "-DWARM_MS=60000")


class PatientShim(os.PathLike[str]):
    """The path of the program, which is built when a test first uses it."""

    def __fspath__(self) -> str:
        """As a command line takes it."""
        return str(_built())

    __str__ = __fspath__


@cache
def _built() -> Path:
    """Built once for its source; the installed one where nothing can be built."""
    cc = compiler()
    if cc is None:
        return Path(sys.executable).with_name(NAME)
    flags = (*next(flag_sets(sys.platform, platform.machine())), *_PATIENCE)
    target = ROOT / ".cache" / "shim" / _source(*cc, *flags) / NAME
    if not target.exists():
        _put(cc, flags, target)
    return target


def _source(*words: str) -> str:
    """What the program is built from, in a few letters."""
    found = hashlib.sha256(repr((__version__, words)).encode())
    for file in (ROOT / "hatch_build.py", *sorted((ROOT / "shim").glob("*.[ch]"))):
        found.update(file.read_bytes())
    return found.hexdigest()[:16]


def _put(cc: list[str], flags: tuple[str, ...], target: Path) -> None:
    """Whole or not at all, since others may be building the same one."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        made = Path(folder) / NAME
        wrong = build(cc, made, __version__, flags)
        assert not wrong, wrong
        made.replace(target)
