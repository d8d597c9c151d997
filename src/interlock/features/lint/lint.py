"""Everything there is to say about a policy, in the order of its files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from interlock.events.source import PACK_SOURCE
from interlock.features.lint.breadth import too_broad
from interlock.features.lint.contradictions import contradictory
from interlock.features.lint.dead import dead
from interlock.features.lint.finding import Code, Finding, Weight
from interlock.features.lint.order import shadowed
from interlock.features.lint.suggestions import bad_suggestions
from interlock.features.lint.upkeep import Asked, duplicate_names, fail_open, never_matched
from interlock.features.lint.written import Written

_CHECKS: Final[tuple[Callable[[Written], Iterator[Finding]], ...]] = (
    dead,
    shadowed,
    contradictory,
    too_broad,
    bad_suggestions,
    fail_open,
    duplicate_names,
)


def lint(policy: Written, asked: Asked | None = None) -> list[Finding]:
    """All findings, by file and line; those of the ledger only where it was read."""
    found = [finding for check in _CHECKS for finding in check(policy)]
    if asked is not None:
        found += never_matched(policy, asked)
    order = {file.document.file: place for place, file in enumerate(policy.files)}
    # A hook bound to two moments is one rule.
    unique = dict.fromkeys(one for one in found if not _beyond_reach(one))
    return sorted(unique, key=lambda one: (order.get(one.file, len(order)), one.file, one.line, one.weight))


def _beyond_reach(finding: Finding) -> bool:
    """Advice about the rules of a pack is ours to follow; only what does not work is told to its users."""
    ours = finding.file.startswith(PACK_SOURCE)
    return ours and (finding.weight is Weight.WARNING or finding.code is Code.SHADOWED)
