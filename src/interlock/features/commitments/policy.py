"""What all policy files together say about commitments."""

from __future__ import annotations

from enum import StrEnum
from functools import lru_cache
from typing import Final

import msgspec

from interlock.patterns.glob import GlobSet, glob_expression

WINDOW_SECONDS: Final = 24 * 3600.0
VALIDATOR_SECONDS: Final = 120.0
# All operations; `reject` is a reopen by another name.
OPERATIONS: Final = (
    "capture",
    "commit",
    "claim",
    "release",
    "close",
    "annotate",
    "link",
    "dismiss",
    "triage",
    "submit",
    "approve",
    "reopen",
    "reject",
    "publish",
    "cancel",
)


class Tier(StrEnum):
    """How hard it is to close a commitment; later is stricter."""

    TIER_1 = "tier_1"  # closed at once
    TIER_2 = "tier_2"  # closed at once, reopened within a window
    TIER_3 = "tier_3"  # closed by a person


class Match(msgspec.Struct, frozen=True, kw_only=True):
    """Which commitments a rule applies to; an empty one matches none."""

    everything: bool = False
    tags: tuple[str, ...] = ()
    any_tag: bool = False  # one of the tags is enough
    actor: str | None = None
    source_kind: str | None = None

    def fits(self, tags: tuple[str, ...], actor: str, source_kind: str | None) -> bool:
        if self.everything:
            return True
        if not (self.tags or self.actor or self.source_kind):
            return False
        enough = any if self.any_tag and self.tags else all
        return (
            enough(tag in tags for tag in self.tags)
            and (self.actor is None or actor_fits(self.actor, actor))
            and (self.source_kind is None or self.source_kind == source_kind)
        )


class HumanRule(msgspec.Struct, frozen=True, kw_only=True):
    """An operation that is for people."""

    operation: str
    match: Match


class ValidationRule(msgspec.Struct, frozen=True, kw_only=True):
    """Closing needs a validation by such an actor."""

    match: Match
    validator: str


class Validator(msgspec.Struct, frozen=True, kw_only=True):
    """What must pass before commitments of a tier are submitted or closed, as one file says."""

    word: str  # technical, safety or intent
    file: str
    command: str | None = None  # None at `technical`: the project's own build and test commands
    seconds: float = VALIDATOR_SECONDS
    secrets: bool = False
    scope: tuple[str, ...] = ()
    phrase: str | None = None  # what the summary must contain
    usable: bool = True  # False: the file changed since it was trusted, so nothing runs


class TierRule(msgspec.Struct, frozen=True, kw_only=True):
    match: Match
    tier: Tier


class OperationEntry(msgspec.Struct, frozen=True, kw_only=True):
    """What one file says about the operations of an actor, or of all actors whose name matches."""

    actor: str
    operations: frozenset[str] | None = None  # None: the entry only gives roles
    author_types: tuple[str, ...] = ()


class FileRules(msgspec.Struct, frozen=True, kw_only=True):
    file: str
    entries: tuple[OperationEntry, ...] = ()
    anybody: frozenset[str] | None = None  # actors without an entry
    require_claim: tuple[Match, ...] = ()
    require_human: tuple[HumanRule, ...] = ()
    require_validation: tuple[ValidationRule, ...] = ()
    tier_rules: tuple[TierRule, ...] = ()
    default_tier: Tier | None = None
    waiting: frozenset[Tier] = frozenset()  # tiers that wait for an approval, besides the third
    window: float | None = None  # seconds in which tier 2 can be reopened
    validators: dict[Tier, tuple[Validator, ...]] = {}

    @property
    def speaks(self) -> bool:
        """Whether this file restricts operations at all."""
        return self.anybody is not None or any(one.operations is not None for one in self.entries)

    def entry_of(self, actor: str) -> OperationEntry | None:
        """The entry for an actor: the exact name, then the longest pattern, then the first."""
        fitting = [one for one in self.entries if actor_fits(one.actor, actor)]
        return max(fitting, key=lambda one: (one.actor == actor, len(one.actor)), default=None)


class CommitmentPolicy(msgspec.Struct, frozen=True, kw_only=True):
    """The rules of all files, the earliest layer first; the strictest wins."""

    parts: tuple[FileRules, ...] = ()
    default_actor: str | None = None

    def tier(self, tags: tuple[str, ...], actor: str, source_kind: str | None) -> Tier:
        """The strictest tier that any file gives: by its first matching rule, or its default."""
        said = [_tier_by_rules(part, tags, actor, source_kind) for part in self.parts]
        return max((tier for tier in said if tier is not None), default=Tier.TIER_2)

    def waits(self, tier: Tier) -> bool:
        """Whether a submission of this tier stays in review until somebody approves."""
        return tier is Tier.TIER_3 or any(tier in part.waiting for part in self.parts)

    def validators(self, tier: Tier) -> tuple[Validator, ...]:
        """What runs before a commitment of this tier is submitted or closed: what all files want."""
        return tuple(one for part in self.parts for one in part.validators.get(tier, ()))

    @property
    def window(self) -> float:
        """For how many seconds tier 2 can be reopened; the longest that any file says."""
        return max((part.window for part in self.parts if part.window is not None), default=WINDOW_SECONDS)


def _tier_by_rules(
    part: FileRules, tags: tuple[str, ...], actor: str, source_kind: str | None
) -> Tier | None:
    fitting = (rule.tier for rule in part.tier_rules if rule.match.fits(tags, actor, source_kind))
    return next(fitting, part.default_tier)


def actor_fits(pattern: str, actor: str) -> bool:
    """Whether a name, or a pattern with `*`, matches an actor."""
    return pattern == actor or ("*" in pattern and bool(_globs(pattern).hits(actor)))


@lru_cache(maxsize=512)
def _globs(pattern: str) -> GlobSet:
    return GlobSet([(pattern, glob_expression(pattern))])
