"""Requests that only a person may make: the kernel says which process asks, and whose child it is."""

from __future__ import annotations

import os
import pwd
from collections.abc import Callable, Mapping
from typing import Any, Final

from interlock.daemon.agent_processes import Agents
from interlock.daemon.caller_kind import Kind, Standing
from interlock.daemon.identity import Identities
from interlock.daemon.jsonrpc import PEER, Method, Methods
from interlock.errors import InterlockError
from interlock.files.passphrase import PassphraseGate

_LONGEST: Final = 400
PROVE: Final = "person.prove"
_BY_AGENT: Final = "called on the socket by an agent's process"
_OPEN: Final = frozenset({"status"})  # what an agent may ask too; what is new stays closed to it

Note = Callable[[str, dict[str, object]], object]


def person_name() -> str:
    """Who connects: the socket takes nobody but the user the daemon runs as, by the kernel's word."""
    try:
        return f"human:{pwd.getpwuid(os.getuid()).pw_name}"
    except KeyError:  # a user without an entry, as in some containers
        return f"human:{os.getuid()}"


def guarded_methods(
    methods: Mapping[str, Method], agents: Agents, note: Note, identities: Identities | None = None
) -> Methods:
    """The methods, nearly all for people only, and two by which the command line asks and reports."""

    def check(params: dict[str, Any]) -> dict[str, object]:
        found = agents.standing(params[PEER])
        agent = found.kind is Kind.AGENT
        people = identities.candidates() if identities is not None and not agent else ()
        said = {"standing": found.kind, "agent": agent, "session": found.session, "why": found.why}
        return {**said, "people": people}

    def refused(params: dict[str, Any]) -> dict[str, object]:
        command, reason = (str(params[name])[:_LONGEST] for name in ("command", "reason"))
        note_refusal(note, command, reason, agents.standing(params[PEER]))
        return {"recorded": True}

    def for_people(name: str, method: Method) -> Method:
        def guarded(params: dict[str, Any]) -> Any:
            found = agents.standing(params[PEER])
            if found.kind is not Kind.PERSON:
                note_refusal(note, name, refusal_reason(found), found)
                deed = "stop the daemon" if name == "stop" else f"call `{name}`"
                raise ValueError(f"only a person may {deed}, and {refusal_words(found)}")
            return method(params)

        return guarded

    guarded = {
        name: method if name in _OPEN else for_people(name, method) for name, method in methods.items()
    }
    return {**guarded, "person.check": check, "person.refused": refused}


def proving(agents: Agents, gate: PassphraseGate, note: Note, identities: Identities) -> Methods:
    """The method by which a person is told from an agent where processes alone do not show it."""

    def prove(params: dict[str, Any]) -> Any:
        pid = params[PEER]
        found = agents.standing(pid)
        if found.kind is Kind.AGENT:
            note_refusal(note, PROVE, refusal_reason(found), found)
            raise ValueError(f"only a person may call `{PROVE}`, and {refusal_words(found)}")
        return _proved(pid, found, params.get("passphrase"))

    async def _proved(pid: int, found: Standing, given: object) -> dict[str, object]:
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
    """Make an entry of what was refused, and of the session it came from."""
    body = {"command": command, "reason": reason, "decision": "deny", "session_id": found.session or ""}
    note("refused", {**body, **more})


def refusal_reason(found: Standing) -> str:
    """What the entry of a request says that was refused on the socket."""
    return f"called on the socket: {found.why}" if found.kind is Kind.UNKNOWN else _BY_AGENT


def refusal_words(found: Standing) -> str:
    """Why a process is not heard, and what a person does about it."""
    if found.kind is Kind.AGENT:
        return "this process belongs to an agent"
    return f"{found.why}; type the command in a terminal, where it asks for your passphrase"
