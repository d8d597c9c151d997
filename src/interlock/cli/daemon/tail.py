"""`interlock tail`: decisions as they happen."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

import msgspec
import typer

from interlock.cli.json_output import print_json
from interlock.cli.output import printable, vote_word
from interlock.cli.people_only import require_person
from interlock.cli.policy_source import here
from interlock.daemon.client import subscribe
from interlock.events.verdict import Vote


def tail(
    session: Annotated[str | None, typer.Option(help="Only this session.")] = None,
    decision: Annotated[str | None, typer.Option(help="Only allow, ask or deny.")] = None,
    count: Annotated[
        int, typer.Option("-n", "--count", help="Stop after this many; 0: continue until Ctrl-C.")
    ] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object a line.")] = False,
) -> int:
    """Watch decisions live; what was decided before is in `interlock ledger list`."""
    require_person("tail")
    shown = 0
    for one in subscribe(here().socket):
        if (session and one["session_id"] != session) or (decision and one["decision"] != decision):
            continue
        if as_json:
            print_json(one)
        else:
            typer.echo(_line(one))
        shown += 1
        if count and shown >= count:
            break
    return 0


def _line(one: dict[str, Any]) -> str:
    when = datetime.fromtimestamp(one["ts"]).astimezone().strftime("%H:%M:%S")
    vote, word = Vote[one["decision"].upper()], f"{one['decision']:<5}"
    if one.get("approval") and vote is Vote.DENY:
        vote, word = Vote.ASK, f"ask → {one['approval']}"
    word = vote_word(word, vote)
    call = f" {one['tool']} {msgspec.json.encode(one['input']).decode()}" if one["tool"] else ""
    reason = f"  ({one['reason']})" if one["reason"] else ""
    return f"{when} {word} {printable(one['event'] + call)} {printable(one['actor'] + reason)}"
