"""Asking the daemon for an operation on commitments, in the name of whoever typed it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from typing import Annotated, Any, Final

import typer

from interlock.cli.agent_environment import mark_in
from interlock.cli.agent_request import SECONDS, Say, answered, check_text, place
from interlock.cli.daemon_client import say_who
from interlock.cli.output import printable
from interlock.cli.people_only import ask_who_it_is
from interlock.cli.policy_source import here
from interlock.daemon.client import DaemonError, request
from interlock.daemon.launcher import start
from interlock.daemon.paths import places_of
from interlock.errors import InterlockError
from interlock.files.system_programs import git, system_path

_GIT_SECONDS: Final = 2.0
_VALIDATED: Final = frozenset({"submit", "close"})  # before these something may have to run
_ACTORS: Final = ("INTERLOCK_ACTOR", "MENTU_ACTOR")

Actor = Annotated[
    str | None,
    typer.Option(
        help="Who you are; else INTERLOCK_ACTOR, the policy's default_actor, git's address, `user`. "
        "An agent's process is who its session is, whatever it says.",
        show_default=False,
    ),
]
Key = Annotated[
    str | None,
    typer.Option("--source-key", help="A key of your own; the same one is never recorded twice."),
]
Session = Annotated[str | None, typer.Option(help="The agent's session that is meant, for people.")]
Reason = Annotated[str | None, typer.Option("--reason", "-r", help="Why.", show_default=False)]
AuthorType = Annotated[
    str | None, typer.Option("--as", help="The role: architect, auditor or executor.", show_default=False)
]
Audit = Annotated[str | None, typer.Option(help="The audit an executor works inside, as in mem_1a2b3c4d.")]
Intent = Annotated[str | None, typer.Option(help="The intent it goes back to, as in mem_1a2b3c4d.")]
Meta = Annotated[
    list[str] | None,
    typer.Option("--meta", metavar="NAME=VALUE", help="More to keep with it; may be repeated."),
]


def perform(
    op: str, payload: Mapping[str, Any], say: Say, *, as_json: bool, actor: str | None = None, **more: Any
) -> int:
    """Ask for one operation and say what came of it; exit 1 when it was refused."""
    given = {name: value for name, value in payload.items() if value is not None}
    params = {**_caller(actor), "payload": given, **{k: v for k, v in more.items() if v}}
    seconds = _patience(op, params) if op in _VALIDATED else SECONDS
    return answered(f"commitments.{op}", params, say, as_json=as_json, seconds=seconds)


def _patience(op: str, params: dict[str, Any]) -> float:
    """How long an answer may take: as long as what runs before it; whoever waits is told what that is."""
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
        typer.echo(printable(f"running {names}, {found['seconds']:g} s at most"), err=True)
    return SECONDS + float(found["seconds"])


def meta_of(
    author_type: str | None,
    audit: str | None = None,
    intent: str | None = None,
    more: list[str] | None = None,
) -> dict[str, Any]:
    """What is kept of the author and of where the work comes from."""
    provenance = {"intent": intent, "audit": audit}
    meta: dict[str, Any] = dict(_pair(text) for text in more or ())
    if author_type is not None:
        meta["author_type"] = author_type
    if audit is not None or intent is not None:
        meta["provenance"] = {name: value for name, value in provenance.items() if value is not None}
    return meta


def _pair(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise InterlockError(f"`{text}` is no `NAME=VALUE`; write it as in `approved=true`")
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
    """Who git knows its user as; nobody where there is no git."""
    program = git()
    if program is None:
        return None
    kept = {name: environ[name] for name in ("HOME", "XDG_CONFIG_HOME") if name in environ}
    try:
        done = subprocess.run(  # noqa: S603 - git by its absolute path, with our own words
            [program, "config", "--get", "user.email"],
            capture_output=True,
            timeout=_GIT_SECONDS,
            env={**kept, "LC_ALL": "C", "PATH": system_path()},
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.decode("utf-8", "replace").strip() or None
