"""What `interlock approve` and `reject` answer: a request, a commitment in review, or both at once."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from interlock.cli.agent_request import place
from interlock.cli.daemon_client import ask_daemon
from interlock.cli.people_only import require_person, standing_here
from interlock.cli.policy_source import here
from interlock.daemon.caller_kind import Kind
from interlock.daemon.paths import places_of
from interlock.features.approvals.cli import answer
from interlock.features.approvals.requests import PREFIX


class Answer(NamedTuple):
    """The requests that are answered, and the commitment in review."""

    requests: list[str]
    commitment: str | None


def answer_of(name: str) -> Answer:
    """What a name stands for; requests are for people only, commitments also for agents."""
    if name.startswith(PREFIX):
        require_person("approvals")
        row = ask_daemon("approvals.show", {"id": name})
        return Answer([name], _reviewed(row["commitment"]) if row["tool"] is None else None)
    if standing_here(os.environ, places_of(here())).kind is not Kind.PERSON:
        return Answer([], name)
    found = ask_daemon("approvals.list")["approvals"]
    return Answer([row["id"] for row in found if row["commitment"] == name and row["tool"] is None], name)


def _reviewed(name: str | None) -> str | None:
    """A commitment that is in review: what a gate asked about may have ended or gone on since."""
    if name is None:
        return None
    found = ask_daemon("commitments.show", {"id": name, **place()})
    return name if found["commitment"]["state"] == "in_review" else None


def approve_requests(found: Answer, note: str | None, *, as_json: bool) -> int:
    """Say yes to requests; the exit code."""
    if not found.requests:
        return 0
    passphrase = require_person("approvals approve", passphrase=True)
    return _say("approvals.approve", found, {"note": note, "passphrase": passphrase}, as_json=as_json)


def deny_requests(found: Answer, note: str | None, *, as_json: bool) -> int:
    """Say no to requests; the exit code."""
    return _say("approvals.deny", found, {"note": note}, as_json=as_json) if found.requests else 0


def _say(method: str, found: Answer, params: dict[str, Any], *, as_json: bool) -> int:
    # As JSON one document is printed: that of the commitment, where there is one.
    return answer(
        method, found.requests, params, as_json=as_json, quiet=as_json and found.commitment is not None
    )
