"""Commitments as people read them: lines, tables and a tree; colours only on a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import typer

from interlock.cli.output import colours, columns, printable, short, table

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


def answer_text(answer: dict[str, Any]) -> str:
    """What came of an operation: the id of what it made, or how the commitment it is about stands now."""
    commitment = answer.get("commitment")
    if commitment is None or answer["id"] == commitment["id"]:
        return str(answer["id"])  # alone, so that a script can take it
    line = f"{commitment['id']} {state_word(commitment['state'])}"
    if answer["op"] == "submit":
        line += f", {commitment['tier']}, {_evidence(commitment)}"
        asked = " and ".join(answer.get("approvals", ())) or "an approval"
        line += f"; waits for {asked}" if commitment["state"] == "in_review" else ""
    if commitment["reopen_until"]:
        line += f"; can be reopened until {commitment['reopen_until']}"
    return f"{line} ({answer['id']})"


def _evidence(commitment: dict[str, Any]) -> str:
    return f"evidence {', '.join(commitment['evidence'])}"


def commitments_table(rows: list[dict[str, Any]]) -> list[str]:
    """Commitments in columns."""
    cells = [
        (one["id"], one["state"], one["tier"], one["owner"] or "-", " ".join(one["body"].split()))
        for one in rows
    ]
    return table(_HEAD, cells, cut={3: 8, 4: 20})


def details(document: dict[str, Any]) -> list[str]:
    """One record whole."""
    kind, record = next(iter(document.items()))
    rows = [(kind, record["id"])]
    rows += [
        (name, _value(value)) for name, value in record.items() if name != "id" and _says_something(value)
    ]
    lines = columns(rows)
    for name, tied in document.items():
        if name == kind or not tied:
            continue
        lines.append(f"{name.replace('_', ' ')}:")
        for one in tied if isinstance(tied, list) else [tied]:
            lines += [f"  {line}" for line in _DEEDS.get(name, _tied_lines)(one)]
    return lines


def _says_something(value: Any) -> bool:
    return value is not None and value not in ("", [], {})


def _value(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def _tied_lines(one: Any) -> list[str]:
    return [_tied(one)]


def _tied(one: Any) -> str:
    if not isinstance(one, dict):
        return printable(str(one))
    about = one.get("body") or one.get("reason") or ""
    what = [one.get("source", one["id"]), one.get("kind") or "", one.get("actor") or "", about]
    return printable(short("  ".join(" ".join(str(part).split()) for part in what if part)))


def _command(row: dict[str, Any]) -> list[str]:
    status, milliseconds = row.get("exit_status"), row.get("duration_ms")
    ending = ["failed"] if row.get("failed") else []
    ending += [f"exit {status}"] if status is not None else []
    ending += [f"{milliseconds / 1000:.1f} s"] if isinstance(milliseconds, (int, float)) else []
    return [_deed(row, short(" ".join(str(row["command"]).split())), *ending)]


def _file(row: dict[str, Any]) -> list[str]:
    ending = [name for name in ("created", "deleted", "failed") if row.get(name)]
    more = [f"  also {printable(str(one['path']))}" for one in row.get("files", ())[1:]]
    diff = [f"    {printable(line)}" for line in str(row.get("diff", "")).splitlines()]
    return [_deed(row, str(row["path"]), *ending), *more, *diff]


def _approval(row: dict[str, Any]) -> list[str]:
    about = [str(row[name]) for name in ("approval", "state") if row.get(name)]
    who = [
        f"by {row['by']}" if row.get("by") else "",
        f"({row['authenticated_by']})" if row.get("authenticated_by") else "",
    ]
    note = row.get("note") or row.get("reason")
    return [_deed(row, " ".join(part for part in (*about, *who) if part), *([str(note)] if note else []))]


def _other(row: dict[str, Any]) -> list[str]:
    return [_deed(row, str(row["kind"]), short(str(row["data"])) if row["data"] else "")]


def _deed(row: dict[str, Any], *parts: str) -> str:
    told = "  ".join(part for part in (str(row["ts"])[:19], *parts) if part)
    return printable(f"{told}  (entry {row['seq']})")


_DEEDS: Final[dict[str, Callable[[Any], list[str]]]] = {
    "commands": _command,
    "files": _file,
    "approvals": _approval,
    "other_evidence": _other,
}


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
