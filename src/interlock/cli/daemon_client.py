"""Requests to this home's daemon, which is started when none runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import typer

from interlock.cli.output import as_typed_here, print_json, printable
from interlock.cli.people_only import ask_who_it_is, prove, say_who
from interlock.cli.policy_source import folder, here
from interlock.daemon.client import DaemonError, request
from interlock.daemon.launcher import start
from interlock.daemon.paths import places_of
from interlock.errors import InterlockError

REFUSED: Final = 1
UNKNOWN: Final = 2  # there is nothing of this id or name
SECONDS: Final = 10.0
_LONG: Final = 30.0  # seconds; the events of an import are recorded before the answer comes

Say = Callable[[dict[str, Any]], str]


def ask_daemon(method: str, params: dict[str, Any] | None = None, *, as_person: bool = False) -> Any:
    """Send a request; raise InterlockError with the daemon's words when it refuses."""
    places = places_of(here())
    start(places)
    try:
        prove(places.socket)
        if as_person:
            say_who(places.socket)
        return request(places.socket, method, params, seconds=_LONG)
    except DaemonError as error:
        raise InterlockError(error.sentence) from error


def answered(
    method: str,
    params: dict[str, Any],
    say: Say,
    *,
    as_json: bool,
    rows: str | None = None,
    seconds: float = SECONDS,
) -> int:
    """Send a request that agents may send too, print its result or its refusal, and return the exit code.

    As JSON it is one document, or one row a line where `rows` names a list in it.
    """
    places = places_of(here())
    check_text(params)
    start(places)
    ask_who_it_is(places)
    if "payload" in params:
        say_who(places.socket)
    try:
        found = request(places.socket, method, params, seconds=seconds)
    except DaemonError as error:
        if error.data is None:
            raise InterlockError(error.sentence) from error
        return refused(error.data, as_json=as_json)
    if as_json:
        for document in found[rows] if rows else (found,):
            print_json(document)
    else:
        typer.echo(say(found))
    return 0


def refused(document: dict[str, Any], *, as_json: bool) -> int:
    """Print why a request was refused, and return the exit code: 2 when an id or a name is unknown."""
    if as_json:
        print_json(document)
    else:
        sentence = f"interlock: {document['message']}; {document['next']}"
        typer.echo(printable(as_typed_here(sentence)), err=True)
    return UNKNOWN if document["error"].endswith("NOT_FOUND") else REFUSED


def place() -> dict[str, Any]:
    """Where the command was typed."""
    return {"cwd": str(folder())}


def check_text(value: Any) -> None:
    """Refuse text that is not UTF-8, which cannot be sent."""
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            raise InterlockError(f"`{printable(value)}` is not UTF-8; type it as text") from None
    elif isinstance(value, dict):
        check_text(list(value.values()))
    elif isinstance(value, list):
        for one in value:
            check_text(one)
