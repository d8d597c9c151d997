"""What a call would really do, as text for people."""

from __future__ import annotations

import os.path
import re
import shutil
import textwrap
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from interlock.cli.reading_tree import Branch, tree
from interlock.cli.terminal import columns, printable
from interlock.reading.command import Command, Gap
from interlock.reading.effect import Effect, EffectKind
from interlock.reading.text import Reading

_PATHS: Final = frozenset({EffectKind.READ, EffectKind.WRITE, EffectKind.DELETE})
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
        lines += ["unread", *(f"  {line}" for gap in reading.gaps for line in _gap_lines(gap, text))]
    elif reading.unread:
        lines += ["unread", f"  {printable(reading.unread)}"]
    return lines


def _branches(branches: Sequence[Branch], before: str, around: str | None, cwd: str) -> Iterator[str]:
    for branch in branches:
        last = branch is branches[-1]
        below = before + ("   " if last else "│  ")
        yield from wrapped(
            printable(branch.command.written), before + ("└─ " if last else "├─ "), below + "  "
        )
        deeper = below + ("│  " if branch.inside else "   ")
        notes = "; ".join(_notes(branch.command, around, cwd))
        if notes:
            yield from wrapped(notes, deeper, deeper + "  ")
        yield from _branches(branch.inside, below, branch.command.cwd, cwd)


def _notes(command: Command, around: str | None, cwd: str) -> Iterator[str]:
    """What the written command does not say; its folder where it is not that of what stands around it."""
    if command.via:
        yield printable(f"via {' → '.join(command.via)}")
    if command.cwd != around:
        yield "in a folder that is not certain" if command.cwd is None else printable(f"in {command.cwd}")
    for effect in command.writes:
        yield printable(f"redirects to {_target(effect, cwd)}")
    if command.more:
        yield "gets more arguments when it runs"
    if command.transparent:
        yield "only a wrapper: an allow looks at what it runs"


def _effect_rows(effects: Iterable[Effect], cwd: str) -> list[tuple[str, str, str]]:
    rows = ((effect.kind, _target(effect, cwd), _knowledge(effect)) for effect in effects)
    return list(dict.fromkeys(rows))


def _target(effect: Effect, cwd: str) -> str:
    """A path from the folder of the call, or else whole; anything else as it stands."""
    if effect.kind not in _PATHS or not effect.base or effect.base == cwd or effect.target[:1] in {"", "/"}:
        return effect.target or "-"
    return os.path.join(effect.base, effect.target)  # noqa: PTH118 - `./x` stays as it is written


def _knowledge(effect: Effect) -> str:
    if effect.known:
        return ""
    return "only known when it runs" if effect.target else "no target is named"


def _gap_lines(gap: Gap, text: str) -> Iterator[str]:
    at = place(gap, text)
    if at is None:
        yield from wrapped(printable(f"{gap.kind}: {gap.why}"), "", "  ")
        yield from wrapped(printable(gap.text), "    ", "    ")
        return
    line, column = position(at, text)
    yield from wrapped(printable(f"{line}:{column} {gap.kind}: {gap.why}"), "", "  ")
    yield from (f"    {one}" for one in _caret(text, at))


def place(gap: Gap, text: str) -> int | None:
    """Where a gap begins in the whole text; None when its text was made of other texts."""
    found = text.find(gap.text) if gap.text else -1
    if found < 0:
        return _last_line(gap, text)
    # The start of a gap inside another text, as in `bash -c '…'`, is counted from there.
    return gap.start if found <= gap.start < found + len(gap.text) else found


def _last_line(gap: Gap, text: str) -> int | None:
    """A gap about a pipe holds what feeds it and, last, what is fed."""
    fed, _, ending = gap.text.rpartition("\n")
    after = max(text.find(fed), 0) + len(fed)
    found = re.compile(rf"(?<![\w./-]){re.escape(ending.strip())}(?!\w)").search(text, after)
    return found.start() if found and ending.strip() else None


def position(at: int, text: str) -> tuple[int, int]:
    """Line and column, as editors count them."""
    return text.count("\n", 0, at) + 1, at - (text.rfind("\n", 0, at) + 1) + 1


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
