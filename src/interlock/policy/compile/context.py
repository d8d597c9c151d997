"""What the compilation of one file needs at hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from interlock.events.hook import Condition
from interlock.events.source import Layer, Source
from interlock.permissions.table import PermissionTable
from interlock.policy.files.node import Path
from interlock.policy.files.problems import Findings
from interlock.policy.hook_services import NO_SERVICES, HookServices
from interlock.policy.settings_part import NOTHING_SET


class CompileContext(msgspec.Struct, frozen=True, kw_only=True):
    """One file being compiled: its layer, what is found in it, and what the other files permit."""

    findings: Findings
    layer: Layer
    environ: Mapping[str, str]  # what hook processes may inherit from
    own: PermissionTable  # what this file permits
    others: tuple[PermissionTable, ...]  # what the other files permit
    folder: str | None = None  # where its commands run; None: where the event happened
    prefix: str = ""  # before the names of its hooks
    services: HookServices = NO_SERVICES  # what its hooks may ask while they run
    settings: Mapping[str, Any] = NOTHING_SET  # what all files set, by its key
    examples: bool = True  # False: what its rules are examples of was checked before it was shipped

    def condition(self, text: str, path: Path) -> Condition | None:
        """Compile a condition; None when a problem was noted."""
        from interlock.policy.conditions.condition import parse_condition  # noqa: PLC0415 - heavy, and few hooks have one

        return self.findings.attempt(path, parse_condition, text)

    def source(self, path: Path) -> Source:
        """Where an entry stands."""
        document = self.findings.document
        return Source(layer=self.layer, file=document.file, line=document.at(path).line)

    def written(self, path: Path) -> frozenset[str]:
        """The keys a person wrote at a path."""
        value = self.findings.document.at(path).value
        return frozenset(value) if isinstance(value, dict) else frozenset()
