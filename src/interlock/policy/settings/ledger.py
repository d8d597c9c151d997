"""`settings.checkpoints`, `settings.retention` and `settings.redact`: the ledger's own settings."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import Annotated, ClassVar, Final, Literal

import msgspec
from msgspec import UNSET, UnsetType

from interlock.policy.files.words import duration
from interlock.policy.format.entry import Text, about
from interlock.policy.settings_part import FileSettings, SettingsPart, trusted
from interlock.redaction.redactor import Own, check_name, compile_pattern

_EVERY: Final = 1_000


class CheckpointSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where checkpoints are put, and how often."""

    folder: (
        Annotated[Text, about("A folder on another disk or machine; absolute, or under `~/`.")] | UnsetType
    ) = UNSET
    every_entries: (
        Annotated[int, about("A checkpoint after this many entries; default: 1000.", gt=0)] | UnsetType
    ) = UNSET

    noun: ClassVar = "setting"


class Checkpoints(msgspec.Struct, frozen=True, kw_only=True):
    """What is done by itself."""

    folder: str
    every: int


def _merge_checkpoints(files: Iterable[FileSettings[CheckpointSettings]]) -> Checkpoints | None:
    """The first layer that sets it counts; a project cannot choose a person's disks."""
    chosen: Checkpoints | None = None
    for file in trusted(files, "say where to put checkpoints"):
        folder = _folder(file)
        if folder is not None and chosen is None:
            every = file.written.every_entries
            chosen = Checkpoints(folder=folder, every=_EVERY if every is UNSET else every)
    return chosen


def _folder(file: FileSettings[CheckpointSettings]) -> str | None:
    written = file.written.folder
    if written is UNSET:
        file.problem("the key `folder` is missing; name a folder that is not on this disk")
        return None
    folder = os.path.expanduser(written)
    if not os.path.isabs(folder):
        file.problem(f"`{written}` depends on the current folder; start it with `/` or `~/`", "folder")
        return None
    return folder


CHECKPOINTS: Final = SettingsPart(key="checkpoints", default=CheckpointSettings(), merge=_merge_checkpoints)
_DAY: Final = 86_400.0
_SIZE: Final = re.compile(r"(\d{1,12})\s?([KMGT]?)i?B?", re.IGNORECASE)
_POWERS: Final = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4}
_LEAST_SIZE: Final = 1 << 20


class RetentionSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """When old entries of the ledger are removed."""

    days: (
        Annotated[int, about("Remove entries older than this: 30, or a length of time like `12h`.", gt=0)]
        | Text
        | Literal["off"]
        | UnsetType
    ) = UNSET
    size: (
        Annotated[Text, about("Remove the oldest entries when the ledger is larger than this: `1GB`.")]
        | Literal["off"]
        | UnsetType
    ) = UNSET

    noun: ClassVar = "setting"


class Retention(msgspec.Struct, frozen=True, kw_only=True):
    """The rule in force; None: no limit of that kind."""

    seconds: float | None = 30 * _DAY
    size: int | None = 1 << 30


def age(text: str | int) -> float | None:
    """The seconds an age stands for; a bare number is days, `off` is not a limit."""
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
    """The bytes a size stands for, in powers of 1024; `off` is not a limit."""
    words = text.strip()
    if words == "off":
        return None
    found = _SIZE.fullmatch(words)
    if found is None:
        raise ValueError(f"`{text}` is not a size; write `500MB`, `1GB` or `off`")
    count = int(found[1]) << 10 * _POWERS[found[2].upper()]
    if count < _LEAST_SIZE:
        raise ValueError(f"`{text}` is less than 1MB, which an hour of work fills; write a larger size")
    return count


def _merge_retention(files: Iterable[FileSettings[RetentionSettings]]) -> Retention:
    """The merged rule; an earlier layer counts first."""
    chosen: dict[str, float | int | None] = {}
    for file in trusted(files, "say how long to keep evidence"):
        path, said = file.part.path, file.written
        if said.days is not UNSET and "seconds" not in chosen:
            chosen["seconds"] = file.findings.attempt((*path, "days"), age, said.days)
        if said.size is not UNSET and "size" not in chosen:
            chosen["size"] = file.findings.attempt((*path, "size"), size, said.size)
    return msgspec.convert(chosen, Retention)


RETENTION: Final = SettingsPart(key="retention", default=RetentionSettings(), merge=_merge_retention)


class RedactSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What to remove from records, beside well-known secrets."""

    patterns: Annotated[
        list[Text], about("RE2 regular expressions; with a group, only the group is removed.")
    ] = []
    names: Annotated[list[Text], about("Names of variables and members whose values are secret.")] = []

    noun: ClassVar = "setting"


def _merge(files: Iterable[FileSettings[RedactSettings]]) -> Own:
    """The patterns and names of all files together; a project has none, or it could hide what was done."""
    patterns: dict[str, None] = {}
    names: dict[str, None] = {}
    for file in trusted(files, "say what to remove from evidence"):
        path, attempt = file.part.path, file.findings.attempt
        for index, pattern in enumerate(file.written.patterns):
            if attempt((*path, "patterns", index), compile_pattern, pattern) is not None:
                patterns[pattern] = None
        for index, name in enumerate(file.written.names):
            if attempt((*path, "names", index), check_name, name) is not None:
                names[name] = None
    return Own(patterns=tuple(patterns), names=tuple(names))


REDACTION: Final = SettingsPart(key="redact", default=RedactSettings(), merge=_merge)
