"""All policy files together, ready for the engine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from interlock.errors import Problem
from interlock.events.actor import ActorMap
from interlock.events.hook import Hook
from interlock.events.source import Layer
from interlock.policy.settings.actors import ACTORS


class PolicyFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file a policy was made from."""

    layer: Layer
    file: str
    hooks: int  # how many are written in it; an added enforcement is not


class Policy(msgspec.Struct, frozen=True, kw_only=True):
    """The pipeline of hooks and what is set; it never changes, a reload makes another."""

    hooks: tuple[Hook, ...] = ()  # managed, user, project, session; then file order
    always: tuple[Hook, ...] = ()  # hooks that no file writes and none can switch off
    settings: Mapping[str, Any] = {}  # what is set, by its key: `PART.of(policy)`
    notices: tuple[Problem, ...] = ()  # what a person should know, though everything loaded
    revision: str = ""  # a short digest of all files and their layers
    actor_count: int = 0  # how many actors the permissions name
    files: tuple[PolicyFile, ...] = ()
    watched: tuple[str, ...] = ()  # further files it was made from

    @property
    def actors(self) -> ActorMap:
        """Who acts."""
        return ACTORS.of(self)

    @property
    def pipeline(self) -> tuple[Hook, ...]:
        """What an engine runs: what no file writes before all layers, then the hooks of the files."""
        return (*self.always, *self.hooks)
