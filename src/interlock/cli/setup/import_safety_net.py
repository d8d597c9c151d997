"""The custom rules of cc-safety-net as rules of a policy."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Final

from interlock.errors import InterlockError
from interlock.events.tool import JsonObject
from interlock.policy.imported import ImportResult, NotCarriedError, SkippedPart, rule

_FOLDER: Final = ".cc-safety-net"
_INLINE: Final = ".safety-net.json"
_RULES: Final = Path("rules", "rule.json")
_BUILT_IN: Final = (
    "its built-in rules are not in this file; `settings: {packs: [baseline]}` has Interlock's own"
)


def find_files(*, user: bool, home: Path, project: Path) -> list[Path]:
    """Its files of a user or a project, the older kind first."""
    if user:
        folder = Path(os.environ.get("CC_SAFETY_NET_HOME") or home / _FOLDER)
        places = [folder / "config.json", folder / _RULES]
    else:
        places = [project / _INLINE, project / _FOLDER / _RULES]
    return [place for place in places if place.is_file()]


def import_file(file: Path) -> ImportResult:
    """A file with rules in it, or one that names rulebooks beside it."""
    document = _read(file)
    left = [SkippedPart(path=file.name, message=_BUILT_IN)]
    entries: list[JsonObject] = []
    overrides = document.get("overrides", {})
    for index, one in enumerate(document.get("rules", [])):
        if isinstance(one, str):
            _add_book(one, file.parent, overrides, entries, left)
        else:
            _add_rule(one, f"rules[{index}]", None, entries, left)
    return ImportResult(hooks={"pre_tool_use": entries} if entries else {}, left=tuple(left))


def _add_book(
    name: str, folder: Path, overrides: Any, entries: list[JsonObject], left: list[SkippedPart]
) -> None:
    book = folder / name / "rulebook.json"
    if "/" in name or not book.is_file():
        why = "it comes from GitHub" if "/" in name else f"`{book}` does not exist"
        left.append(SkippedPart(path=f"rules.{name}", message=f"this rulebook was not read: {why}"))
        return
    for index, one in enumerate(_read(book).get("rules", [])):
        key = f"{name}/{one.get('name') if isinstance(one, dict) else index}"
        changed = overrides.get(key) if isinstance(overrides, dict) else None
        if changed == "off":
            left.append(SkippedPart(path=key, message="an override turns this rule off"))
        else:
            reason = changed.get("reason") if isinstance(changed, dict) else None
            _add_rule(one, key, reason, entries, left)


def _add_rule(
    one: Any, place: str, reason: str | None, entries: list[JsonObject], left: list[SkippedPart]
) -> None:
    try:
        name, patterns = f"safety-net-{one['name']}", _patterns(one)
        entries.append(rule("deny", name, patterns, reason or one["reason"]))
    except NotCarriedError as error:
        left.append(SkippedPart(path=place, message=str(error)))
    except (KeyError, TypeError, AttributeError):
        left.append(SkippedPart(path=place, message="this is not a rule as cc-safety-net writes it"))


def _patterns(one: JsonObject) -> list[str]:
    """A pattern for each argument that blocks, since any of them does."""
    match = one.get("match")
    if match is None:
        path = [one["command"], *([one["subcommand"]] if one.get("subcommand") else [])]
        return [_pattern(path, argument) for argument in one["block_args"]]
    path = [one["command"], *match.get("command_path", [])]
    excluded = match.get("exclude_args") or []
    if any(not word.startswith("-") for word in excluded):
        raise NotCarriedError("a pattern can only exclude flags, and `exclude_args` has another word")
    without = "".join(f" !{flag}" for flag in excluded)
    return [_pattern(path, argument, without) for argument in match.get("any_args") or [""]]


def _pattern(path: list[str], argument: str, without: str = "") -> str:
    # A flag is found anywhere; another word has to be looked for on both sides.
    middle = f" {argument}" if argument.startswith("-") else f" * {argument}" if argument else ""
    return f"Bash({' '.join(path)}{middle}{without} *)"


def _read(file: Path) -> JsonObject:
    try:
        document = json.loads(file.read_text("utf-8-sig"))
    except (OSError, ValueError) as error:
        raise InterlockError(f"cannot read `{file}`: {error}; correct the file") from error
    if not isinstance(document, dict):
        raise InterlockError(f"`{file}` is not a JSON object; correct the file")
    return document
