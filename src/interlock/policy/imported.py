"""The rules of another program as a policy: what was carried over, and what was not and why."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import yaml

from interlock.errors import ConditionError, InterlockError, PatternError
from interlock.events.tool import JsonObject
from interlock.patterns.matcher import parse_matcher


class NotCarriedError(InterlockError):
    """Why a rule stays behind."""


class SkippedPart(msgspec.Struct, frozen=True, kw_only=True):
    """A rule that stays behind, or a part of one that does not mean quite the same."""

    path: str
    message: str
    carried: bool = False  # the rule itself was carried over


class ImportResult(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one file."""

    hooks: dict[str, list[JsonObject]]  # by event, as a genesis key spells it
    left: tuple[SkippedPart, ...]

    @property
    def count(self) -> int:
        return sum(len(entries) for entries in self.hooks.values())

    @property
    def carried(self) -> list[str]:
        """One line for each rule that was carried over."""
        return [_line(event, entry) for event, entries in self.hooks.items() for entry in entries]


def merge(results: Sequence[ImportResult]) -> ImportResult:
    """What came of several files, in their order."""
    hooks: dict[str, list[JsonObject]] = {}
    for result in results:
        for event, entries in result.hooks.items():
            hooks.setdefault(event, []).extend(entries)
    return ImportResult(hooks=hooks, left=tuple(part for result in results for part in result.left))


def rule(kind: str, name: str, patterns: Sequence[str], reason: str) -> JsonObject:
    """An entry that denies or asks; raise NotCarriedError where a pattern cannot be said here."""
    for pattern in patterns:
        try:
            parse_matcher(pattern)
        except PatternError as error:
            raise NotCarriedError(f"it cannot be said here: {error}") from error
    matcher = patterns[0] if len(patterns) == 1 else list(patterns)
    return {"name": name, "type": kind, "matcher": matcher, "config": {"reason": reason}}


def check_condition(text: str) -> str:
    """The condition, if it can be used; raise NotCarriedError else."""
    from interlock.policy.conditions.condition import parse_condition

    try:
        parse_condition(text)
    except ConditionError as error:
        raise NotCarriedError(f"it cannot be said here: {error}") from error
    return text


def policy_text(imported: ImportResult, source: str) -> str:
    """The policy file, with what was left behind in its comments."""
    comments = [f"# Imported from {source}."]
    comments += [f"# {'changed' if one.carried else 'left out'}: {_one_line(one)}" for one in imported.left]
    document: JsonObject = {"version": "2.0"}
    if imported.hooks:
        document["hooks"] = imported.hooks
    body = yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=100, default_style=None)
    return "\n".join(comments) + "\n" + body


def _one_line(left: SkippedPart) -> str:
    # A line break in a path or a message would end the comment and become policy.
    return " ".join(f"{left.path}: {left.message}".split())


def _line(event: str, entry: JsonObject) -> str:
    matcher = entry.get("matcher", "")
    patterns = [matcher] if isinstance(matcher, str) else matcher
    config = entry["config"]
    deed = config.get("command") or config.get("url") or ""
    what = ", ".join(patterns) or deed
    condition = f" if {entry['if']}" if "if" in entry else ""
    return " ".join(f"{entry['type']} {entry.get('name', event)}: {what}{condition}".split())
