"""`settings.tool_policies`: tables that say what tools change, read before the one that is shipped."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path, PurePath
from typing import Annotated, ClassVar, Final, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from interlock.effects.classification.classes import Replay, SideEffect
from interlock.effects.classification.classify import Classifier
from interlock.effects.classification.rules import ToolRule, ToolRules, compiled
from interlock.errors import ConfigError, Problem
from interlock.events.source import Layer
from interlock.files.bundled import shipped
from interlock.policy.files.node import Document
from interlock.policy.files.problems import Findings
from interlock.policy.files.read import FileKind, document_of, read_bytes
from interlock.policy.files.validate import shaped
from interlock.policy.format.entry import Text

_PATH: Final = ("settings", "tool_policies")
_SHIPPED: Final = "tool_policies.yaml"
_REPLAY: Final = {"exact": Replay.EXACT, "idempotent": Replay.IDEMPOTENT, "relaunch": Replay.RELAUNCH}

_Names = Annotated[Text, Meta(description="An RE2 expression for a whole name, in any case.")]


class ToolRuleEntry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What some tools change."""

    id: Annotated[Text, Meta(description="What the rule is called where calls are listed.")]
    tools: _Names
    side_effect: SideEffect = msgspec.field(name="class")
    namespace: _Names = ".*"
    replay: (
        Annotated[
            Literal["exact", "idempotent", "relaunch"],
            Meta(description="What a repeat is; by default exact, and idempotent for what only reads."),
        ]
        | UnsetType
    ) = UNSET
    same_by: Annotated[
        list[Text],
        Meta(description="The fields that alone make two calls the same; all of them unless said."),
    ] = []


class ToolPolicyFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table of rules, in order."""

    version: Annotated[Text, Meta(description='The format, in quotes: "1".')]
    rules: list[ToolRuleEntry] = []

    noun: ClassVar = "key"


class ToolPolicies(msgspec.Struct, frozen=True, kw_only=True):
    """All tables of a policy, and the files they were read from."""

    overlays: tuple[ToolRule, ...] = ()
    watched: tuple[str, ...] = ()
    digests: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()

    def classifier(self) -> Classifier:
        """Says what calls change; the shipped table is read with the first policy that needs it."""
        return Classifier(ToolRules((*self.overlays, *shipped_rules())))


def tool_policies_of(sources: Iterable[tuple[Layer, list[str], Findings]]) -> ToolPolicies:
    """The tables that policy files name, an earlier layer's first; a project has none, or it could loosen."""
    overlays: list[ToolRule] = []
    problems: list[Problem] = []
    watched: dict[str, str] = {}
    for layer, names, findings in sources:
        if names and not layer.trusted:
            message = "only the managed or user layer may say what tools change; move it there"
            findings.problem(_PATH, message)
            continue
        for index, name in enumerate(names):
            path = _place(name, index, findings)
            if path is None or str(path) in watched:
                continue
            watched[str(path)] = ""
            try:
                content = read_bytes(path)
                watched[str(path)] = hashlib.sha256(content).hexdigest()
                overlays += _rules(document_of(content, path, FileKind.GENESIS))
            except ConfigError as error:
                problems += error.problems
    return ToolPolicies(
        overlays=tuple(overlays),
        watched=tuple(watched),
        digests=tuple(watched.values()),
        problems=tuple(problems),
    )


@cache
def shipped_rules() -> tuple[ToolRule, ...]:
    """The table that comes with Interlock."""
    content = shipped(f"features/receipts/{_SHIPPED}").read_bytes()
    return tuple(_rules(document_of(content, Path(_SHIPPED), FileKind.GENESIS)))


def _place(name: str, index: int, findings: Findings) -> Path | None:
    """Beside the policy that names it: there an agent cannot change it."""
    named = PurePath(name)
    if named.is_absolute() or ".." in named.parts or name.startswith("~"):
        message = f"`{name}` lies outside the folder of this policy; put it beside the policy"
        findings.problem((*_PATH, index), message)
        return None
    return Path(findings.document.file).absolute().parent / named


def _rules(document: Document) -> list[ToolRule]:
    table = shaped(document, ToolPolicyFile)
    findings = Findings(document)
    for index, entry in enumerate(table.rules):
        for key in ("namespace", "tools"):
            findings.attempt(("rules", index, key), compiled, getattr(entry, key))
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
