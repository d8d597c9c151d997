"""`settings.checkpoints` and `settings.retention`: what is signed by itself, and how much is kept."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import Annotated, ClassVar, Final, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from interlock.events.source import Layer
from interlock.policy.files.duration import duration
from interlock.policy.files.problems import Findings
from interlock.policy.format.entry import Text

_CHECKPOINTS: Final = ("settings", "checkpoints")
_EVERY: Final = 1_000


class CheckpointSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where checkpoints are put, and how often."""

    folder: (
        Annotated[Text, Meta(description="A folder on another disk or machine; absolute, or below `~/`.")]
        | UnsetType
    ) = UNSET
    every_entries: (
        Annotated[int, Meta(gt=0, description="A checkpoint after this many entries; 1000 by default.")]
        | UnsetType
    ) = UNSET

    noun: ClassVar = "setting"


class Checkpoints(msgspec.Struct, frozen=True, kw_only=True):
    """What is done by itself."""

    folder: str
    every: int


def checkpoints_of(files: Iterable[tuple[Layer, CheckpointSettings, Findings]]) -> Checkpoints | None:
    """The first layer that says something stands; a project has no say about a person's disks."""
    chosen: Checkpoints | None = None
    for layer, settings, findings in files:
        if settings == CheckpointSettings():
            continue
        if not layer.trusted:
            message = "only the managed or user layer may say where checkpoints are put; move it there"
            findings.problem(_CHECKPOINTS, message)
        elif (folder := _folder(settings, findings)) is not None and chosen is None:
            every = settings.every_entries
            chosen = Checkpoints(folder=folder, every=_EVERY if every is UNSET else every)
    return chosen


def _folder(settings: CheckpointSettings, findings: Findings) -> str | None:
    if settings.folder is UNSET:
        findings.problem(_CHECKPOINTS, "the key `folder` is missing; name a folder that is not on this disk")
        return None
    folder = os.path.expanduser(settings.folder)  # noqa: PTH111 - a text until it is used
    if not os.path.isabs(folder):  # noqa: PTH117 - the same
        message = f"`{settings.folder}` depends on where one stands; write it from `/` or `~/` on"
        findings.problem((*_CHECKPOINTS, "folder"), message)
        return None
    return folder


_DAY: Final = 86_400.0
_SIZE: Final = re.compile(r"(\d{1,12})\s?([KMGT]?)i?B?", re.IGNORECASE)
_POWERS: Final = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4}
_LEAST_SIZE: Final = 1 << 20
_RETENTION: Final = ("settings", "retention")


class RetentionSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """When old entries of the ledger are removed, whichever comes first."""

    days: (
        Annotated[int, Meta(gt=0, description="Older entries go: 30, or a length of time like `12h`.")]
        | Text
        | Literal["off"]
        | UnsetType
    ) = UNSET
    size: (
        Annotated[Text, Meta(description="The oldest go when the ledger grows beyond this: `1GB`.")]
        | Literal["off"]
        | UnsetType
    ) = UNSET

    noun: ClassVar = "setting"


class Retention(msgspec.Struct, frozen=True, kw_only=True):
    """The rule in force; None: no limit of that kind."""

    seconds: float | None = 30 * _DAY
    size: int | None = 1 << 30


def age(text: str | int) -> float | None:
    """The seconds an age stands for; a bare number is days, `off` is no limit."""
    words = str(text).strip()
    if words == "off":
        return None
    if words.isdecimal():
        words += "d"
    seconds = duration(words)
    if not seconds:
        raise ValueError("`0` would keep nothing; write a longer time, or `off` to keep everything")
    return seconds


def size(text: str) -> int | None:
    """The bytes a size stands for, in powers of 1024; `off` is no limit."""
    words = text.strip()
    if words == "off":
        return None
    found = _SIZE.fullmatch(words)
    if found is None:
        raise ValueError(f"`{text}` is no size; write `500MB`, `1GB` or `off`")
    count = int(found[1]) << 10 * _POWERS[found[2].upper()]
    if count < _LEAST_SIZE:
        raise ValueError(f"`{text}` is less than 1MB, which an hour of work fills; write a larger size")
    return count


def retention_of(files: Iterable[tuple[Layer, RetentionSettings, Findings]]) -> Retention:
    """The rule all files together give: an earlier layer's word stands, a project has none."""
    chosen: dict[str, float | int | None] = {}
    for layer, settings, findings in files:
        if settings == RetentionSettings():
            continue
        if not layer.trusted:
            message = "only the managed or user layer may say how long evidence is kept; move it there"
            findings.problem(_RETENTION, message)
            continue
        if settings.days is not UNSET and "seconds" not in chosen:
            chosen["seconds"] = findings.attempt((*_RETENTION, "days"), age, settings.days)
        if settings.size is not UNSET and "size" not in chosen:
            chosen["size"] = findings.attempt((*_RETENTION, "size"), size, settings.size)
    return msgspec.convert(chosen, Retention)
