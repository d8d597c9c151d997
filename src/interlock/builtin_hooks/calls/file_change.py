"""Evidence of a changed file: its path, what changed in it, what it was before and after."""

from __future__ import annotations

import os.path
from collections.abc import Iterable, Sequence
from typing import Any, Final

from interlock.effects.effect import EffectKind
from interlock.events.event import Event
from interlock.events.hook import CallView
from interlock.events.names import EventName
from interlock.events.tool import JsonObject

LONGEST: Final = 16 * 1024  # bytes of a diff
_AROUND: Final = 3  # lines of context


def diff_of_hunks(path: str, hunks: Iterable[Any]) -> str:
    """The diff from the hunks of the host; anything else is left out."""
    parts = [_heading(path)]
    for hunk in hunks:
        if isinstance(hunk, dict) and isinstance(hunk.get("lines"), list):
            place = f"-{_hunk_range(hunk, 'old')} +{_hunk_range(hunk, 'new')}"
            parts += [f"@@ {place} @@", *(str(line) for line in hunk["lines"])]
    return "\n".join(parts) + "\n"


def _hunk_range(hunk: JsonObject, side: str) -> str:
    return f"{hunk.get(f'{side}Start', '?')},{hunk.get(f'{side}Lines', '?')}"


def diff_of_texts(path: str, before: str, after: str, *, created: bool = False, headed: bool = True) -> str:
    """One hunk from the first line that differs to the last: not minimal, but fast."""
    old, new = before.splitlines(), after.splitlines()
    start = _count_equal(old, new)
    end = min(_count_equal(old[start:][::-1], new[start:][::-1]), len(old) - start, len(new) - start)
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


def _count_equal(one: Sequence[str], other: Sequence[str]) -> int:
    count = 0
    for mine, theirs in zip(one, other, strict=False):
        if mine != theirs:
            break
        count += 1
    return count


def _heading(path: str, *, created: bool = False) -> str:
    # A path with a line end must not start a new line of the diff.
    shown = path.replace("\n", "\\n").replace("\r", "\\r")
    return f"--- {'/dev/null' if created else shown}\n+++ {shown}"


def cut_diff(diff: str) -> JsonObject:
    """The head of a diff, and how much of it was cut off."""
    data = diff.encode("utf-8", "replace")
    if len(data) <= LONGEST:
        return {"diff": diff}
    head = data[:LONGEST].decode("utf-8", "ignore")
    return {"diff": head, "diff_cut": {"bytes": len(data) - len(head.encode()), "of": len(data)}}


_MOST_FILES: Final = 100


def file_change(view: CallView) -> tuple[JsonObject, dict[str, str]] | None:
    """The data, and the file before and after as whole texts; None for a call that changes no file."""
    event = view.event
    if event.tool is None:
        return None
    changed = _changed_files(view)
    if not changed:
        return None
    data: JsonObject = {"path": changed[0]["path"]}
    if changed[0].get("deleted"):
        data["deleted"] = True
    if len(changed) > 1:
        data["files"] = changed[:_MOST_FILES]
        data["more_files"] = max(0, len(changed) - _MOST_FILES)
    if event.name == EventName.POST_TOOL_USE_FAILURE or view.commands or len(changed) > 1:
        # Nothing changed, or what changed is not known, so there is no diff.
        return data, {}
    return _with_content(event, data)


def with_diff(event: Event, path: str) -> JsonObject:
    """What a call of an editing tool changed in one file."""
    return _with_content(event, {"path": path})[0]


def _changed_files(view: CallView) -> list[JsonObject]:
    found: dict[str, JsonObject] = {}
    for effect in view.effects:
        if effect.kind not in {EffectKind.WRITE, EffectKind.DELETE} or not effect.target:
            continue
        path = os.path.normpath(os.path.join(effect.base or "", effect.target))
        row = found.setdefault(path, {"path": path})
        if effect.kind is EffectKind.DELETE:
            row["deleted"] = True
        if not effect.known:
            row["known"] = False  # depends on a variable or glob
    return list(found.values())


def _with_content(event: Event, data: JsonObject) -> tuple[JsonObject, dict[str, str]]:
    fields = event.tool.input if event.tool else {}
    answer = event.tool_output if isinstance(event.tool_output, dict) else {}
    before, known = answer.get("originalFile"), "originalFile" in answer
    if known or "type" in answer:
        data["created"] = answer.get("type") == "create" or (known and before is None)
    after = _content_after(fields, before)
    path = str(data["path"])
    if (hunks := answer.get("structuredPatch")) and isinstance(hunks, list):
        diff = diff_of_hunks(path, hunks)
    elif isinstance(after, str) and (isinstance(before, str) or data.get("created")):
        diff = diff_of_texts(path, before or "", after, created=bool(data.get("created")))
    elif diff := _diff_of_input(path, fields):
        data["fragment"] = True  # the edits of the input; their place in the file is not known
    data.update(cut_diff(diff) if diff else {})
    texts = {"before": before, "after": after if isinstance(before, str) or data.get("created") else None}
    return data, {name: text for name, text in texts.items() if isinstance(text, str)}


def _content_after(fields: JsonObject, before: Any) -> str | None:
    """The new content of the file, if the input tells all of it."""
    if isinstance(content := fields.get("content"), str):
        return content
    if not isinstance(before, str):
        return None
    after = before
    for old, new, every in _edits(fields):
        if not old or old not in after:
            return None
        after = after.replace(old, new) if every else after.replace(old, new, 1)
    return after if _edits(fields) else None


def _edits(fields: JsonObject) -> list[tuple[str, str, bool]]:
    edits = fields.get("edits")
    rows = [row for row in edits if isinstance(row, dict)] if isinstance(edits, list) else [fields]
    return [
        (row["old_string"], row["new_string"], row.get("replace_all") is True)
        for row in rows
        if isinstance(row.get("old_string"), str) and isinstance(row.get("new_string"), str)
    ]


def _diff_of_input(path: str, fields: JsonObject) -> str:
    pieces = [(old, new) for old, new, _ in _edits(fields)]
    whole = (fields.get(name) for name in ("content", "new_source"))
    pieces += [("", text) for text in whole if isinstance(text, str)]
    return "".join(
        diff_of_texts(path, old, new, headed=index == 0) for index, (old, new) in enumerate(pieces)
    )
