"""The rules of another program as a policy: what was carried over, and what was not and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
import yaml

from interlock.errors import ConditionError, InterlockError, PatternError
from interlock.events.hook import Layer
from interlock.events.tool import JsonObject
from interlock.files.own_files import mode_of, write_whole
from interlock.patterns.matcher import parse_matcher
from interlock.policy.files.read import PolicyText
from interlock.policy.load import load_policy


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
    """An entry that denies or asks; raise NotCarriedError for a pattern that Interlock cannot express."""
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
    comments += [
        f"# {'changed' if part.carried else 'left out'}: {_one_line(part)}" for part in imported.left
    ]
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


_PRIVATE: Final = 0o600
_STEP: Final = 2


def add_rules(file: Path, imported: ImportResult, source: str, layer: Layer) -> None:
    """Write the rules into a policy file; it is as it was where they do not fit."""
    if file.exists():
        old = file.read_text("utf-8")
        mark = f"# Imported from {source}."
        if mark in old:
            raise InterlockError(f"`{file}` has rules from {source} already; delete them there first")
        text = with_rules(old, imported.hooks, mark, file)
    else:
        text = policy_text(imported, source)
    load_policy([(layer, PolicyText(shown=file, content=text.encode()))], environ={})
    write_whole(file, text.encode(), mode=mode_of(file, _PRIVATE), follow=True)


def with_rules(text: str, hooks: Mapping[str, Sequence[JsonObject]], mark: str, file: Path) -> str:
    """The text of a policy with more rules at the front of each event's list."""
    root = yaml.compose(text)
    found = _child(root, "hooks")
    if found is None:
        body = yaml.safe_dump({"hooks": dict(hooks)}, sort_keys=False, allow_unicode=True, width=100)
        return f"{text.rstrip()}\n\n{mark}\n{body}"
    lines = text.splitlines()
    added: dict[int, list[str]] = {}
    for event, entries in hooks.items():
        key, events = found
        _check_block(events, key, file)
        known = _child(events, event)
        if known is None:
            column = events.start_mark.column if isinstance(events, yaml.MappingNode) else _STEP
            block = [f"{' ' * column}{event}:", *_entries(entries, mark, column + _STEP)]
            added.setdefault(key.end_mark.line, []).extend(block)
        else:
            key, rules = known
            _check_block(rules, key, file)
            is_list = isinstance(rules, yaml.SequenceNode)
            column = rules.start_mark.column if is_list else key.start_mark.column + _STEP
            added.setdefault(key.end_mark.line, []).extend(_entries(entries, mark, column))
    for line, block in sorted(added.items(), reverse=True):
        lines[line + 1 : line + 1] = block
    return "\n".join(lines) + "\n"


def _entries(entries: Sequence[JsonObject], mark: str, column: int) -> list[str]:
    body = yaml.safe_dump(list(entries), sort_keys=False, allow_unicode=True, width=100)
    return [f"{' ' * column}{line}".rstrip() for line in [mark, *body.splitlines()]]


def _child(node: Any, name: str) -> tuple[Any, Any] | None:
    """A key of a mapping and its value."""
    pairs = node.value if isinstance(node, yaml.MappingNode) else []
    return next(((key, value) for key, value in pairs if key.value == name), None)


def _check_block(node: Any, key: Any, file: Path) -> None:
    """A list in brackets, or an alias, cannot take lines."""
    is_empty = isinstance(node, yaml.ScalarNode) and not node.value
    is_block = isinstance(node, yaml.CollectionNode) and not node.flow_style
    if not is_empty and not (is_block and node.start_mark.line > key.start_mark.line):
        raise InterlockError(
            f"{file}:{key.start_mark.line + 1}: rules cannot be added to `{key.value}` on one line; "
            "write it as a list with `-`, or use --out and copy them by hand"
        )
