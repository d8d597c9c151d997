"""The policy that is tried: the files given, and what of a project's own is in force where the event was."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from interlock.builtin_hooks.self_protection.protected_paths import Guarded
from interlock.engine.engine import Engine
from interlock.errors import ConfigError
from interlock.events.actor import ActorMap
from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.source import Layer
from interlock.events.tool import ToolTable
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.features.approvals.rules import ApprovalRules
from interlock.features.approvals.standing import standing_answer
from interlock.features.approvals.standing_grants import StandingGrant
from interlock.features.learning.answers import Answers, OnceThen, harmless
from interlock.hosts.all_hosts import HOSTS
from interlock.hosts.host import with_actor
from interlock.patterns.far_sight import LongReader
from interlock.policy.files.source import PolicyText
from interlock.policy.load import load_policy
from interlock.policy.trust.trust import TrustList, project_files

_KEPT: Final = 64  # projects at a time

Files = Sequence[tuple[Layer, Path | PolicyText]]


class Tried(msgspec.Struct, frozen=True, kw_only=True):
    """The policy as it would be in one place."""

    engine: Engine
    revision: str
    actors: ActorMap
    tools: ToolTable
    approval: ApprovalRules
    standing: tuple[StandingGrant, ...]

    def settled(self, event: Event, decision: Decision) -> Decision:
        """The decision with its ask answered where the policy itself does."""
        return standing_answer(event, decision, self.standing, self.approval, self.tools) or decision

    def acting(self, event: Event) -> Event:
        """The event with the actor this policy gives it; who was the main agent is known, not chosen anew."""
        main = event.parent_actor or event.actor
        return with_actor(event, self.actors, main)


class TriedPolicies:
    """Loads the policy for each place an event was recorded in, with nothing in it that has an effect."""

    def __init__(
        self,
        files: Files,
        answers: Answers,
        *,
        environ: Mapping[str, str],
        guarded: Guarded | None = None,
        trust: TrustList | None = None,
        read: LongReader | None = None,
    ) -> None:
        self._files: Final = list(files)
        self._answers: Final = answers
        self._environ: Final = dict(environ)
        self._guarded: Final = guarded
        self._trust: Final = trust  # None: no project brings files of its own
        self._read: Final = read
        self._kept: Final[dict[tuple[str, str, str], Tried | None]] = {}

    def check(self) -> None:
        """Load the given files on their own; raise ConfigError with their mistakes."""
        load_policy(self._files, environ=self._environ, guarded=self._guarded)

    def of(self, event: Event) -> Tried | None:
        """The policy for an event, None where a project's own files cannot be used."""
        key = (event.host, event.cwd, event.project or "")
        if key not in self._kept:
            if len(self._kept) >= _KEPT:
                self._drop(next(iter(self._kept)))
            self._kept[key] = self._loaded(event)
        return self._kept[key]

    def close(self) -> None:
        """Let go of every engine."""
        for key in list(self._kept):
            self._drop(key)

    def _drop(self, key: tuple[str, str, str]) -> None:
        tried = self._kept.pop(key)
        if tried is not None:
            tried.engine.close()

    def _loaded(self, event: Event) -> Tried | None:
        files = [*self._files, *self._of_projects(event)]
        try:
            policy = load_policy(files, environ=self._environ, guarded=self._guarded)
        except ConfigError:
            return None
        host = HOSTS.get(event.host)
        tools = host.tools if host else STANDARD_TOOLS
        hooks = harmless(policy.pipeline, self._answers)
        return Tried(
            engine=Engine(
                hooks,
                revision=policy.revision,
                tools=tools,
                once=OnceThen(hooks, self._answers),
                read=self._read,
            ),
            revision=policy.revision,
            actors=policy.actors,
            tools=tools,
            approval=policy.approval,
            standing=policy.standing,
        )

    def _of_projects(self, event: Event) -> Files:
        if self._trust is None:
            return ()
        folders = [folder for folder in (event.project, event.cwd) if folder]
        states = {
            state.root: state
            for folder in folders
            for state in self._trust.states_above(os.path.realpath(folder))
        }
        return [file for state in states.values() for file in project_files(state)]
