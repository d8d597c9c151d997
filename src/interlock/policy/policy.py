"""All policy files together, ready for the engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from interlock.engine.failure import can_fail_open
from interlock.errors import Problem
from interlock.events.actor import ActorMap
from interlock.events.hook import Hook, Layer
from interlock.policy.settings.people import ACTORS


class PolicyFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file a policy was made from."""

    layer: Layer
    file: str
    hooks: int  # how many are written in it; an added enforcement is not


class Policy(msgspec.Struct, frozen=True, kw_only=True):
    """The pipeline of hooks and what is set; it never changes, a reload makes another."""

    hooks: tuple[Hook, ...] = ()  # managed, user, project, session; then file order
    always: tuple[Hook, ...] = ()  # hooks that no file writes and none can switch off
    settings: Mapping[str, Any] = {}  # what is set, by its key: `PART.get(policy)`
    notices: tuple[Problem, ...] = ()  # what a person should know, though everything loaded
    revision: str = ""  # a short digest of all files and their layers
    permitted: frozenset[str] = frozenset()  # the actors that the permissions name
    files: tuple[PolicyFile, ...] = ()
    watched: tuple[str, ...] = ()  # further files it was made from

    @property
    def actors(self) -> ActorMap:
        return ACTORS.get(self)

    @property
    def actor_count(self) -> int:
        """How many actors the permissions name."""
        return len(self.permitted)

    @property
    def pipeline(self) -> tuple[Hook, ...]:
        """What an engine runs: what no file writes before all layers, then the hooks of the files."""
        return (*self.always, *self.hooks)


class PipelineRow(msgspec.Struct, frozen=True, kw_only=True, rename={"condition": "if"}):
    """One hook of a pipeline."""

    order: int
    layer: str
    events: list[str]
    hook: str
    type: str
    matcher: str
    condition: str | None
    timeout: float | None
    flags: list[str]
    source: str


def pipeline_rows(hooks: Sequence[Hook]) -> list[PipelineRow]:
    """Every hook in the order it runs."""
    return [_row(number, hook) for number, hook in enumerate(hooks, start=1)]


def _row(number: int, hook: Hook) -> PipelineRow:
    return PipelineRow(
        order=number,
        layer=str(hook.source.layer),
        events=list(hook.events),
        hook=hook.name,
        type=hook.handler.kind,
        matcher=hook.matcher.text,
        condition=hook.condition.text if hook.condition else None,
        timeout=hook.timeout,
        flags=_flags(hook),
        source=str(hook.source),
    )


def _flags(hook: Hook) -> list[str]:
    flags = ["if"] if hook.condition else []
    flags += [name for name in ("shadow", "once", "observe", "auto_approve") if getattr(hook, name)]
    return [*flags, "can fail open"] if can_fail_open(hook) else flags
