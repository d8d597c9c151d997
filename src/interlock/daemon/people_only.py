"""Which person asks, and the requests that only a person may make.

The kernel says which process asks; its ancestors, a passphrase or the dashboard's login say whose it is.
"""

from __future__ import annotations

import asyncio
import math
import os
import pwd
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from interlock.daemon.agent_processes import Agents
from interlock.daemon.caller_kind import Kind, Standing
from interlock.daemon.jsonrpc import PEER, Method, Methods
from interlock.daemon.process_tree import process
from interlock.errors import ApprovalError, InterlockError
from interlock.events.bounded_dict import BoundedDict
from interlock.files.passphrase import (
    WAIT_AFTER_A_MISS,
    PassphraseGate,
    matches,
    passphrase_file,
    read_stored,
)
from interlock.policy.settings.people import People

_MOST_PROVEN: Final = 64


class Identity(NamedTuple):
    """A person, and how they proved who they are."""

    name: str
    how: str
    known: bool = False  # to `settings.people`


class Identities:
    """Tells which person asks; the socket accepts only the user that this daemon runs as."""

    def __init__(
        self, state: Path, people: Callable[[], People], is_dashboard: Callable[[int], bool]
    ) -> None:
        self._state: Final = state
        self._people: Final = people
        self._is_dashboard: Final = is_dashboard
        self._missed = -math.inf
        self._proven: Final = BoundedDict[tuple[int, str], str](
            _MOST_PROVEN
        )  # process and its start → person

    def identify(self, params: dict[str, Any]) -> Identity:
        """The person who asks; raise ApprovalError if several share the login and nothing tells which."""
        pid, login = params[PEER], own_login()
        found = self._people().of_login(login)
        if self._is_dashboard(pid) and isinstance(params.get("person"), str):
            return Identity(params["person"], "dashboard login", params["person"] in found)
        proven = self._proven.get(_key_of(pid))
        if proven in found:
            return Identity(str(proven), "passphrase", known=True)
        if not found:
            return Identity(person_name(), f"login {login}")
        if self._must_ask(found):
            who = " or ".join(found)
            raise ApprovalError(
                f"the login `{login}` is shared by {who}; run this in a terminal, which asks for your own "
                "passphrase (`interlock passphrase` sets one)"
            )
        return Identity(found[0], f"login {login}", known=True)

    def people(self, _: dict[str, Any]) -> dict[str, Any]:
        """The people who share this login."""
        return {"people": self._people().of_login(own_login())}

    def candidates(self) -> tuple[str, ...]:
        """The people of this login, if they must say which of them they are."""
        found = self._people().of_login(own_login())
        return found if self._must_ask(found) else ()

    def _must_ask(self, found: tuple[str, ...]) -> bool:
        return len(found) > 1 or any(os.path.lexists(passphrase_file(self._state, name)) for name in found)

    async def prove(self, pid: int, given: object, *, shared: bool) -> str | None:
        """Whose passphrase this is, remembered for the process; None if it may be the shared one."""
        people = self._people().of_login(own_login())
        stored = {name: read_stored(passphrase_file(self._state, name)) for name in people}
        if not any(stored.values()):
            return None
        if not isinstance(given, str) or time.monotonic() - self._missed < WAIT_AFTER_A_MISS:
            raise ApprovalError("the last passphrase was wrong; wait a moment and try again")
        self._missed = time.monotonic()  # before the check, so that parallel tries gain nothing
        for name, own in stored.items():
            if own is not None and await asyncio.to_thread(matches, own, given):
                self._missed = -math.inf
                self._proven[_key_of(pid)] = name
                return name
        if shared:
            return None
        raise ApprovalError("nobody who uses this login has this passphrase; nothing has changed")


def own_login() -> str:
    """The login the daemon runs as."""
    try:
        return f"unix:{pwd.getpwuid(os.getuid()).pw_name}"
    except KeyError:  # a user without an entry, as in some containers
        return f"unix:{os.getuid()}"


def _key_of(pid: int) -> tuple[int, str]:
    found = process(pid)
    return pid, found.started if found is not None else ""


_LONGEST: Final = 400
PROVE: Final = "person.prove"
_BY_AGENT: Final = "called on the socket by an agent's process"
_OPEN: Final = frozenset({"status"})  # open to agents; new methods stay closed to them

Note = Callable[[str, dict[str, object]], object]


def person_name() -> str:
    """The person who connects: the socket accepts only the user that the daemon runs as."""
    return f"human:{own_login().partition(':')[2]}"


def guarded_methods(
    methods: Mapping[str, Method], agents: Agents, note: Note, identities: Identities | None = None
) -> Methods:
    """The methods, nearly all for people only, and two that the command line uses to ask and report."""

    def check(params: dict[str, Any]) -> dict[str, object]:
        found = agents.standing(params[PEER])
        agent = found.kind is Kind.AGENT
        return {
            "standing": found.kind,
            "agent": agent,
            "session": found.session,
            "why": found.why,
            "people": identities.candidates() if identities is not None and not agent else (),
        }

    def refused(params: dict[str, Any]) -> dict[str, object]:
        command, reason = (str(params[name])[:_LONGEST] for name in ("command", "reason"))
        note_refusal(note, command, reason, agents.standing(params[PEER]))
        return {"recorded": True}

    guarded = {
        name: method if name in _OPEN else for_people(name, method, agents, note)
        for name, method in methods.items()
    }
    return {**guarded, "person.check": check, "person.refused": refused}


def for_people(
    name: str,
    method: Method,
    agents: Agents,
    note: Note,
    about: Callable[[dict[str, Any]], Mapping[str, object]] = lambda _: {},
) -> Method:
    """The method, for people only; a refusal is recorded, with what it is `about`."""

    def guarded(params: dict[str, Any]) -> Any:
        found = agents.standing(params[PEER])
        if found.kind is not Kind.PERSON:
            note_refusal(note, name, refusal_reason(found), found, **about(params))
            deed = "stop the daemon" if name == "stop" else f"call `{name}`"
            raise ValueError(f"only a person may {deed}, and {refusal_words(found)}")
        return method(params)

    return guarded


def passphrase_methods(agents: Agents, gate: PassphraseGate, note: Note, identities: Identities) -> Methods:
    """The method that takes a passphrase where the process alone does not show a person."""

    def prove(params: dict[str, Any]) -> Any:
        found = agents.standing(params[PEER])
        if found.kind is Kind.AGENT:
            note_refusal(note, PROVE, refusal_reason(found), found)
            raise ValueError(f"only a person may call `{PROVE}`, and {refusal_words(found)}")
        return check(params[PEER], found, params.get("passphrase"))

    async def check(pid: int, found: Standing, given: object) -> dict[str, object]:
        try:
            who = await identities.prove(pid, given, shared=gate.is_set)
            if who is None and found.kind is not Kind.PERSON:
                await gate.prove(given)
        except InterlockError as error:
            note_refusal(note, PROVE, str(error), found)
            raise ValueError(str(error)) from error
        if found.kind is not Kind.PERSON:
            agents.believe(pid)
        return {"standing": Kind.PERSON, "person": who}

    return {PROVE: prove}


def note_refusal(note: Note, command: str, reason: str, found: Standing, **more: object) -> None:
    """Record a refused command and the session it came from."""
    body = {"command": command, "reason": reason, "decision": "deny", "session_id": found.session or ""}
    note("refused", {**body, **more})


def refusal_reason(found: Standing) -> str:
    """The reason that the entry of a refused request gives."""
    return f"called on the socket: {found.why}" if found.kind is Kind.UNKNOWN else _BY_AGENT


def refusal_words(found: Standing) -> str:
    """Why a process is refused, and what a person can do about it."""
    if found.kind is Kind.AGENT:
        return "this process belongs to an agent"
    return f"{found.why}; type the command in a terminal, where it asks for your passphrase"
