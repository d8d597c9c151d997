"""Policy files as they are written: records with their lines, beside the hooks made of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import msgspec

from interlock.events.hook import Hook, Pattern
from interlock.events.source import Layer
from interlock.patterns.matcher import parse_pattern
from interlock.policy.files.document import Document, Findings
from interlock.policy.files.document import Path as NodePath
from interlock.policy.files.read import FileKind, PolicyText, document_of, kind_of, read_bytes
from interlock.policy.format.genesis_key import GenesisKey
from interlock.policy.packs import chosen_packs
from interlock.policy.permissions import genesis_record
from interlock.policy.policy import Policy


class Weight(StrEnum):
    """Whether a finding alone makes the lint fail."""

    ERROR = "error"  # a rule does not do what it says
    WARNING = "warning"  # it does, and a person should look at it


class Code(StrEnum):
    """The kinds of findings."""

    DEAD = "dead"  # can never match
    UNKNOWN_TOOL = "unknown-tool"  # names a tool of no host we know
    SHADOWED = "shadowed"  # an earlier rule always decides before it
    CONTRADICTORY = "contradictory"  # allowed and denied by the same file
    BROAD = "too-broad"  # allows, or stops, more than anyone means
    SPELLING = "one-spelling"  # a deny that only holds for the text as it is spelt
    SUGGESTION = "bad-suggestion"  # advises what the policy itself stops
    FAILS_OPEN = "fails-open"  # a judge whose failure allows the call
    DUPLICATE = "duplicate-name"  # traces cannot tell it from another
    LONE_APPROVER = "lone-approver"  # who could answer may not, since it is about their own work
    UNMATCHED = "never-matched"  # the ledger has no call it was asked about


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """Where, which rule, one sentence, and what to do."""

    weight: Weight
    code: Code
    file: str
    line: int
    rule: str
    message: str
    cure: str

    @property
    def place(self) -> str:
        """The file and line, as editors understand it."""
        return f"{self.file}:{self.line}" if self.line else self.file


@dataclass(frozen=True, kw_only=True)
class ListedPattern:
    """One line of an actor's allow or deny list."""

    actor: str
    side: str  # allow or deny
    pattern: Pattern
    file: str
    line: int

    @property
    def rule(self) -> str:
        """How people point at it."""
        return f"{self.actor} {self.side}"

    def finding(self, weight: Weight, code: Code, message: str, cure: str) -> Finding:
        """A finding at this line."""
        return Finding(
            weight=weight,
            code=code,
            file=self.file,
            line=self.line,
            rule=self.rule,
            message=message,
            cure=cure,
        )


@dataclass(frozen=True, kw_only=True)
class PolicyFile:
    """One genesis key with its places."""

    layer: Layer
    document: Document
    record: GenesisKey
    prefix: str = ""  # before the names of its hooks, when it is a pack

    @property
    def lists(self) -> list[ListedPattern]:
        """Every pattern of every actor, in the order of the file, deny before allow."""
        return [one for actor in self.record.permissions.actors for one in self._of(actor)]

    def _of(self, actor: str) -> Iterator[ListedPattern]:
        entry = self.record.permissions.actors[actor]
        sides: tuple[tuple[str, Iterable[str]], ...] = (
            ("deny", entry.deny),
            ("allow", entry.allow if isinstance(entry.allow, list) else ()),
        )
        for side, texts in sides:
            for index, text in enumerate(texts):
                yield ListedPattern(
                    actor=actor,
                    side=side,
                    pattern=parse_pattern(text),
                    file=self.document.file,
                    line=self.line(("permissions", "actors", actor, side, index)),
                )

    def line(self, path: NodePath) -> int:
        """The line something stands on."""
        return self.document.at(path).line


@dataclass(frozen=True, kw_only=True)
class LintedPolicy:
    """A loaded policy, and its files as they are written."""

    policy: Policy
    files: tuple[PolicyFile, ...]


def read_policy_files(policy: Policy, files: Sequence[tuple[Layer, Path | PolicyText]]) -> LintedPolicy:
    """Read the files of a policy that has been loaded once more, with their lines."""
    found = [(layer, file, file if isinstance(file, Path) else file.shown) for layer, file in files]
    keys = [_read(*one) for one in found if kind_of(one[2]) is FileKind.GENESIS]
    return LintedPolicy(policy=policy, files=(*keys, *_packs(keys)))


def _packs(files: Iterable[PolicyFile]) -> Iterator[PolicyFile]:
    """The packs that files name, each once."""
    seen: set[str] = set()
    for file in files:
        for choice in chosen_packs(file.record, file.layer, Findings(file.document)):
            if choice.pack.name not in seen:
                seen.add(choice.pack.name)
                yield PolicyFile(
                    layer=file.layer,
                    document=choice.pack.document,
                    record=choice.record,
                    prefix=f"{choice.pack.name}/",
                )


def _read(layer: Layer, file: Path | PolicyText, shown: Path) -> PolicyFile:
    content = read_bytes(file) if isinstance(file, Path) else file.content
    document = document_of(content, shown, FileKind.GENESIS)
    return PolicyFile(layer=layer, document=document, record=genesis_record(Findings(document)))


def about_hook(hook: Hook, weight: Weight, code: Code, message: str, cure: str) -> Finding:
    """A finding about a hook, where it is written."""
    return Finding(
        weight=weight,
        code=code,
        file=hook.source.file,
        line=hook.source.line,
        rule=hook.name,
        message=message,
        cure=cure,
    )
