"""The rules of a pipeline, each with what became of it in a window."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from interlock.policy.compile.pipeline_table import PipelineRow
from interlock.search.hourly import file_of
from interlock.web.queries.hooks import HookFigures

BUILT_IN: Final = "<built in>"
SLOW_MS: Final = 50.0  # what a built-in or a rule must stay below


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """One rule in the order it runs."""

    row: PipelineRow
    matches: int  # how often it was asked, which is how often it matched
    asks: int
    denials: int
    failures: int
    p95: float | None

    @property
    def never(self) -> bool:
        """It matched nothing in the window; what is built in stands for what nobody should try."""
        return self.matches == 0 and not self.row.source.startswith(BUILT_IN)

    @property
    def slow(self) -> bool:
        """One of twenty runs takes longer than a rule should."""
        return self.p95 is not None and self.p95 > SLOW_MS


def rules_of(rows: Sequence[PipelineRow], figures: Sequence[HookFigures]) -> tuple[Rule, ...]:
    """Every rule, also those that nobody met; two of one name in one file share their figures."""
    known = {(one.hook, one.file): one for one in figures}
    return tuple(_rule(row, known.get((row.hook, file_of(row.source)))) for row in rows)


def _rule(row: PipelineRow, found: HookFigures | None) -> Rule:
    if found is None:
        return Rule(row=row, matches=0, asks=0, denials=0, failures=0, p95=None)
    return Rule(
        row=row,
        matches=found.calls,
        asks=found.asks,
        denials=found.denials,
        failures=found.failures,
        p95=found.p95,
    )
