"""What `genesis.key` says about commitments, as it is written: operations, constraints, tiers."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, TypeAlias

import msgspec
from msgspec import UNSET, Meta, UnsetType

from interlock.features.commitments.policy import VALIDATOR_SECONDS
from interlock.policy.format.entry import Seconds, Text

TierWord: TypeAlias = Literal["tier_1", "tier_2", "tier_3"]


class _Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A mapping whose keys are all known."""


class MatchEntry(_Part, frozen=True, kw_only=True):
    """Which commitments a rule is about; nothing written: none."""

    tags: list[Text] = []
    actor: (
        Annotated[Text, Meta(description="Who made the commitment; `*` is any sequence of characters.")]
        | UnsetType
    ) = UNSET
    source_kind: Annotated[Text, Meta(description="The kind of its source memory.")] | UnsetType = UNSET


AnyMatch: TypeAlias = Literal["all"] | MatchEntry


class ClaimConstraint(_Part, frozen=True, kw_only=True):
    """Only the owner may close."""

    match: AnyMatch


class HumanConstraint(_Part, frozen=True, kw_only=True):
    """Only a person may do an operation."""

    operation: Annotated[Text, Meta(description="The operation; `close` covers `approve`.")] = "close"
    match: AnyMatch


class ValidationConstraint(_Part, frozen=True, kw_only=True):
    """Closing needs an approved memory of kind `validation` that names the commitment."""

    match: AnyMatch
    validator: Annotated[
        Text, Meta(description="Who must have captured it; `*` is any sequence of characters.")
    ] = "*"


class Constraints(_Part, frozen=True, kw_only=True):
    """What closing a commitment needs."""

    require_claim: Annotated[list[ClaimConstraint], Meta(description="Only the owner may close these.")] = []
    require_human: Annotated[
        list[HumanConstraint], Meta(description="Only a person may do the operation on these.")
    ] = []
    require_validation: Annotated[
        list[ValidationConstraint], Meta(description="These need an approved memory of kind `validation`.")
    ] = []

    noun: ClassVar = "constraint"


class TierEntry(_Part, frozen=True, kw_only=True):
    """How a tier is closed."""

    auto_close: Annotated[bool, Meta(description="false: it waits for an approval.")] | UnsetType = UNSET
    review_window: Annotated[Text, Meta(description="How long it can be reopened: `24h`.")] | UnsetType = (
        UNSET
    )
    require_human: bool | UnsetType = UNSET
    validators: Annotated[
        list[Literal["technical", "safety", "intent"]],
        Meta(description="What must pass before a commitment is submitted or closed; see `validators`."),
    ] = []


class TechnicalEntry(_Part, frozen=True, kw_only=True):
    """A command that must succeed."""

    command: (
        Annotated[
            Text, Meta(description="Runs in the project; default: the project's own build and test commands.")
        ]
        | UnsetType
    ) = UNSET
    timeout: Seconds = VALIDATOR_SECONDS


class SafetyEntry(_Part, frozen=True, kw_only=True):
    """What was changed must be harmless."""

    secrets: Annotated[bool, Meta(description="The changed files may contain no secret.")] = True
    scope: Annotated[list[Text], Meta(description="Globs of the files that may change.")] = []
    command: Annotated[Text, Meta(description="Also runs in the project.")] | UnsetType = UNSET
    timeout: Seconds = VALIDATOR_SECONDS


class IntentEntry(_Part, frozen=True, kw_only=True):
    """It must be what was meant; with nothing written here a person says so."""

    phrase: Annotated[Text, Meta(description="What the summary must contain.")] | UnsetType = UNSET
    command: Annotated[Text, Meta(description="Runs in the project.")] | UnsetType = UNSET
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

    tiers: Annotated[TierTable, Meta(description="How each tier is closed.")] = TierTable()
    validators: Annotated[ValidatorTable, Meta(description="What each validator checks.")] = ValidatorTable()
    classification: Annotated[
        list[Classification],
        Meta(description="Which commitments belong to which tier. The first match wins."),
    ] = []


class TierRuleEntry(_Part, frozen=True, kw_only=True):
    """Commitments with any of these tags are of a tier."""

    tags: list[Text]
    tier: TierWord


class TierSettings(_Part, frozen=True, kw_only=True):
    """How commitments are closed."""

    rules: Annotated[
        list[TierRuleEntry], Meta(description="The first rule that matches decides the tier.")
    ] = []
    default: Annotated[TierWord, Meta(description="Of all others.")] | UnsetType = UNSET
    tier_2: (
        Annotated[
            Literal["window", "review"],
            Meta(description="window: closes at once, can be reopened within `window`; review: waits."),
        ]
        | UnsetType
    ) = UNSET
    window: Annotated[Text, Meta(description="How long tier 2 can be reopened: `24h`.")] | UnsetType = UNSET

    noun: ClassVar = "setting"
