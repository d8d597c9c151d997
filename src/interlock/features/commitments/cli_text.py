"""Commitments as text: lines, tables and a tree; colours only on a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import typer

from interlock.cli.daemon_client import place
from interlock.cli.output import colours, columns, printable, short, table
from interlock.daemon.client import DaemonError, request
from interlock.daemon.paths import Places

_COLOUR: Final = {
    "open": typer.colors.YELLOW,
    "claimed": typer.colors.CYAN,
    "in_review": typer.colors.MAGENTA,
    "reopened": typer.colors.RED,
    "closed": typer.colors.GREEN,
}
_HEAD: Final = ("ID", "STATE", "TIER", "OWNER", "BODY")


def state_word(state: str) -> str:
    return typer.style(state, fg=_COLOUR.get(state)) if colours() else state


def answer_text(answer: dict[str, Any]) -> str:
    """The id of what an operation made, or the new state of the commitment it is about."""
    commitment = answer.get("commitment")
    if commitment is None or answer["id"] == commitment["id"]:
        return str(answer["id"])  # alone, so that a script can take it
    line = f"{commitment['id']} {state_word(commitment['state'])}"
    if answer["op"] == "submit":
        line += f", {commitment['tier']}, evidence {', '.join(commitment['evidence'])}"
        asked = " and ".join(answer.get("approvals", ())) or "an approval"
        line += f"; waits for {asked}" if commitment["state"] == "in_review" else ""
    if commitment["reopen_until"]:
        line += f"; can be reopened until {commitment['reopen_until']}"
    return f"{line} ({answer['id']})"


def commitments_table(rows: list[dict[str, Any]]) -> list[str]:
    cells = [
        (one["id"], one["state"], one["tier"], one["owner"] or "-", " ".join(one["body"].split()))
        for one in rows
    ]
    return table(_HEAD, cells, cut={3: 8, 4: 20})


def details(document: dict[str, Any]) -> list[str]:
    kind, record = next(iter(document.items()))
    known = {
        name: value for name, value in record.items() if name != "id" and value not in (None, "", [], {})
    }
    lines = columns([(kind, record["id"]), *((name, _value(value)) for name, value in known.items())])
    for name, tied in document.items():
        if name == kind or not tied:
            continue
        lines.append(f"{name.replace('_', ' ')}:")
        for one in tied if isinstance(tied, list) else [tied]:
            lines += [f"  {line}" for line in _LINES.get(name, _tied)(one)]
    return lines


def _value(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def _tied(one: Any) -> list[str]:
    if not isinstance(one, dict):
        return [printable(str(one))]
    about = one.get("body") or one.get("reason") or ""
    what = [one.get("source", one["id"]), one.get("kind") or "", one.get("actor") or "", about]
    return [printable(short("  ".join(" ".join(str(part).split()) for part in what if part)))]


def _command(row: dict[str, Any]) -> list[str]:
    status, milliseconds = row.get("exit_status"), row.get("duration_ms")
    ending = ["failed"] if row.get("failed") else []
    ending += [f"exit {status}"] if status is not None else []
    ending += [f"{milliseconds / 1000:.1f} s"] if isinstance(milliseconds, (int, float)) else []
    return [_line(row, short(" ".join(str(row["command"]).split())), *ending)]


def _file(row: dict[str, Any]) -> list[str]:
    ending = [name for name in ("created", "deleted", "failed") if row.get(name)]
    more = [f"  also {printable(str(one['path']))}" for one in row.get("files", ())[1:]]
    diff = [f"    {printable(line)}" for line in str(row.get("diff", "")).splitlines()]
    return [_line(row, str(row["path"]), *ending), *more, *diff]


def _approval(row: dict[str, Any]) -> list[str]:
    shapes = {"approval": "{}", "state": "{}", "by": "by {}", "authenticated_by": "({})"}
    about = " ".join(shape.format(row[name]) for name, shape in shapes.items() if row.get(name))
    return [_line(row, about, str(row.get("note") or row.get("reason") or ""))]


def _other(row: dict[str, Any]) -> list[str]:
    return [_line(row, str(row["kind"]), short(str(row["data"])) if row["data"] else "")]


def _line(row: dict[str, Any], *parts: str) -> str:
    text = "  ".join(part for part in (str(row["ts"])[:19], *parts) if part)
    return printable(f"{text}  (entry {row['seq']})")


_LINES: Final[dict[str, Callable[[Any], list[str]]]] = {
    "commands": _command,
    "files": _file,
    "approvals": _approval,
    "other_evidence": _other,
}


def branches(tree: list[dict[str, Any]]) -> Iterator[str]:
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


_SECONDS = 0.3


def waiting(places: Places) -> Iterator[tuple[str, str]]:
    """The commitments of this project in review, for `interlock status`; none if no daemon answers."""
    wanted = {**place(), "state": "in_review", "owner": None, "tag": None}
    try:
        found = request(places.socket, "commitments.list", wanted, seconds=_SECONDS)
    except DaemonError:
        return
    for one in found["commitments"]:
        yield one["id"], f"in review: {' '.join(one['body'].split())}"
