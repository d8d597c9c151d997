"""What policy files say about commitments: as each writes it, and what all of them together mean."""

from __future__ import annotations

from enum import StrEnum
from functools import lru_cache
from typing import Annotated, ClassVar, Final, Literal, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

from interlock.patterns.glob import GlobSet, glob_expression
from interlock.policy.format.entry import Seconds, Text, about

VALIDATOR_SECONDS: Final = 120.0
TierWord: TypeAlias = Literal["tier_1", "tier_2", "tier_3"]


class _Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A mapping whose keys are all known."""


class MatchEntry(_Part, frozen=True, kw_only=True):
    """Which commitments a rule is about; nothing written: none."""

    tags: list[Text] = []
    actor: (
        Annotated[Text, about("Who made the commitment; `*` is any sequence of characters.")] | UnsetType
    ) = UNSET
    source_kind: Annotated[Text, about("The kind of its source memory.")] | UnsetType = UNSET


AnyMatch: TypeAlias = Literal["all"] | MatchEntry


class ClaimConstraint(_Part, frozen=True, kw_only=True):
    """Only the owner may close."""

    match: AnyMatch


class HumanConstraint(_Part, frozen=True, kw_only=True):
    """Only a person may do an operation."""

    operation: Annotated[Text, about("The operation; `close` covers `approve`.")] = "close"
    match: AnyMatch


class ValidationConstraint(_Part, frozen=True, kw_only=True):
    """Closing needs an approved memory of kind `validation` that names the commitment."""

    match: AnyMatch
    validator: Annotated[Text, about("Who must have captured it; `*` is any sequence of characters.")] = "*"


class Constraints(_Part, frozen=True, kw_only=True):
    """What closing a commitment needs."""

    require_claim: Annotated[list[ClaimConstraint], about("Only the owner may close these.")] = []
    require_human: Annotated[
        list[HumanConstraint], about("Only a person may do the operation on these.")
    ] = []
    require_validation: Annotated[
        list[ValidationConstraint], about("These need an approved memory of kind `validation`.")
    ] = []

    noun: ClassVar = "constraint"


class TierEntry(_Part, frozen=True, kw_only=True):
    """How a tier is closed."""

    auto_close: Annotated[bool, about("false: it waits for an approval.")] | UnsetType = UNSET
    review_window: Annotated[Text, about("How long it can be reopened: `24h`.")] | UnsetType = UNSET
    require_human: bool | UnsetType = UNSET
    validators: Annotated[
        list[Literal["technical", "safety", "intent"]],
        about("What must pass before a commitment is submitted or closed; see `validators`."),
    ] = []


class TechnicalEntry(_Part, frozen=True, kw_only=True):
    """A command that must succeed."""

    command: (
        Annotated[Text, about("Runs in the project; default: the project's own build and test commands.")]
        | UnsetType
    ) = UNSET
    timeout: Seconds = VALIDATOR_SECONDS


class SafetyEntry(_Part, frozen=True, kw_only=True):
    """What was changed must be harmless."""

    secrets: Annotated[bool, about("The changed files may contain no secret.")] = True
    scope: Annotated[list[Text], about("Globs of the files that may change.")] = []
    command: Annotated[Text, about("Also runs in the project.")] | UnsetType = UNSET
    timeout: Seconds = VALIDATOR_SECONDS


class IntentEntry(_Part, frozen=True, kw_only=True):
    """It must be what was meant; with nothing written here a person says so."""

    phrase: Annotated[Text, about("What the summary must contain.")] | UnsetType = UNSET
    command: Annotated[Text, about("Runs in the project.")] | UnsetType = UNSET
    timeout: Seconds = VALIDATOR_SECONDS


class ValidatorTable(_Part, frozen=True, kw_only=True):
    """What the three words stand for."""

    technical: TechnicalEntry = TechnicalEntry()
    safety: SafetyEntry = SafetyEntry()
    intent: IntentEntry = IntentEntry()

    noun: ClassVar = "validator"


class TierTable(_Part, frozen=True, kw_only=True):
    """The three tiers."""

    tier_1: TierEntry = TierEntry()
    tier_2: TierEntry = TierEntry()
    tier_3: TierEntry = TierEntry()

    noun: ClassVar = "tier"


class Classification(_Part, frozen=True, kw_only=True):
    """Which commitments are of a tier, or the tier of all others."""

    match: MatchEntry | UnsetType = UNSET
    tier: TierWord | UnsetType = UNSET
    default: TierWord | UnsetType = UNSET


class ValidationSection(_Part, frozen=True, kw_only=True):
    """How each tier is closed, and which commitments belong to it."""

    tiers: Annotated[TierTable, about("How each tier is closed.")] = TierTable()
    validators: Annotated[ValidatorTable, about("What each validator checks.")] = ValidatorTable()
    classification: Annotated[
        list[Classification], about("Which commitments belong to which tier. The first match wins.")
    ] = []


class TierRuleEntry(_Part, frozen=True, kw_only=True):
    """Commitments with any of these tags are of a tier."""

    tags: list[Text]
    tier: TierWord


class TierSettings(_Part, frozen=True, kw_only=True):
    """How commitments are closed."""

    rules: Annotated[list[TierRuleEntry], about("The first rule that matches decides the tier.")] = []
    default: Annotated[TierWord, about("Of all others.")] | UnsetType = UNSET
    tier_2: (
        Annotated[
            Literal["window", "review"],
            about("window: closes at once, can be reopened within `window`; review: waits."),
        ]
        | UnsetType
    ) = UNSET
    window: Annotated[Text, about("How long tier 2 can be reopened: `24h`.")] | UnsetType = UNSET

    noun: ClassVar = "setting"


WINDOW_SECONDS: Final = 24 * 3600.0
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


def fits(
    match: AnyMatch, tags: tuple[str, ...], actor: str, source_kind: str | None, *, any_tag: bool = False
) -> bool:
    """Whether a rule applies to a commitment; an empty one applies to none."""
    if not isinstance(match, MatchEntry):
        return True
    if not (match.tags or match.actor or match.source_kind):
        return False
    enough = any if any_tag and match.tags else all
    return (
        enough(tag in tags for tag in match.tags)
        and (not match.actor or actor_fits(match.actor, actor))
        and (not match.source_kind or match.source_kind == source_kind)
    )


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
    match: MatchEntry  # one of its tags is enough
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
    constraints: Constraints = Constraints()
    tier_rules: tuple[TierRule, ...] = ()
    default_tier: Tier | None = None
    waiting: frozenset[Tier] = frozenset()  # tiers that wait for an approval, besides the third
    window: float | None = None  # seconds in which tier 2 can be reopened
    validators: dict[Tier, tuple[Validator, ...]] = {}

    @property
    def speaks(self) -> bool:
        """Whether this file restricts operations at all."""
        return self.anybody is not None or any(entry.operations is not None for entry in self.entries)

    def entry_of(self, actor: str) -> OperationEntry | None:
        """The entry for an actor: the exact name, then the longest pattern, then the first."""
        fitting = [entry for entry in self.entries if actor_fits(entry.actor, actor)]
        return max(fitting, key=lambda entry: (entry.actor == actor, len(entry.actor)), default=None)


class CommitmentPolicy(msgspec.Struct, frozen=True, kw_only=True):
    """The rules of all files, the earliest layer first; the strictest wins."""

    parts: tuple[FileRules, ...] = ()
    default_actor: str | None = None

    def tier(self, tags: tuple[str, ...], actor: str, source_kind: str | None) -> Tier:
        """The strictest tier that any file gives: by its first matching rule, or its default."""
        tiers = []
        for part in self.parts:
            rules = part.tier_rules
            fitting = (
                rule.tier for rule in rules if fits(rule.match, tags, actor, source_kind, any_tag=True)
            )
            if (tier := next(fitting, part.default_tier)) is not None:
                tiers.append(tier)
        return max(tiers, default=Tier.TIER_2)

    def waits(self, tier: Tier) -> bool:
        """Whether a submission of this tier stays in review until somebody approves."""
        return tier is Tier.TIER_3 or any(tier in part.waiting for part in self.parts)

    def validators(self, tier: Tier) -> tuple[Validator, ...]:
        """What runs before a commitment of this tier is submitted or closed: what all files want."""
        return tuple(validator for part in self.parts for validator in part.validators.get(tier, ()))

    @property
    def window(self) -> float:
        """For how many seconds tier 2 can be reopened; the longest that any file says."""
        return max((part.window for part in self.parts if part.window is not None), default=WINDOW_SECONDS)


def actor_fits(pattern: str, actor: str) -> bool:
    """Whether a name, or a pattern with `*`, matches an actor."""
    return pattern == actor or ("*" in pattern and bool(_globs(pattern).hits(actor)))


@lru_cache(maxsize=512)
def _globs(pattern: str) -> GlobSet:
    return GlobSet([(pattern, glob_expression(pattern))])
