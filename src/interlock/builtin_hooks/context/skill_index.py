"""The skills that lie in folders: name, description and place of each; its text is read when it is wanted."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

import msgspec

from interlock.builtin_hooks.project_files import Parsed

FILE: Final = "SKILL.md"
_HEAD: Final = re.compile(r"\A\ufeff?---[ \t]*\r?\n(.*?)^---[ \t]*\r?$", re.DOTALL | re.MULTILINE)
_HEAD_BYTES: Final = 16 * 1024
_MOST: Final = 300  # skills of one folder

# Words of descriptions that say nothing of what a skill is for.
_EMPTY: Final = """
about above after also always another automatically based been before being below between both code
common create created creates creating does doing each every file files find from given have help helps
here include includes including into just know like made make makes many more most must need needed needs
never only other over provide provides should skill skills some such support supports task tasks than
that their them then there these they this those through tool tools until used user users uses using
various want well what when where which while will with within without work working would write writes
your"""
STOP_WORDS: Final = frozenset(_EMPTY.split())


class SkillHead(msgspec.Struct, frozen=True, kw_only=True):
    """What a skill says of itself."""

    name: str
    description: str
    path: str


class SkillHeads:
    """Finds skills; a file is read again only when it changed."""

    def __init__(self, places: Sequence[str], home: str) -> None:
        self._places: Final = tuple(places)
        self._home: Final = home
        self._parsed: Final = Parsed(_head)

    def of(self, project: str) -> list[SkillHead]:
        """Every skill for a project, the first of a name; a malformed file is passed over."""
        found: dict[str, SkillHead] = {}
        for place in self._places:
            for folder in _below(self._folder(place, project)):
                path = f"{folder}/{FILE}"
                if not place.startswith(("~", "/")) and not is_inside(path, project):
                    continue  # a link in a repository must not lead to a file of the person
                head = self._parsed.of(path)
                if head is not None:
                    name = head[0] or os.path.basename(folder)
                    found.setdefault(name, SkillHead(name=name, description=head[1], path=path))
        return list(found.values())

    def _folder(self, place: str, project: str) -> str:
        if place.startswith("~/"):
            return f"{self._home}/{place[2:]}" if self._home else ""
        return os.path.join(project, place)


def is_inside(path: str, project: str) -> bool:
    """Whether a path leads into the project, wherever its links go."""
    root = os.path.realpath(project)
    return os.path.realpath(path).startswith(root.rstrip("/") + "/")


def _below(folder: str) -> Iterable[str]:
    if not folder.startswith("/"):
        return ()
    try:
        with os.scandir(folder) as entries:
            return sorted(entry.path for _, entry in zip(range(_MOST), entries, strict=False))
    except OSError:
        return ()


def _head(content: bytes) -> tuple[str, str] | None:
    """Name and description; None for a file that says neither as it should."""
    match = _HEAD.match(content[:_HEAD_BYTES].decode("utf-8", "replace"))
    fields = _yaml(match[1]) if match else None
    if not isinstance(fields, dict):
        return None
    name, description = fields.get("name", ""), fields.get("description", "")
    if not isinstance(name, str) or not isinstance(description, str) or not (name or description):
        return None
    return " ".join(name.split()), " ".join(description.split())


def _yaml(text: str) -> Any:
    import yaml  # noqa: PLC0415 - 10 ms, and there may be no skills

    try:
        return yaml.load(text, Loader=yaml.CSafeLoader)
    except (yaml.YAMLError, ValueError, RecursionError):
        return None
