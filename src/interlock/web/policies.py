"""The policy in force in a folder, as the daemon loads it, and its verdict on a call that is not made."""

from __future__ import annotations

import asyncio
import os
import threading
from functools import cache
from typing import Final, final

from interlock.daemon.paths import Places
from interlock.daemon.policy_loader import Loaded, Policies, guarded_of
from interlock.engine.rules_only import RulesOnlyEngine
from interlock.engine.session_memory import OnceInMemory
from interlock.errors import InterlockError
from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.hook import Layer
from interlock.events.names import EventName
from interlock.events.tool import ToolCall
from interlock.events.verdict import Vote
from interlock.hosts.claude_code.tools import CLAUDE_CODE_TOOLS
from interlock.ledger.entry import Entry
from interlock.policy.allowing import POLICY_FILE, Allowing, allowing, is_own_rule
from interlock.policy.trust import FOLDER, TrustList


@final
class ReadPolicies:
    """Loads policies only to show and try them: nothing runs and nothing is recorded."""

    def __init__(self, places: Places) -> None:
        self._lock: Final = threading.Lock()
        self._trust: Final = TrustList(places.state / FOLDER)
        self._policies: Final = Policies(
            [(Layer.MANAGED, places.managed_config), (Layer.USER, places.user_config)],
            tools=CLAUDE_CODE_TOOLS,
            once=OnceInMemory(),
            environ=os.environ,
            alarm=lambda *_: None,  # the daemon loads the same file and raises the alarm
            trust=self._trust,
            guarded=guarded_of(places),
        )
        self._rules: Final = RulesOnlyEngine(CLAUDE_CODE_TOOLS, OnceInMemory(), None)

    def for_folder(self, folder: str) -> Loaded:
        """The policy in force there; an empty folder belongs to no project."""
        with self._lock:
            return self._policies.for_folder(folder)

    def decide(self, event: Event, loaded: Loaded) -> Decision:
        """Decide by the rules alone; hooks that would start something are named but not run."""
        with self._lock:
            return asyncio.run(
                self._rules.decide(event, loaded.engine.hooks, root=loaded.root, revision=loaded.revision)
            )

    def projects(self) -> list[str]:
        """The projects whose policy a person has trusted or refused."""
        with self._lock:
            return sorted(self._trust.store.roots())


@cache
def policies_of(places: Places) -> ReadPolicies:
    """One per home: loading 10,000 patterns takes a second."""
    return ReadPolicies(places)


def allowing_of_entry(places: Places, entry: Entry) -> Allowing | None:
    """The policy change that would allow a call that was stopped, from its ledger entry."""
    body, given = entry.body, entry.body.get("tool_input")
    if entry.event != EventName.PRE_TOOL_USE or entry.decision not in {str(Vote.ASK), str(Vote.DENY)}:
        return None
    if not entry.tool or not isinstance(given, dict) or is_own_rule(str(body.get("decided_by"))):
        return None
    event = Event(
        name=EventName.PRE_TOOL_USE,
        cwd=str(body.get("cwd") or ""),
        project=str(body.get("project") or "") or None,
        actor=entry.actor,
        tool=ToolCall(name=entry.tool, input=given),
    )
    # As a deny, because the entry of an ask that was denied for now does not say who may answer it.
    return allowing_of(places, event, Vote.DENY)


def allowing_of(places: Places, event: Event, vote: Vote) -> Allowing | None:
    """The policy change that would allow a call in its folder; None if the policy cannot be read."""
    try:
        hooks = policies_of(places).for_folder(event.cwd).engine.hooks
        return allowing(event, vote, hooks, CLAUDE_CODE_TOOLS, str(places.user_config / POLICY_FILE))
    except (InterlockError, OSError):
        return None
