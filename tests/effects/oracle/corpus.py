"""The corpora: shell texts under the reason why they are there.

A line `%% reason` begins a group. Every other line is one text, except: `%{` and `%}` stand around a text of
several lines, `%" … "` is a text written as a JSON string, and empty lines mean nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).resolve().parent.parent / "corpora"


@dataclass(frozen=True)
class Row:
    """One text of a corpus."""

    text: str
    why: str


def load(name: str) -> list[Row]:
    """The rows of one corpus, by the name of its file."""
    return list(parse((FOLDER / f"{name}.txt").read_text("utf-8")))


def parse(page: str) -> Iterator[Row]:
    """The rows of a page in order."""
    why, lines = "", iter(page.split("\n"))
    for line in lines:
        if line.startswith("%% "):
            why = line[3:]
        elif line == "%{":
            yield Row("\n".join(iter(lambda: next(lines), "%}")), why)
        elif line.startswith('%"'):
            yield Row(json.loads(line[1:]), why)
        elif line.strip():
            yield Row(line, why)


def groups(name: str) -> dict[str, list[str]]:
    """The texts of one page by their reasons."""
    found: dict[str, list[str]] = {}
    for row in load(name):
        found.setdefault(row.why, []).append(row.text)
    return found
