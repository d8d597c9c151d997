"""`settings.projects`: what a person has said yes to in one folder, once and for all."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path as FilePath
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from interlock.events.hook import Pattern
from interlock.patterns.pattern import parse_pattern
from interlock.policy.actor_names import check_actor
from interlock.policy.files.node import Path
from interlock.policy.files.problems import Findings
from interlock.policy.format.entry import Text
from interlock.policy.settings_part import FileSettings, SettingsPart, trusted

_PATH: Final[Path] = ("settings", "projects")


class ProjectSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What holds in one folder."""

    grants: Annotated[
        dict[str, list[Text]],
        Meta(description="By actor, calls that nobody needs to be asked about; `*` is one plain argument."),
    ] = {}


class StandingGrant(msgspec.Struct, frozen=True, kw_only=True):
    """One line of it."""

    folder: str  # the real path
    actor: str
    pattern: Pattern
    source: str  # file and line


def _merge(files: Iterable[FileSettings[dict[str, ProjectSettings]]]) -> tuple[StandingGrant, ...]:
    """The grants of all files; a project's own file has none: it may not loosen."""
    return tuple(
        grant
        for file in trusted(files, "set `projects`")
        for folder, settings in file.written.items()
        for grant in _grants(folder, settings, file.findings)
    )


def _grants(folder: str, settings: ProjectSettings, findings: Findings) -> list[StandingGrant]:
    path = (*_PATH, folder)
    if not folder.startswith(("/", "~/")):
        findings.problem(path, f"`{folder}` is no folder; write its whole path, as in `/home/me/app`")
        return []
    real = os.path.realpath(FilePath(folder).expanduser())
    found = []
    for actor, texts in settings.grants.items():
        place = (*path, "grants", actor)
        check_actor(actor, place, findings)
        for index, text in enumerate(texts):
            pattern = findings.attempt((*place, index), _narrow, text)
            if pattern is not None:
                line = findings.document.at((*place, index)).line
                source = f"{findings.document.file}:{line}"
                found.append(StandingGrant(folder=real, actor=actor, pattern=pattern, source=source))
    return found


def _narrow(text: str) -> Pattern:
    """A grant is for calls a person has seen: no whole tool, no effect, no other field."""
    pattern = parse_pattern(text)
    if pattern.effect or pattern.field is not None or not (pattern.glob or "").strip("*? "):
        raise ValueError(
            f"`{text}` covers more than some calls of one tool; write one, as in `Bash(make test)`"
        )
    return pattern


STANDING_GRANTS: Final = SettingsPart[dict[str, ProjectSettings], tuple[StandingGrant, ...]](
    key="projects",
    default={},
    shape=Annotated[
        dict[str, ProjectSettings], Meta(description="By folder, what nobody needs to be asked about there.")
    ],
    merge=_merge,
)
