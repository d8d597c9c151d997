"""Run as a program of its own: reads files named on standard input and says which of them cannot be parsed.

A parser holds the interpreter for as long as a file is long or deep, so that no daemon should do it itself.
"""

from __future__ import annotations

import ast
import json
import os
import re
import stat
import sys
import tomllib
import warnings
from collections.abc import Callable
from typing import Any, Final

import yaml

_MOST: Final = 1 << 20  # of a larger file nothing is said
# These are read by programs that know comments in JSON.
_COMMENTED: Final = re.compile(
    r"/(?:[tj]sconfig[^/]*|devcontainer|\.eslintrc|\.babelrc|settings)\.json$|/\.vscode/[^/]*$"
)
_CONFLICT: Final = ("<<<<<<< ", ">>>>>>> ")


def main() -> None:
    """One line of JSON for each file that something is wrong with."""
    warnings.simplefilter("ignore")  # a bad escape in somebody's file is not our matter
    wanted: dict[str, Any] = json.load(sys.stdin)
    for path in wanted["files"]:
        problem = _find_problem(path, syntax=wanted["syntax"], conflicts=wanted["conflicts"])
        if problem is not None:
            sys.stdout.write(json.dumps({"file": path, "problem": problem}) + "\n")
            sys.stdout.flush()


def _find_problem(path: str, *, syntax: bool, conflicts: bool) -> str | None:
    content = _read(path)
    if content is None:
        return None
    text = content.decode("utf-8", "replace")
    if conflicts and (line := _find_conflict(text)):
        return f"line {line}: it still has a merge conflict"
    parse = (
        _PARSERS.get(os.path.splitext(path)[1].lower()) if syntax and not _COMMENTED.search(path) else None
    )
    if parse is None:
        return None
    try:
        parse(text)
    except RecursionError:
        return None
    except (SyntaxError, ValueError, MemoryError, yaml.YAMLError) as error:
        return f"cannot be parsed: {' '.join(str(error).split())[:200] or type(error).__name__}"
    return None


def _read(path: str) -> bytes | None:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return None
    with os.fdopen(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or found.st_size > _MOST:
            return None
        return file.read(_MOST)


def _find_conflict(text: str) -> int | None:
    """The line where a conflict begins that also ends; one sign alone may be part of a text."""
    lines = text.split("\n")
    begin = next((number for number, line in enumerate(lines, 1) if line.startswith(_CONFLICT[0])), None)
    ends = begin is not None and any(line.startswith(_CONFLICT[1]) for line in lines[begin:])
    return begin if ends else None


def _parse_yaml(text: str) -> None:
    # Its grammar only: what a tag stands for is known to whoever reads the file.
    for _ in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        pass


_PARSERS: Final[dict[str, Callable[[str], object]]] = {
    ".json": json.loads,
    ".toml": tomllib.loads,
    ".py": ast.parse,
    ".pyi": ast.parse,
    ".yaml": _parse_yaml,
    ".yml": _parse_yaml,
}

if __name__ == "__main__":
    main()
