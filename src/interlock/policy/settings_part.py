"""One key of a policy: what may be written there, and how the files of all layers are merged."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Generic, Protocol, TypeVar

from msgspec import UNSET, Struct

from interlock.events.hook import Layer
from interlock.policy.files.document import Findings
from interlock.policy.files.read import read_bytes

if TYPE_CHECKING:
    from interlock.policy.format.genesis_key import GenesisKey

Written = TypeVar("Written")
Value = TypeVar("Value")
Other = TypeVar("Other")

NOTHING_SET: Final[Mapping[str, Any]] = MappingProxyType({})


class HasSettings(Protocol):
    """A policy, or what was made of one."""

    @property
    def settings(self) -> Mapping[str, Any]:
        """The merged settings, by key."""


class FurtherFiles:
    """Files that a policy names and is made of, with the digest of each: empty where it could not be read."""

    def __init__(self) -> None:
        self.digests: dict[str, str] = {}

    def read(self, path: Path) -> bytes:
        """Read one; raise ConfigError when that fails."""
        self.digests[str(path)] = ""
        content = read_bytes(path)
        self.digests[str(path)] = hashlib.sha256(content).hexdigest()
        return content


@dataclass(frozen=True, kw_only=True)
class SettingsPart(Generic[Written, Value]):
    """A key of a policy; `merge` gets its value in every file, the earliest layer first."""

    key: str
    default: Written  # the value in a file that does not have the key
    merge: Callable[[Iterable[FileSettings[Written]]], Value]
    shape: Any = None  # the annotation of what may be written; None: the type of `default`
    section: bool = False  # a key of the file itself, in place of one below `settings`

    @property
    def path(self) -> tuple[str, ...]:
        """Its place in a file."""
        return (self.key,) if self.section else ("settings", self.key)

    def written_in(self, record: GenesisKey) -> Written:
        """The value in a file."""
        written: Written = getattr(record if self.section else record.settings, self.key)
        return written

    def get(self, policy: HasSettings) -> Value:
        """The merged value of all files of a policy."""
        value: Value = policy.settings[self.key] if self.key in policy.settings else self.merge(())
        return value


@dataclass(frozen=True, kw_only=True)
class FileSettings(Generic[Written]):
    """The value of a key in one file."""

    part: SettingsPart[Written, Any]
    layer: Layer
    record: GenesisKey
    findings: Findings
    tightening_only: bool = False  # it changed since it was trusted, so that only what forbids counts
    further: FurtherFiles = field(default_factory=FurtherFiles)

    @property
    def written(self) -> Written:
        """The value as it is written."""
        return self.part.written_in(self.record)

    def under(self, part: SettingsPart[Other, Any]) -> FileSettings[Other]:
        """The value of another key in the same file."""
        return replace(self, part=part)  # type: ignore[return-value, arg-type]  # `replace` knows one type alone

    def problem(self, message: str, *below: str | int) -> None:
        """Note a mistake; the file will not load."""
        self.findings.problem((*self.part.path, *below), message)


def trusted(
    files: Iterable[FileSettings[Written]], deed: str, *, ignored: bool = False
) -> Iterator[FileSettings[Written]]:
    """The files of layers that may say it and do; elsewhere it is a mistake, or is ignored with a notice."""
    for file in files:
        if file.written == file.part.default:
            continue
        if file.layer.trusted:
            yield file
            continue
        message = f"only the managed or user layer may {deed}; move it there"
        if ignored:
            file.findings.notice(file.part.path, f"ignored: {message}")
        else:
            file.problem(message)


def merge_nothing(_files: Iterable[FileSettings[Any]]) -> None:
    """For a key that another part reads."""


def first_words(records: Iterable[Struct]) -> dict[str, Any]:
    """The fields that are set in any of these records, each as the first of them has it."""
    found: dict[str, Any] = {}
    for record in records:
        for name in record.__struct_fields__:
            value = getattr(record, name)
            if value is not UNSET:
                found.setdefault(name, value)
    return found
