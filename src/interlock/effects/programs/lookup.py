"""Finding the table entry of a program by whatever name it is called."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from interlock.effects.programs.program import Program
from interlock.effects.programs.spec import parse_spec
from interlock.effects.programs.tables import every_table

_VERSIONED: Final = re.compile(r"([a-z+]+?)-?[0-9][0-9.]*(?:-(?:dev|config))?")
_OF_FILE_SYSTEMS: Final = frozenset({"mkfs", "fsck"})  # `mkfs.ext4`
_KEPT: Final = 4096  # names, so that made-up ones cannot fill the memory
_LONGEST_KEPT: Final = 60  # characters of a name that nobody knows
_known: Final[dict[str, Program]] = {}
_unknown: Final[set[str]] = set()


def find_program(name: str) -> Program | None:
    """The entry for a program given by name or path, or for `program subcommand`."""
    if (known := _known.get(name)) is not None:
        return known
    if name in _unknown:
        return None
    entry = _find(name)
    if entry is None:
        if len(_unknown) < _KEPT and len(name) <= _LONGEST_KEPT:
            _unknown.add(name)
        return None
    program = _parsed(entry)
    if len(_known) < _KEPT:
        _known[name] = program
    return program


def main_name(name: str) -> str | None:
    """The name a program goes by in the table, without reading its entry."""
    entry = _find(name)
    return None if entry is None else _index()[entry][0]


def find_subcommand(name: str) -> Program | None:
    """The entry for exactly this `program subcommand`."""
    return _known.get(name) or (find_program(name) if name in _index() else None)


def known_alike(name: str) -> str | None:
    """The program that a file system blind to case runs by this name, where nobody knows one of that name."""
    low = base_name(name).lower()
    if low == base_name(name) or (name[:1] != "/" and "/" in name) or _find(low) is None:
        return None
    return low if _find(name) is None else None


def base_name(name: str) -> str:
    """A program's name without its folders and without `.exe`."""
    base = name.rpartition("/")[2] if "/" in name else name
    return base[:-4] if "." in base and base[-4:].lower() == ".exe" else base


def _find(name: str) -> str | None:
    """The key a name is filed under: itself, its last part, without a version, without the GNU `g`."""
    index = _index()
    if name in index:
        return name
    base = base_name(name)
    if base in index:
        return base
    return None if " " in base else _relative(base, index)


def _relative(base: str, index: dict[str, tuple[str, str]]) -> str | None:
    if (match := _VERSIONED.fullmatch(base)) is not None and match[1] in index:
        return match[1]
    if base[:1] == "g" and base[1:] in _gnu_names():
        return base[1:]
    family, dot, _ = base.partition(".")
    return family if dot and family in _OF_FILE_SYSTEMS else None


@cache
def _parsed(key: str) -> Program:
    name, spec = _index()[key]
    above, _, _ = key.rpartition(" ")
    parent = find_program(above) if above else None
    return parse_spec(name, spec, parent)


@cache
def _index() -> dict[str, tuple[str, str]]:
    """All names with the name they go by and their spec; keys `a,b` are alike, `a=b` are the same."""
    index: dict[str, tuple[str, str]] = {}
    for table in every_table():
        for key, spec in table.items():
            above, space, names = key.rpartition(" ")
            for alike in names.split(","):
                first, *others = alike.split("=")
                family = first.partition(".")[0]
                main = family if family in _OF_FILE_SYSTEMS else first
                for name in (first, *others):
                    index[above + space + name] = (above + space + main, spec)
    return index


@cache
def _gnu_names() -> frozenset[str]:
    """Programs that package managers also install with a `g` in front."""
    return frozenset(
        """awk base64 basename cat chgrp chmod chown cp cut date dd df dirname du echo egrep env expand
        expr fgrep find fold grep head id install join kill link ln ls make md5sum mkdir mkfifo
        mknod mktemp mv nice nl nohup nproc numfmt od paste pathchk printenv printf readlink
        realpath rm rmdir sed seq sha1sum sha256sum sha512sum shred shuf sleep sort split stat
        stdbuf stty sum sync tac tail tar tee test time timeout touch tr true truncate tsort
        tty uname unexpand uniq unlink uptime wc which who whoami xargs yes""".split()
    )


_ADDRESS: Final = re.compile(
    r"(?:.*@)?\s*(?:(?:git\+)?[a-z][a-z0-9+.-]*://|git@|(?:github|gitlab|bitbucket|gist|git|sourcehut|codeberg):)",
    re.IGNORECASE | re.DOTALL,
)
_SHORT: Final = re.compile(r"[A-Za-z0-9][\w-]*/[\w.-]+(?:#.*)?")
# To these `owner/name` is a repository of GitHub.
_WITH_SHORT: Final = frozenset(
    ("npx", "bunx", "npm exec", "npm init", "pnpm dlx", "pnpm create", "yarn dlx", "yarn create", "bun x")
)


def is_address(text: str, program: str) -> bool:
    """Whether this program would fetch the package from there: `git+https://…`, `github:a/b`, `x@https://…`."""
    if "/" not in text and ":" not in text:  # as nearly all names are
        return False
    if _ADDRESS.match(text) is not None:
        return not text.startswith("file:")
    return program in _WITH_SHORT and _SHORT.fullmatch(text) is not None
