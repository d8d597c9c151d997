"""Commitments as people read them: lines, tables and a tree; colours only on a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import typer

from interlock.cli.terminal import colours, columns, printable, screen_width, short

_COLOUR: Final = {
    "open": typer.colors.YELLOW,
    "claimed": typer.colors.CYAN,
    "in_review": typer.colors.MAGENTA,
    "reopened": typer.colors.RED,
    "closed": typer.colors.GREEN,
}
_HEAD: Final = ("ID", "STATE", "TIER", "OWNER", "BODY")


def state_word(state: str) -> str:
    """A state in its colour, or plain."""
    return typer.style(state, fg=_COLOUR.get(state)) if colours() else state


def said(answer: dict[str, Any]) -> str:
    """What came of an operation: the id of what it made, or how the commitment it is about stands now."""
    commitment = answer.get("commitment")
    if commitment is None or answer["id"] == commitment["id"]:
        return str(answer["id"])  # alone, so that a script can take it
    line = f"{commitment['id']} {state_word(commitment['state'])}"
    if answer["op"] == "submit":
        line += f", {commitment['tier']}, {_evidence(commitment)}"
        line += "; waits for an approval" if commitment["state"] == "in_review" else ""
    if commitment["reopen_until"]:
        line += f"; can be reopened until {commitment['reopen_until']}"
    return f"{line} ({answer['id']})"


def _evidence(commitment: dict[str, Any]) -> str:
    return f"evidence {', '.join(commitment['evidence'])}"


def table(rows: list[dict[str, Any]]) -> list[str]:
    """Commitments in columns."""
    cells = [
        (one["id"], one["state"], one["tier"], one["owner"] or "-", short(" ".join(one["body"].split())))
        for one in rows
    ]
    lines = columns([_HEAD, *cells], cut={3: 8, 4: 20}, width=screen_width())
    if not colours():
        return lines
    # Coloured after aligning: the codes have no width.
    return [lines[0], *(_tinted(line, one["state"]) for line, one in zip(lines[1:], rows, strict=True))]


def _tinted(line: str, state: str) -> str:
    return line.replace(f"  {state} ", f"  {state_word(state)} ", 1)


def details(document: dict[str, Any]) -> list[str]:
    """One record whole."""
    kind, record = next(iter(document.items()))
    rows = [(kind, record["id"])]
    rows += [(name, _value(value)) for name, value in record.items() if name != "id" and _told(value)]
    lines = columns(rows)
    for name, tied in document.items():
        if name == kind or not tied:
            continue
        lines.append(f"{name}:")
        lines += [f"  {_tied(one)}" for one in (tied if isinstance(tied, list) else [tied])]
    return lines


def _told(value: Any) -> bool:
    return value is not None and value not in ("", [], {})


def _value(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def _tied(one: Any) -> str:
    if not isinstance(one, dict):
        return printable(str(one))
    about = one.get("body") or one.get("reason") or ""
    what = [one.get("source", one["id"]), one.get("kind") or "", one.get("actor") or "", about]
    return printable(short("  ".join(" ".join(str(part).split()) for part in what if part)))


def branches(tree: list[dict[str, Any]]) -> Iterator[str]:
    """The tree, drawn."""
    for root in tree:
        yield _leaf(root)
        yield from _below(root["children"], "")


def _below(children: list[dict[str, Any]], indent: str) -> Iterator[str]:
    for index, child in enumerate(children):
        last = index == len(children) - 1
        yield f"{indent}{'└─' if last else '├─'} {_leaf(child)}"
        yield from _below(child["children"], f"{indent}{'   ' if last else '│  '}")


def _leaf(branch: dict[str, Any]) -> str:
    body = printable(short(" ".join(branch.get("body", "").split())))
    if "tier" in branch:
        owner = f" {printable(branch['owner'])}" if branch["owner"] else ""
        how = "" if branch["how"] in {"", "owes"} else f"{branch['how']}: "
        return f"{how}{branch['id']} [{state_word(branch['state'])}{owner}, {branch['tier']}] {body}"
    how = f"{branch['how']}: " if branch["how"] else ""
    kind = f" ({printable(branch['kind'])})" if branch.get("kind") and branch["kind"] != branch["how"] else ""
    return f"{how}{branch['id']}{kind} {body}"
