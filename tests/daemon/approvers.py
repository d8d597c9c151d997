"""What tests of approvals share: a policy that asks, and a person's side of the socket."""

from __future__ import annotations

import os
import pwd
from pathlib import Path
from typing import Any

from tests.daemon.home import PATIENCE, Home, bash, decided, wait_for

from interlock.daemon.client import request
from interlock.ledger.entry import Entry

ME = f"human:{pwd.getpwuid(os.getuid()).pw_name}"
AGENT = Path(__file__).parent.parent / "cli" / "agent.py"
ASKS = """\
version: "2.0"
settings:
  approval:
    expires: 1h
    approvers: {APPROVERS}
hooks:
  pre_tool_use:
    - {type: ask, name: push, matcher: "Bash(git push *)", config: {reason: ready?}}
    - {type: ask, name: named, matcher: "Bash(deploy *)", config: {approvers: [human:somebody-else]}}
    - {type: deny, name: never, matcher: "Bash(* --mirror)"}
"""


def policy(approvers: str = "{}") -> str:
    """The policy with some approvers."""
    return ASKS.replace("{APPROVERS}", approvers)


def ask(home: Home, use_id: str, command: str = "git push origin", **fields: Any) -> tuple[str | None, str]:
    """Report a command that nobody watches; without a host's marks, or this process would count as one."""
    return decided(home.call(bash(command, tool_use_id=use_id, permission_mode="default", **fields)))


def answer(home: Home, method: str, *names: str, **params: Any) -> list[dict[str, Any]]:
    """What the daemon says to a person's answer."""
    found = request(home.places.socket, method, {"ids": list(names), **params}, seconds=PATIENCE)
    results: list[dict[str, Any]] = found["results"]
    return results


def yes(home: Home, *names: str, **params: Any) -> list[dict[str, Any]]:
    """A person agrees."""
    return answer(home, "approvals.approve", *names, **params)


def states(home: Home) -> list[str]:
    """What became of every request."""
    found = request(home.places.socket, "approvals.list", {"all": True}, seconds=PATIENCE)["approvals"]
    return [row["state"] for row in found]


def told(home: Home, op: str = "approval") -> list[tuple[object, ...]]:
    """What the ledger says of approvals."""
    return [(e.body.get("approval"), e.body["state"], e.body["by"]) for e in home.entries(op)]


def refusals(home: Home) -> list[Entry]:
    """The answers that did not count."""
    wait_for(lambda: home.entries("refused"), "the refusal is recorded")
    return home.entries("refused")
