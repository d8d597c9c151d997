"""Unified diffs, made in linear time: from the hunks a host reports, or from two texts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from interlock.events.tool import JsonObject

LONGEST: Final = 16 * 1024  # bytes of a diff that are kept: its head
_AROUND: Final = 3  # lines of context


def diff_of_hunks(path: str, hunks: Iterable[Any]) -> str:
    """The diff a host has made; what is no hunk is left out."""
    parts = [_heading(path)]
    for hunk in hunks:
        if isinstance(hunk, dict) and isinstance(hunk.get("lines"), list):
            place = f"-{_place(hunk, 'old')} +{_place(hunk, 'new')}"
            parts += [f"@@ {place} @@", *(str(line) for line in hunk["lines"])]
    return "\n".join(parts) + "\n"


def _place(hunk: JsonObject, side: str) -> str:
    return f"{hunk.get(f'{side}Start', '?')},{hunk.get(f'{side}Lines', '?')}"


def diff_of_texts(path: str, before: str, after: str, *, created: bool = False, headed: bool = True) -> str:
    """One hunk from the first line that differs to the last: larger than need be, but made at once."""
    old, new = before.splitlines(), after.splitlines()
    start = _same(old, new)
    end = min(_same(old[start:][::-1], new[start:][::-1]), len(old) - start, len(new) - start)
    first = max(0, start - _AROUND)
    after_old = old[len(old) - end : len(old) - end + _AROUND]
    lines = [
        *(f" {line}" for line in old[first:start]),
        *(f"-{line}" for line in old[start : len(old) - end]),
        *(f"+{line}" for line in new[start : len(new) - end]),
        *(f" {line}" for line in after_old),
    ]
    kept = (start - first) + len(after_old)
    olds, news = len(old) - end - start + kept, len(new) - end - start + kept
    place = f"@@ -{first + 1 if olds else 0},{olds} +{first + 1 if news else 0},{news} @@"
    head = [_heading(path, created=created)] if headed else []
    return "\n".join([*head, place, *lines]) + "\n"


def _same(one: Sequence[str], other: Sequence[str]) -> int:
    count = 0
    for mine, theirs in zip(one, other, strict=False):
        if mine != theirs:
            break
        count += 1
    return count


def _heading(path: str, *, created: bool = False) -> str:
    # A line end in a path must not begin a line of the diff.
    shown = path.replace("\n", "\\n").replace("\r", "\\r")
    return f"--- {'/dev/null' if created else shown}\n+++ {shown}"


def bounded(diff: str) -> JsonObject:
    """The head of a diff, and how much of it was cut off."""
    data = diff.encode("utf-8", "replace")
    if len(data) <= LONGEST:
        return {"diff": diff}
    head = data[:LONGEST].decode("utf-8", "ignore")
    return {"diff": head, "diff_cut": {"bytes": len(data) - len(head.encode()), "of": len(data)}}
