"""The commands about commitments, generated from the table of operations."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from inspect import Parameter, Signature, cleandoc
from typing import Annotated, Any, Final

import typer

from interlock.cli.daemon_client import SECONDS, answered, check_text, place
from interlock.cli.help import group
from interlock.cli.output import Json, printable
from interlock.cli.people_only import ask_who_it_is, mark_in, say_who
from interlock.cli.policy_source import here
from interlock.daemon.client import DaemonError, request
from interlock.daemon.launcher import start
from interlock.daemon.paths import places_of
from interlock.errors import InterlockError
from interlock.features.approvals.cli import (
    Broad,
    GrantScope,
    Until,
    Yes,
    YesIgnored,
    answer,
    answer_of,
    approve_requests,
)
from interlock.features.commitments.cli_text import answer_text, branches, commitments_table, details
from interlock.features.commitments.operations import FORMS, Field, Form
from interlock.features.commitments.records import Status
from interlock.files.system_programs import git, run_program, system_path
from interlock.policy.files.words import hint

_GIT_SECONDS: Final = 2.0
_VALIDATED: Final = frozenset({"submit", "close"})  # validators may run before these
_ACTORS: Final = ("INTERLOCK_ACTOR", "MENTU_ACTOR")

Actor = Annotated[
    str | None,
    typer.Option(
        help="Who you are; default: INTERLOCK_ACTOR, the policy's default_actor, your git email, or "
        "`user`. An agent's process always acts as its session.",
        show_default=False,
    ),
]
Key = Annotated[
    str | None,
    typer.Option(
        "--source-key", help="A key of your choice; a second operation with the same key records nothing."
    ),
]
Session = Annotated[str | None, typer.Option(help="The agent's session, for people.")]
Reason = Annotated[str | None, typer.Option("--reason", "-r", help="Why.", show_default=False)]
AuthorType = Annotated[
    str | None, typer.Option("--as", help="Your role: architect, auditor or executor.", show_default=False)
]
Audit = Annotated[str | None, typer.Option(help="The audit that this work is part of, such as mem_1a2b3c4d.")]
Intent = Annotated[str | None, typer.Option(help="The intent it serves, such as mem_1a2b3c4d.")]
Meta = Annotated[
    list[str] | None,
    typer.Option("--meta", metavar="NAME=VALUE", help="More data to keep with it; may be repeated."),
]


def _patience(op: str, params: dict[str, Any]) -> float:
    """Seconds to wait: an operation takes as long as its validators. On a terminal, say what runs."""
    places = places_of(here())
    check_text(params)
    start(places)
    ask_who_it_is(places)
    say_who(places.socket)
    try:
        found = request(places.socket, "commitments.validators", {**params, "op": op}, seconds=SECONDS)
    except DaemonError:
        return SECONDS  # refused anyway: the operation itself says why
    if found["validators"] and sys.stderr.isatty():
        names = ", ".join(one["validator"] for one in found["validators"])
        typer.echo(printable(f"running {names}, at most {found['seconds']:g} s"), err=True)
    return SECONDS + float(found["seconds"])


def _pair(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise InterlockError(f"`{text}` is not `NAME=VALUE`; write it like `approved=true`")
    return name, {"true": True, "false": False}.get(value, value)


def _caller(actor: str | None, environ: Mapping[str, str] = os.environ) -> dict[str, Any]:
    chosen = next((environ[name] for name in _ACTORS if environ.get(name)), None)
    return {
        **place(),
        "actor": actor,
        "environment": chosen,
        "email": None if actor or chosen else _git_address(environ),
        "mark": mark_in(environ),
    }


def _git_address(environ: Mapping[str, str]) -> str | None:
    """The user's email in git; None without git."""
    program = git()
    if program is None:
        return None
    kept = {name: environ[name] for name in ("HOME", "XDG_CONFIG_HOME") if name in environ}
    env = {**kept, "LC_ALL": "C", "PATH": system_path()}
    try:
        done = run_program([program, "config", "--get", "user.email"], seconds=_GIT_SECONDS, env=env)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.decode("utf-8", "replace").strip() or None


commitment = group("See, claim and close what was promised.")

_STATES: Final = tuple(str(one) for one in Status)


_NONE: Final = "No commitments. `interlock capture TEXT` and `interlock commit TEXT` make one."
_NO_MATCH: Final = "No commitment matches. `interlock commitment list` shows all of them."


@commitment.command("list", epilog="Example: interlock commitment list --state open")
def list_(
    state: Annotated[str | None, typer.Option(help=f"Only in this state: {', '.join(_STATES)}.")] = None,
    owner: Annotated[str | None, typer.Option(help="Only this owner's.")] = None,
    tag: Annotated[str | None, typer.Option(help="Only those with this tag.")] = None,
    as_json: Json = False,
) -> int:
    """List the commitments of this project, oldest first."""
    if state is not None and state not in _STATES:
        raise InterlockError(f"unknown state `{state}`; {hint(state, _STATES)}")

    wanted = {"state": state, "owner": owner, "tag": tag}

    def say(found: dict[str, Any]) -> str:
        if found["commitments"]:
            return "\n".join(commitments_table(found["commitments"]))
        return _NO_MATCH if any(wanted.values()) else _NONE

    return answered("commitments.list", {**place(), **wanted}, say, as_json=as_json)


@commitment.command(epilog="Example: interlock commitment show cmt_1a2b3c4d")
def show(
    name: Annotated[str, typer.Argument(metavar="ID", help="A commitment, memory or publication.")],
    as_json: Json = False,
) -> int:
    """Show one record with everything linked to it."""
    return answered(
        "commitments.show",
        {**place(), "id": name},
        lambda found: "\n".join(details(found)),
        as_json=as_json,
    )


@commitment.command(epilog="Example: interlock commitment tree")
def tree(
    name: Annotated[
        str | None, typer.Argument(metavar="ID", help="Start at this record.", show_default=False)
    ] = None,
    as_json: Json = False,
) -> int:
    """Draw memories, commitments and evidence as a tree."""

    def say(found: dict[str, Any]) -> str:
        return "\n".join(branches(found["tree"])) or "nothing was captured here yet"

    return answered("commitments.tree", {**place(), "id": name}, say, as_json=as_json)


_ALSO: Final[dict[str, Any]] = {
    "source_key": Key,
    "session": Session,
    "author_type": AuthorType,
    "audit": Audit,
    "intent": Intent,
    "meta": Meta,
    "actor": Actor,
    "grant": GrantScope,
    "until_": Until,
    "broad": Broad,
    "yes": Yes,
    "no_question": YesIgnored,
    "as_json": Json,
}
_APPROVING: Final = ("grant", "until_", "broad", "yes")
_FLAGS: Final = frozenset({"broad", "yes", "no_question", "as_json"})
Given = dict[str, Any]


def add(app: typer.Typer) -> None:
    """Give the program its commands about commitments; each also has its name without `commitment`."""
    for op, form in FORMS.items():
        run, about = _command(op, form), cleandoc(form.about)
        hidden = op != "approve"
        app.command(op, help=about, epilog=f"Example: interlock {form.example}", hidden=hidden)(run)
        commitment.command(op, help=about, epilog=f"Example: interlock commitment {form.example}")(run)
    deny = FORMS["reject"]
    example = "Example: interlock deny ap_7; interlock deny cmt_5e6f7a8b --reason 'no test'"
    app.command("deny", help=cleandoc(deny.about), epilog=example)(_command("reject", deny))
    app.add_typer(commitment, name="commitment")


def _command(op: str, form: Form) -> Callable[..., int]:
    """A function that runs an operation, with an argument or option for each field that people may give."""

    def run(**given: Any) -> int:
        payload = {name: given.pop(name) for name in form.fields if name in given}
        if op == "triage":
            payload |= _triaged(payload["reviewed"])
        if op in _ANSWERING:
            code = _ANSWERING[op](payload, given)
            if code or payload["commitment"] is None:
                return code
        return _send(op, payload, given)

    taken = {name: _annotated(field) for name, field in form.fields.items() if field.help is not None}
    taken |= {name: _ALSO[name] for name in (*form.also, "actor", "as_json")}
    needed = [name for name, field in form.fields.items() if field.metavar is not None]
    run.__annotations__ = {**taken, "return": int}
    run.__dict__["__signature__"] = Signature(
        [
            Parameter(
                name,
                Parameter.KEYWORD_ONLY,
                annotation=kind,
                default=Parameter.empty if name in needed else (False if name in _FLAGS else None),
            )
            for name, kind in taken.items()
        ]
    )
    return run


def _send(op: str, payload: Given, given: Given) -> int:
    """Request one operation and print the result; exit 1 when it was refused."""
    meta: Given = dict(_pair(text) for text in given.pop("meta", None) or ())
    if (role := given.pop("author_type", None)) is not None:
        meta["author_type"] = role
    origin = {name: given.pop(name, None) for name in ("intent", "audit")}
    if provenance := {name: value for name, value in origin.items() if value is not None}:
        meta["provenance"] = provenance
    as_json, actor = given.pop("as_json"), given.pop("actor")
    params = {
        **_caller(actor),
        "payload": {name: value for name, value in payload.items() if value is not None},
        **{name: value for name, value in {"meta": meta, **given}.items() if value},
    }
    seconds = _patience(op, params) if op in _VALIDATED else SECONDS
    return answered(f"commitments.{op}", params, answer_text, as_json=as_json, seconds=seconds)


def _annotated(field: Field) -> Any:
    """The type of a field, and how people write it."""
    if field.metavar is not None:
        kind = list[str] if field.kind.many else str
        return Annotated[kind, typer.Argument(metavar=field.metavar, help=field.help)]
    option = typer.Option(*field.options, help=field.help, show_default=False)
    return Annotated[list[str] | None if field.kind.many else str | None, option]


def _triaged(texts: list[str]) -> Given:
    made = [_decision(text) for text in texts]
    decided = [one for one in made if "action" in one]
    return {"reviewed": [one["memory"] for one in made], "decisions": decided}


def _decision(text: str) -> Given:
    memory, equals, rest = text.partition("=")
    action, colon, target = rest.partition(":")
    if not memory or (equals and not action) or (colon and not target):
        raise InterlockError(f"`{text}` is not a decision; write it like `mem_1a2b3c4d=link:cmt_5e6f7a8b`")
    found = {"memory": memory, "action": action, "target": target}
    return {name: value for name, value in found.items() if value}


def _approve(payload: Given, given: Given) -> int:
    """Approve the requests that the name stands for, and leave the commitment, if any, in the payload."""
    name, options = payload["commitment"], {option: given.pop(option) for option in _APPROVING}
    found = answer_of(name)
    payload["commitment"] = found.commitment
    if not found.requests:
        if options["grant"] or options["until_"] or options["broad"]:
            raise InterlockError(f"only a request such as `ap_7` can be granted, and `{name}` is none")
        return 0
    options["yes"] = options["yes"] or name == found.commitment  # naming a commitment is the answer
    quiet = _hides_requests(found.commitment, given)
    return approve_requests(
        found.requests, payload["comment"], **options, as_json=given["as_json"], quiet=quiet
    )


def _reject(payload: Given, given: Given) -> int:
    given.pop("no_question")
    found = answer_of(payload["commitment"])
    payload["commitment"] = found.commitment
    if not found.requests:
        return 0
    quiet = _hides_requests(found.commitment, given)
    params = {"note": payload["reason"]}
    return answer("approvals.deny", found.requests, params, as_json=given["as_json"], quiet=quiet)


def _hides_requests(commitment: str | None, given: Given) -> bool:
    """With --json one document is printed: the commitment, if there is one."""
    return given["as_json"] and commitment is not None


# They answer the agent's requests first; the commitment is None if the name is only a request's.
_ANSWERING: Final = {"approve": _approve, "reject": _reject}
