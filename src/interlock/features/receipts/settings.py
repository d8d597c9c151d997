"""`settings.tool_policies`: tables that say what tools change; the built-in table comes after them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path, PurePath
from typing import Annotated, Final, Literal

import msgspec
from msgspec import UNSET, UnsetType

from interlock.effects.classification.classify import (
    Classifier,
    Replay,
    SideEffect,
    ToolRule,
    ToolRules,
    compile_expression,
)
from interlock.errors import ConfigError
from interlock.files.own_files import bundled_file
from interlock.policy.files.document import Document, Findings
from interlock.policy.files.read import FileKind, document_of
from interlock.policy.files.validate import build_record
from interlock.policy.format.entry import Text, about
from interlock.policy.settings_part import FileSettings, SettingsPart, trusted

_SHIPPED: Final = "tool_policies.yaml"
_REPLAY: Final = {"exact": Replay.EXACT, "idempotent": Replay.IDEMPOTENT, "relaunch": Replay.RELAUNCH}

_Names = Annotated[Text, about("An RE2 expression for a whole name, case-insensitive.")]


class ToolRuleEntry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What some tools change."""

    id: Annotated[Text, about("The rule's name in lists of calls.")]
    tools: _Names
    side_effect: SideEffect = msgspec.field(name="class")
    namespace: _Names = ".*"
    replay: (
        Annotated[
            Literal["exact", "idempotent", "relaunch"],
            about("What counts as a repeat; default: exact, or idempotent for calls that read."),
        ]
        | UnsetType
    ) = UNSET
    same_by: Annotated[
        list[Text], about("The fields that alone make two calls the same; default: all of them.")
    ] = []


class ToolPolicyFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    version: Annotated[Text, about('The format, in quotes: "1".')]
    rules: list[ToolRuleEntry] = []


class ToolPolicies(msgspec.Struct, frozen=True, kw_only=True):
    overlays: tuple[ToolRule, ...] = ()

    def classifier(self) -> Classifier:
        return Classifier(ToolRules((*self.overlays, *shipped_rules())))


def _merge(files: Iterable[FileSettings[list[str]]]) -> ToolPolicies:
    """Read the tables that policy files name; a project may name none, because they can loosen a policy."""
    overlays: list[ToolRule] = []
    for file in trusted(files, "list what tools change"):
        for index, name in enumerate(file.written):
            path = _find_table(name, index, file)
            if path is None or str(path) in file.further.digests:
                continue
            try:
                overlays += _rules(document_of(file.further.read(path), path, FileKind.GENESIS))
            except ConfigError as error:
                file.findings.problems.extend(error.problems)
    return ToolPolicies(overlays=tuple(overlays))


@cache
def shipped_rules() -> tuple[ToolRule, ...]:
    content = bundled_file(f"features/receipts/{_SHIPPED}").read_bytes()
    return tuple(_rules(document_of(content, Path(_SHIPPED), FileKind.GENESIS)))


def _find_table(name: str, index: int, file: FileSettings[list[str]]) -> Path | None:
    """The path of a table; it must be beside its policy, where an agent cannot change it."""
    table = PurePath(name)
    if table.is_absolute() or ".." in table.parts or name.startswith("~"):
        file.problem(f"`{name}` is outside the folder of this policy; put it beside the policy", index)
        return None
    return Path(file.findings.document.file).absolute().parent / table


def _rules(document: Document) -> list[ToolRule]:
    table = build_record(document, ToolPolicyFile)
    findings = Findings(document)
    for index, entry in enumerate(table.rules):
        for key in ("namespace", "tools"):
            findings.attempt(("rules", index, key), compile_expression, getattr(entry, key))
    if findings.problems:
        raise ConfigError(tuple(findings.problems))
    return [
        ToolRule(
            id=entry.id,
            tools=entry.tools,
            effect=entry.side_effect,
            namespace=entry.namespace,
            replay=_REPLAY[entry.replay] if entry.replay is not UNSET else None,
            same_by=tuple(entry.same_by),
        )
        for entry in table.rules
    ]


TOOL_POLICIES: Final = SettingsPart[list[str], ToolPolicies](
    key="tool_policies",
    default=[],
    shape=Annotated[list[Text], about("Tables beside this file that list what tools change.")],
    merge=_merge,
)
