"""From one checked policy file to its rules about commitments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, Final

import msgspec
from msgspec import UNSET, UnsetType

from interlock.features.commitments.policy import (
    OPERATIONS,
    CommitmentPolicy,
    Constraints,
    FileRules,
    MatchEntry,
    OperationEntry,
    Tier,
    TierEntry,
    TierRule,
    TierSettings,
    ValidationSection,
    Validator,
)
from interlock.policy.files.document import Findings, Path
from interlock.policy.files.words import duration, hint, near_miss
from interlock.policy.format.entry import Text, about
from interlock.policy.format.genesis_key import ActorPermissions, GenesisKey
from interlock.policy.settings.people import check_person
from interlock.policy.settings_part import FileSettings, SettingsPart, merge_nothing, trusted

_ALL: Final = "*"
_LONGEST: Final = 365 * 86_400.0


def _merge(files: Iterable[FileSettings[Constraints]]) -> CommitmentPolicy:
    """Every file counts on its own; one that changed since it was trusted can only tighten."""
    all_files = list(files)
    parts = (_part(file.record, file.findings) for file in all_files)
    default_actor: str | None = None
    for file in trusted((file.under(DEFAULT_ACTOR) for file in all_files), "say who acts", ignored=True):
        if isinstance(file.written, str):
            check_person(file.written, file.part.path, file.findings)
            default_actor = default_actor or file.written
    return CommitmentPolicy(
        parts=tuple(
            _tightening(part) if file.tightening_only else part
            for file, part in zip(all_files, parts, strict=True)
        ),
        default_actor=default_actor,
    )


def _tightening(part: FileRules) -> FileRules:
    """Of a file that changed since it was trusted, keep what forbids and drop what closes more easily."""
    strict_rules = tuple(rule for rule in part.tier_rules if rule.tier is Tier.TIER_3)
    default = part.default_tier if part.default_tier is Tier.TIER_3 else None
    # Validators stay required but do not run, so nothing is closed until the file is trusted.
    stale = {
        tier: tuple(msgspec.structs.replace(validator, usable=False) for validator in validators)
        for tier, validators in part.validators.items()
    }
    return msgspec.structs.replace(part, tier_rules=strict_rules, default_tier=default, validators=stale)


def _part(key: GenesisKey, findings: Findings) -> FileRules:
    constraints, validation = COMMITMENTS.written_in(key), VALIDATION.written_in(key)
    tiers = TIERS.written_in(key)
    entries = (_entry(actor, lists, findings) for actor, lists in key.permissions.actors.items())
    anybody = key.permissions.defaults.authenticated
    path: Path = ("permissions", "defaults", "authenticated", "operations")
    for index, rule in enumerate(constraints.require_human):
        _check_operation(rule.operation, ("constraints", "require_human", index, "operation"), findings)
    defaults = [tiers.default, *(rule.default for rule in validation.classification)]
    default = next((str(tier) for tier in defaults if tier), None)
    file = findings.document.file
    return FileRules(
        file=file,
        entries=tuple(entry for entry in entries if entry is not None),
        anybody=_operations(anybody.operations, path, findings) if anybody else None,
        constraints=constraints,
        tier_rules=tuple(_tier_rules(tiers, validation, findings)),
        default_tier=Tier(default) if default else None,
        waiting=frozenset(_waiting(tiers, validation, findings)),
        window=_window(tiers, validation, findings),
        validators={tier: tuple(_validators(tier, validation, file)) for tier in Tier},
    )


def _validators(tier: Tier, validation: ValidationSection, file: str) -> Iterator[Validator]:
    words = getattr(validation.tiers, tier).validators
    table = validation.validators
    if "technical" in words:
        command, seconds = table.technical.command or None, table.technical.timeout
        yield Validator(word="technical", file=file, command=command, seconds=seconds)
    if "safety" in words:
        yield Validator(
            word="safety",
            file=file,
            command=table.safety.command or None,
            seconds=table.safety.timeout,
            secrets=table.safety.secrets,
            scope=tuple(table.safety.scope),
        )
    if "intent" in words and not _by_person(validation):
        yield Validator(
            word="intent",
            file=file,
            command=table.intent.command or None,
            seconds=table.intent.timeout,
            phrase=table.intent.phrase or None,
        )


def _by_person(validation: ValidationSection) -> bool:
    """Whether only a person can tell that the work is what was meant."""
    intent = validation.validators.intent
    return not intent.command and not intent.phrase


def _entry(actor: str, lists: ActorPermissions, findings: Findings) -> OperationEntry | None:
    if not isinstance(lists.operations, list) and not lists.roles:
        return None
    path = ("permissions", "actors", actor)
    check_person(actor, path, findings, patterns=True)
    operations = None
    if isinstance(lists.operations, list):
        operations = _operations(lists.operations, (*path, "operations"), findings)
    return OperationEntry(actor=actor, operations=operations, author_types=lists.roles)


def _operations(names: list[str], path: Path, findings: Findings) -> frozenset[str]:
    for index, name in enumerate(names):
        if name != _ALL:
            _check_operation(name, (*path, index), findings)
    if _ALL in names:
        return frozenset(OPERATIONS)
    # Rejecting is reopening: permission for one covers both.
    both = {"reopen", "reject"} if {"reopen", "reject"} & set(names) else set()
    return frozenset({*names, *both})


def _check_operation(name: str, path: Path, findings: Findings) -> None:
    """Report an unknown operation, as a mistake or as one that only another system knows."""
    if name in OPERATIONS:
        return
    if findings.foreign and not near_miss(name, OPERATIONS):
        findings.notice(path, f"stored, but not used: only other systems know the operation `{name}`")
    else:
        findings.problem(path, f"unknown operation `{name}`; {hint(name, OPERATIONS)}")


def _tier_rules(tiers: TierSettings, validation: ValidationSection, findings: Findings) -> Iterator[TierRule]:
    for rule in tiers.rules:
        yield TierRule(match=MatchEntry(tags=rule.tags), tier=Tier(rule.tier))
    for index, entry in enumerate(validation.classification):
        path: Path = ("validation", "classification", index)
        if bool(entry.default) == bool(entry.match or entry.tier) or bool(entry.match) != bool(entry.tier):
            findings.problem(path, "a rule is `match` and `tier`, or `default` alone; write one of them")
        elif entry.match and entry.tier:
            yield TierRule(match=entry.match, tier=Tier(entry.tier))


def _waiting(tiers: TierSettings, validation: ValidationSection, findings: Findings) -> Iterator[Tier]:
    if tiers.tier_2 == "review":
        yield Tier.TIER_2
    for tier in Tier:
        entry: TierEntry = getattr(validation.tiers, tier)
        asks = "intent" in entry.validators and _by_person(validation)
        if entry.auto_close is False or entry.require_human is True or asks:
            yield tier
        elif tier is Tier.TIER_3 and entry.auto_close is True:
            path: Path = ("validation", "tiers", str(tier), "auto_close")
            findings.problem(path, "tier 3 is closed by a person; give these commitments another tier")


def _window(tiers: TierSettings, validation: ValidationSection, findings: Findings) -> float | None:
    written: tuple[tuple[str | UnsetType, Path], ...] = (
        (tiers.window, ("settings", "tiers", "window")),
        (validation.tiers.tier_2.review_window, ("validation", "tiers", "tier_2", "review_window")),
    )
    lengths = [findings.attempt(path, _length, text) for text, path in written if text]
    return next((seconds for seconds in lengths if seconds is not None), None)


def _length(text: str) -> float:
    seconds = duration(text)
    if not 0 < seconds <= _LONGEST:
        raise ValueError(f"`{text}` is not a window; write between 1s and 365d, such as `24h`")
    return seconds


COMMITMENTS: Final = SettingsPart(key="constraints", default=Constraints(), merge=_merge, section=True)
VALIDATION: Final = SettingsPart[ValidationSection, None](
    key="validation", default=ValidationSection(), merge=merge_nothing, section=True
)
TIERS: Final = SettingsPart[TierSettings, None](key="tiers", default=TierSettings(), merge=merge_nothing)
DEFAULT_ACTOR: Final = SettingsPart[str | UnsetType, None](
    key="default_actor",
    default=UNSET,
    merge=merge_nothing,
    shape=Annotated[Text, about("A person's name on commitments; default: their git email.")] | UnsetType,
)
