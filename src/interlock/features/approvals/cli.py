"""`interlock approvals` and `grants`: see what agents ask, and answer."""

from __future__ import annotations

import os
import sys
import time
from typing import Annotated, Any, Final, NamedTuple

import typer

from interlock.cli.daemon_client import REFUSED, UNKNOWN, ask_daemon, place
from interlock.cli.help import group
from interlock.cli.output import print_json, printable, wrapped_prose
from interlock.cli.people_only import require_person, set_passphrase, standing_here
from interlock.cli.policy_source import here
from interlock.cli.words import until
from interlock.daemon.caller_kind import Kind
from interlock.daemon.paths import places_of
from interlock.errors import InterlockError
from interlock.events.event import Event
from interlock.events.tool import ToolCall
from interlock.events.verdict import Vote
from interlock.features.approvals.cli_text import details, grant_details, grants_table, line, requests_table
from interlock.features.approvals.requests import PREFIX
from interlock.web.policies import allowing_of

_POLL_SECONDS: Final = 1.0
_NONE: Final = "No requests yet. A rule that asks makes one; `interlock hooks list` shows the rules."
_NONE_WAITING: Final = (
    "No requests are waiting. `interlock approvals list --all` shows those that were answered."
)
_NO_GRANTS: Final = "No grants. `interlock approve ID --grant PATTERN --until 7d` makes one."
_NONE_IN_FORCE: Final = (
    "No grants are in force. `interlock grants list --all` shows expired and revoked ones."
)
_SESSION, _ONCE = "session", "once"

GrantJson = Annotated[bool, typer.Option("--json", help="Print JSON, one grant a line.")]
Ids = Annotated[list[str], typer.Argument(metavar="ID...", help="Requests, for example ap_7.")]
Note = Annotated[str | None, typer.Option(help="Why, for the record.")]
GrantScope = Annotated[
    str | None,
    typer.Option(
        "--grant",
        metavar="once|session|PATTERN",
        help="once: this call, one time (the default). session: this exact call for the rest of its "
        "session. A pattern: every call it covers in this project, until --until.",
        show_default=False,
    ),
]
Until = Annotated[
    str | None,
    typer.Option("--until", metavar="TIME", help="When a grant ends: 7d, 2026-12-31.", show_default=False),
]
Broad = Annotated[bool, typer.Option("--broad", help="Accept a pattern that covers a whole tool or more.")]
Yes = Annotated[bool, typer.Option("--yes", help="Approve without showing the call and asking first.")]
# Denying never asks. Both take it, so that a script can pass it to either.
YesIgnored = Annotated[bool, typer.Option("--yes", hidden=True)]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, one request a line.")]

grants = group("See and revoke grants.")
approvals = group("See and answer requests from agents.")


@grants.callback()
def grants_for_people() -> None:
    """See and revoke grants."""
    require_person("grants")


@grants.command("list", epilog="Example: interlock grants list --all")
def list_grants(
    everything: Annotated[bool, typer.Option("--all", help="Include expired and revoked grants.")] = False,
    as_json: GrantJson = False,
) -> int:
    """List the grants in force, oldest first."""
    found = ask_daemon("grants.list", {"all": everything})
    none = _NO_GRANTS if everything else _NONE_IN_FORCE
    lines = grants_table(found["grants"], found["now"]) if found["grants"] else [none]
    return _print(found["grants"], lines, as_json=as_json)


@grants.command("show", epilog="Example: interlock grants show gr_3")
def show_grant(
    name: Annotated[str, typer.Argument(metavar="ID", help="The grant, for example gr_3.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the grant as JSON.")] = False,
) -> int:
    """Show one grant: what it covers, where, until when, and who gave it."""
    row = ask_daemon("grants.show", {"id": name})
    return _print([row], grant_details(row), as_json=as_json)


@grants.command(epilog="Example: interlock grants revoke gr_3")
def revoke(
    ids: Annotated[list[str], typer.Argument(metavar="ID...", help="Grants, for example gr_3.")],
    as_json: GrantJson = False,
) -> int:
    """Revoke grants, so that calls need approval again."""
    return answer("grants.revoke", ids, {}, as_json=as_json)


def passphrase(
    person: Annotated[str, typer.Argument(metavar="PERSON", help="You, for example human:rashid.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> int:
    """Set your own passphrase.

    It says who you are when you answer requests.

    `settings.people` must list you with this login. If you have a passphrase, you are asked for it first.
    """
    require_person("passphrase", terminal=True)
    people = ask_daemon("person.people")["people"]
    if person not in people:
        known = " or ".join(people) or "nobody"
        raise InterlockError(
            f"`settings.people` does not list this login for `{person}` (only for {known}); add it there"
        )
    set_passphrase(places_of(here()).state, person)
    return _print([{"person": person, "passphrase": True}], [f"passphrase set for {person}"], as_json=as_json)


@approvals.callback()
def for_people() -> None:
    """See and answer requests from agents."""
    require_person("approvals")


@approvals.command("list", epilog="Example: interlock approvals list --watch")
def list_requests(
    everything: Annotated[bool, typer.Option("--all", help="Include answered and expired requests.")] = False,
    watch: Annotated[bool, typer.Option("--watch", help="Keep running and print new requests.")] = False,
    as_json: Json = False,
) -> int:
    """List the requests that are waiting for an answer, oldest first."""
    found = ask_daemon("approvals.list", {"all": everything})
    if watch:
        return _watch(found, everything=everything, as_json=as_json)
    none = _NONE if everything else _NONE_WAITING
    lines = requests_table(found) if found["approvals"] else [none]
    return _print(found["approvals"], lines, as_json=as_json)


def _print(rows: list[dict[str, Any]], lines: list[str], *, as_json: bool) -> int:
    """Print rows as JSON, one a line, or as text."""
    if as_json:
        for row in rows:
            print_json(row)
    else:
        typer.echo("\n".join(lines))
    return 0


def _watch(found: dict[str, Any], *, everything: bool, as_json: bool) -> int:
    printed: set[tuple[str, str]] = set()
    while True:
        for row in found["approvals"]:
            if (row["id"], row["state"]) not in printed:
                printed.add((row["id"], row["state"]))
                _print([row], [line(row, found["now"])], as_json=as_json)
        sys.stdout.flush()
        time.sleep(_POLL_SECONDS)
        found = ask_daemon("approvals.list", {"all": everything})


@approvals.command(epilog="Example: interlock approvals show ap_7")
def show(
    name: Annotated[str, typer.Argument(metavar="ID", help="The request, for example ap_7.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the request as JSON.")] = False,
) -> int:
    """Show one request, with its exact call.

    It says what the call would do, who asked and why.
    """
    row = ask_daemon("approvals.show", {"id": name})
    return _print([row], [] if as_json else [*details(row), *_allowing(row)], as_json=as_json)


def _allowing(row: dict[str, Any]) -> list[str]:
    """The lines of policy that would answer such a request from now on."""
    call = row["call"]
    if row["approvers"] or not isinstance(call.get("input"), dict) or not call.get("tool"):
        return []
    event = Event(
        name=call["event"],
        cwd=call["cwd"],
        project=row["project"] or None,
        actor=row["actor"],
        tool=ToolCall(name=call["tool"], input=call["input"]),
    )
    found = allowing_of(places_of(here()), event, Vote.ASK)
    return wrapped_prose(found.lines) if found else []


@approvals.command(epilog="Example: interlock approvals approve ap_7 --grant 'Bash(git push *)' --until 7d")
def approve(
    ids: Ids,
    note: Note = None,
    grant: GrantScope = None,
    until_: Until = None,
    broad: Broad = False,
    yes: Yes = False,
    as_json: Json = False,
) -> int:
    """Approve requests.

    The next try of exactly this call is allowed, once.

    To approve a commitment that was handed in, use `interlock approve`.
    """
    return approve_requests(ids, note, grant=grant, until_=until_, broad=broad, yes=yes, as_json=as_json)


@approvals.command(epilog="Example: interlock approvals deny ap_7 --note 'not on a Friday'")
def deny(ids: Ids, note: Note = None, _yes: YesIgnored = False, as_json: Json = False) -> int:
    """Deny requests, or take back an approval that has not been used."""
    return answer("approvals.deny", ids, {"note": note}, as_json=as_json)


def approve_requests(
    ids: list[str],
    note: str | None,
    *,
    grant: str | None,
    until_: str | None,
    broad: bool,
    yes: bool,
    as_json: bool,
    quiet: bool = False,
) -> int:
    """Approve requests; without `yes`, show each one and ask first."""
    typed = require_person("approvals approve", passphrase=True)
    params = {"note": note, "grant": _grant(grant, until_, broad=broad), "passphrase": typed}
    wanted = ids if yes else [name for name in ids if _confirm(name)]
    return answer("approvals.approve", wanted, params, as_json=as_json, quiet=quiet) if wanted else 1


def _grant(grant: str | None, end: str | None, *, broad: bool) -> dict[str, Any] | None:
    if grant in {None, _ONCE}:
        if end is not None:
            raise InterlockError("--until only applies to a grant; add --grant session or --grant PATTERN")
        return None
    stored = until(end) if end is not None else None
    if grant == _SESSION:
        return {"until": stored}
    if stored is None:
        raise InterlockError("a pattern needs an end; add --until, for example `--until 7d`")
    return {"pattern": grant, "until": stored, "broad": broad}


def _confirm(name: str) -> bool:
    if not sys.stdin.isatty():
        raise InterlockError(
            "there is no terminal to confirm on; run `interlock approvals show` first, then add --yes"
        )
    row = ask_daemon("approvals.show", {"id": name})
    typer.echo("\n".join(details(row)))
    # The daemon says why one that was answered or has expired cannot be approved.
    return row["state"] != "pending" or typer.confirm(f"Approve {printable(name)}?")


def answer(method: str, ids: list[str], params: dict[str, Any], *, as_json: bool, quiet: bool = False) -> int:
    """Send an answer to several requests and print each result; with `quiet` only errors."""
    results = ask_daemon(method, {"ids": ids, **params}, as_person=True)["results"]
    for one in results:
        if quiet and "error" not in one:
            continue
        if as_json:
            print_json(one)
        elif "error" in one:
            typer.echo(printable(f"interlock: {one['error']}"), err=True)
        else:
            beside = f", and granted as {one['grant']}" if one.get("grant") else ""
            again = f" (as {one['asked_anew']}, which replaced it)" if one.get("asked_anew") else ""
            typer.echo(printable(f"{one['id']} is {one['state']} by {one['by']}{again}{beside}"))
    failed = (UNKNOWN if "unknown" in one else REFUSED for one in results if "error" in one)
    return max(failed, default=0)


class Answer(NamedTuple):
    """What `interlock approve` or `deny` answers: a request, a commitment in review, or both at once."""

    requests: list[str]
    commitment: str | None


def answer_of(name: str) -> Answer:
    """What a name stands for; requests are for people only, commitments also for agents."""
    if name.startswith(PREFIX):
        require_person("approvals")
        row = ask_daemon("approvals.show", {"id": name})
        return Answer([name], _in_review(row["commitment"]) if row["tool"] is None else None)
    if standing_here(os.environ, places_of(here())).kind is not Kind.PERSON:
        return Answer([], name)
    found = ask_daemon("approvals.list")["approvals"]
    return Answer([row["id"] for row in found if row["commitment"] == name and row["tool"] is None], name)


def _in_review(name: str | None) -> str | None:
    """The commitment if it is in review: since the gate asked it may have ended or gone on."""
    if name is None:
        return None
    found = ask_daemon("commitments.show", {"id": name, **place()})
    return name if found["commitment"]["state"] == "in_review" else None


def add(app: typer.Typer) -> None:
    app.add_typer(approvals, name="approvals")
    app.add_typer(grants, name="grants")
    app.command(epilog="Example: interlock passphrase human:rashid")(passphrase)
