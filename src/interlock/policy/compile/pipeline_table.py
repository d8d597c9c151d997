"""The pipeline as people are shown it: each hook in the order it runs, with where it comes from."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from interlock.engine.failure import can_fail_open
from interlock.events.hook import Hook


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
