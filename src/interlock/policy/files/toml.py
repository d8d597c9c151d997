"""Reads TOML with line numbers: the standard parser gives the values, the scanner the lines."""

from __future__ import annotations

import datetime as dt
import math
import re
import tomllib
from typing import Any, Final

from interlock.errors import ConfigError, Problem
from interlock.policy.files.node import MAX_DEPTH, Node, Path, path_text
from interlock.policy.files.toml_lines import TooDeepError, lines_of

_PLACE: Final = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")


def read_toml(text: str, file: str) -> Node:
    """Read one document; an empty one is an empty table."""
    try:
        # Lines come first: the scanner's limits keep deep input away from the standard parser.
        lines = lines_of(text)
        return _node(tomllib.loads(text), (), lines, 1, file)
    except tomllib.TOMLDecodeError as error:
        raise _refusal(file, *_reason(text, str(error))) from error
    except TooDeepError as error:
        message = f"nested deeper than {MAX_DEPTH} levels; flatten this part"
        raise _refusal(file, error.line, message) from error
    except ValueError as error:
        raise _refusal(file, 1, f"invalid TOML: {error}; correct the value") from error


def _reason(text: str, error: str) -> tuple[int, str]:
    place = _PLACE.search(error)
    if place is None:
        return 1, f"invalid TOML: {error}; correct the file"
    line = int(place[1]) if place[1] else text.rstrip("\n").count("\n") + 1
    return line, f"invalid TOML: {error[: place.start()]}; correct this line"


def _node(value: Any, path: Path, lines: dict[Path, int], line: int, file: str) -> Node:
    line = lines.get(path, line)
    if isinstance(value, dict):
        return Node(
            value={key: _node(child, (*path, key), lines, line, file) for key, child in value.items()},
            line=line,
        )
    if isinstance(value, list):
        return Node(
            value=[_node(child, (*path, index), lines, line, file) for index, child in enumerate(value)],
            line=line,
        )
    if isinstance(value, float) and not math.isfinite(value):
        raise _refusal(file, line, f"`{value}` is not a finite number; write a number", path)
    return Node(value=value, line=line, text=_written(value))


def _written(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return value.isoformat() if isinstance(value, dt.date | dt.time) else str(value)


def _refusal(file: str, line: int, message: str, path: Path = ()) -> ConfigError:
    return ConfigError((Problem(file=file, line=line, path=path_text(path), message=message),))
