"""More rules in a policy that is there: put in as text, so that comments and order stay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import yaml

from interlock.errors import InterlockError
from interlock.events.source import Layer
from interlock.events.tool import JsonObject
from interlock.files.own_files import mode_of, write_whole
from interlock.policy.files.read import PolicyText
from interlock.policy.imported import ImportResult, policy_text
from interlock.policy.load import load_policy

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
