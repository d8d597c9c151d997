"""What a call would really do, as text for people."""

from __future__ import annotations

import shutil
import textwrap
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from interlock.cli.output import columns, printable
from interlock.effects.command import Gap, Reading
from interlock.effects.descriptions import Branch, knowledge_of, notes, place, position, target_of, tree
from interlock.effects.effect import Effect

_WIDE: Final = frozenset("WF")
_ENDLESS: Final = 10_000  # nobody reads it on a screen: the lines stay whole
_LEAST: Final = 40
_MARGIN: Final = 8


def width() -> int:
    """The columns of the terminal; many where there is none."""
    return max(shutil.get_terminal_size((_ENDLESS, 24)).columns, _LEAST)


def reading_lines(reading: Reading, effects: Sequence[Effect], text: str, cwd: str) -> list[str]:
    """The commands as a tree, the effects, and what is unread with its place."""
    lines: list[str] = []
    if reading.commands:
        lines += ["reading", *_branches(tree(reading.commands), "  ", cwd, cwd)]
    if effects:
        lines += ["effects", *(f"  {line}" for line in columns(_effect_rows(effects, cwd)))]
    if reading.gaps:
        lines += ["unread", *(line for gap in reading.gaps for line in _gap_lines(gap, text))]
    elif reading.unread:
        lines += ["unread", f"  {printable(reading.unread)}"]
    return lines or ([] if text.strip() else ["reading", "  nothing would run: the command is empty"])


def _branches(branches: Sequence[Branch], before: str, around: str | None, cwd: str) -> Iterator[str]:
    for branch in branches:
        last = branch is branches[-1]
        below = before + ("   " if last else "│  ")
        yield from wrapped(
            printable(branch.command.written), before + ("└─ " if last else "├─ "), below + "  "
        )
        deeper = below + ("│  " if branch.inside else "   ")
        told = "; ".join(map(printable, notes(branch.command, around, cwd)))
        if told:
            yield from wrapped(told, deeper, deeper + "  ")
        yield from _branches(branch.inside, below, branch.command.cwd, cwd)


def _effect_rows(effects: Iterable[Effect], cwd: str) -> list[tuple[str, str, str]]:
    rows = ((effect.kind, target_of(effect, cwd), knowledge_of(effect)) for effect in effects)
    return list(dict.fromkeys(rows))


def _gap_lines(gap: Gap, text: str) -> Iterator[str]:
    at = place(gap, text)
    if at is None:
        yield from wrapped(printable(f"{gap.kind}: {gap.why}"), "  ", "    ")
        yield from wrapped(printable(gap.text), "      ", "      ")
        return
    line, column = position(at, text)
    yield from wrapped(printable(f"{line}:{column} {gap.kind}: {gap.why}"), "  ", "    ")
    yield from (f"      {one}" for one in _caret(text, at))


def _caret(text: str, at: int) -> Iterator[str]:
    start = text.rfind("\n", 0, at) + 1
    line = text[start:].partition("\n")[0]
    before, after = printable(line[: at - start]), printable(line[at - start :])
    room = max(width() - _MARGIN, _LEAST)
    if len(before) > room // 2 and len(before) + len(after) > room:
        before = "…" + before[-(room // 2) :]
    if len(before) + len(after) > room:
        after = after[: room - len(before) - 1] + "…"
    yield before + after
    yield " " * sum(map(_cells, before)) + "^"


def _cells(character: str) -> int:
    """How many columns a character takes."""
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in _WIDE else 1


def wrapped(text: str, first: str, then: str) -> list[str]:
    """Text as lines that fit the terminal; only blanks where a line ends are left out."""
    return textwrap.wrap(
        text,
        width(),
        initial_indent=first,
        subsequent_indent=then,
        break_on_hyphens=False,
        replace_whitespace=False,
    ) or [first.rstrip()]
