"""`interlock receipts`: list recorded tool calls, and settle those whose end nobody saw."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from interlock.cli.daemon_client import ask_daemon
from interlock.cli.help import group
from interlock.cli.output import print_json, printable, screen_width, table
from interlock.cli.people_only import require_person
from interlock.errors import InterlockError

_HEADER = ("id", "status", "class", "begun", "session", "tool", "call")


def calls_table(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Calls as a table; on a screen, times are short (`03-01 12:30`) and long cells are cut."""
    short = screen_width() is not None
    cells = [
        (
            str(row["id"]),
            _status(row),
            str(row["side_effect"]),
            str(row["created_at"])[5:16].replace("T", " ") if short else str(row["created_at"]),
            str(row["session_id"]),
            str(row["tool"]),
            str(row["summary"]),
        )
        for row in rows
    ]
    return table(_HEADER, cells, cut={1: 9, 2: 8, 4: 6, 5: 6, 6: 10})


def details(row: dict[str, Any]) -> list[str]:
    """Everything known about one call; invisible characters in its texts are written out."""
    about = {
        "tool": row["tool"],
        "class": f"{row['side_effect']}, {row['replay']} (by {row['matched']} {row['rule'] or ''}".rstrip()
        + ")",
        "actor": row["actor"],
        "session": row["session_id"],
        "project": row["project"],
        "begun": row["created_at"],
        "changed": row["updated_at"],
        "duration": f"{row['duration_ms']:g} ms" if row["duration_ms"] is not None else None,
        "attempt": row["attempt"],
        "step": row["step"],
        "effects": "; ".join(
            f"{kind} {', '.join(found) if isinstance(found, list) else found}"
            for kind, found in row["effects"].items()
        ),
        "error": ": ".join(filter(None, (row["error_code"], row["error_detail"]))),
        "settled by": row["resolved_by"],
        "note": row["note"],
        "how to look": row["look"],
        "key": row["idempotency_key"],
    }
    known = [printable(f"{name}: {value}") for name, value in about.items() if value]
    return [printable(f"{row['id']} ({_status(row)})"), *known, *_texts(row["receipts"])]


_MARKS = ("taken", "step", "before the first", "call", "ledger", "git", "session")
_KINDS = {"read_only": "read-only call", "side_effect": "side effect"}


def step_mark_table(rows: Sequence[dict[str, Any]]) -> list[str]:
    cells = [
        (
            str(row["taken_at"]),
            str(row["step"]),
            _KINDS.get(row["kind"], str(row["kind"])),
            str(row["call"]),
            str(row["state"].get("ledger", {}).get("seq", "")),
            str(row["state"].get("git", {}).get("commit", ""))[:12],
            str(row["session_id"]),
        )
        for row in rows
    ]
    return table(_MARKS, cells, cut={0: 10, 3: 8, 5: 7, 6: 8})


def _status(row: dict[str, Any]) -> str:
    return f"{row['status']}, look" if row["waits"] else str(row["status"])


def _texts(receipts: Sequence[dict[str, Any]]) -> list[str]:
    lines: list[str] = []
    for one in receipts:
        pending = ", pending" if one["state"] == "pending" else ""
        lines.append(f"{one['kind']} ({one['bytes']:,} bytes{pending}):")
        lines += [f"  | {printable(line)}" for line in str(one["text"]).splitlines()]
    return lines


_NONE = "No calls are recorded. A hook of type `record_tool_use` in your policy records them."

receipts = group("See recorded tool calls, and settle unfinished ones.")

Id = Annotated[str, typer.Argument(metavar="ID", help="The call, such as tc_0f3a9c2b71.")]


@receipts.callback()
def for_people() -> None:
    """See recorded tool calls, and settle unfinished ones."""
    require_person("receipts")


@receipts.command("list", epilog="Example: interlock receipts list --unfinished")
def list_calls(
    unfinished: Annotated[
        bool, typer.Option("--unfinished", help="Only calls that failed or have no known end.")
    ] = False,
    session: Annotated[str | None, typer.Option(metavar="ID", help="Only this session.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Show at most this many, the newest.")] = 50,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, one call a line.")] = False,
) -> int:
    """List recorded calls, newest first."""
    found = ask_daemon("receipts.list", {"unfinished": unfinished, "session": session, "limit": limit})
    if as_json:
        for row in found["calls"]:
            print_json(row)
        return 0
    if found["calls"]:
        typer.echo("\n".join(calls_table(found["calls"])))
    else:
        typer.echo("Every recorded call has ended." if unfinished else _NONE)
    for run in found["waiting"]:
        failed = f"{run['calls']} failed, check {run['call']}"
        typer.echo(printable(f"run {run['run']} has waited for a person since {run['since']}: {failed}"))
    return 0


@receipts.command(epilog="Example: interlock receipts show tc_0f3a9c2b71")
def show(
    name: Id,
    as_json: Annotated[bool, typer.Option("--json", help="Print the call as JSON.")] = False,
) -> int:
    """Show one call: its input, its output, how it ended."""
    row = ask_daemon("receipts.show", {"id": name})
    if as_json:
        print_json(row)
    else:
        typer.echo("\n".join(details(row)))
    return 0


@receipts.command(epilog="Example: interlock receipts checkpoints --session 7c1e")
def checkpoints(
    session: Annotated[str | None, typer.Option(metavar="ID", help="Only this session.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Show at most this many, the newest.")] = 50,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, one step mark a line.")] = False,
) -> int:
    """List step marks: the state before each step, newest first."""
    found = ask_daemon("receipts.checkpoints", {"session": session, "limit": limit})["checkpoints"]
    if as_json:
        for row in found:
            print_json(row)
    else:
        lines = step_mark_table(found) if found else ["No recorded call began a step."]
        typer.echo("\n".join(lines))
    return 0


@receipts.command(
    epilog="Example: interlock receipts resolve tc_0f3a9c2b71 --succeeded --note 'it is in Sent'"
)
def resolve(
    name: Id,
    succeeded: Annotated[
        bool, typer.Option("--succeeded", help="It happened; it must not run again.")
    ] = False,
    failed: Annotated[
        bool, typer.Option("--failed", help="It did not happen, or has been dealt with.")
    ] = False,
    retry: Annotated[
        bool, typer.Option("--retry", help="It may run once more, even though it may have happened.")
    ] = False,
    note: Annotated[str | None, typer.Option(help="How you know, for the record.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> int:
    """Record how an unfinished call ended, or let it run once more."""
    answers = {"succeeded": succeeded, "failed": failed, "retry": retry}
    chosen = [word for word, given in answers.items() if given]
    if len(chosen) != 1:
        raise InterlockError("add one of --succeeded, --failed and --retry")
    done = ask_daemon("receipts.resolve", {"id": name, "answer": chosen[0], "note": note})
    if as_json:
        print_json(done)
    else:
        then = "it may run once more" if retry else f"it {done['status']}"
        typer.echo(printable(f"{done['id']} is settled by {done['by']}: {then}"))
    return 0


def add(app: typer.Typer) -> None:
    app.add_typer(receipts, name="receipts")
