"""`settings.projects`: what a person has said yes to in one folder, once and for all."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path as FilePath
from typing import Final

import msgspec

from interlock.events.hook import Pattern
from interlock.events.source import Layer
from interlock.features.approvals.project_settings import ProjectSettings
from interlock.patterns.pattern import parse_pattern
from interlock.policy.actor_names import check_actor
from interlock.policy.files.node import Path
from interlock.policy.files.problems import Findings

_PATH: Final[Path] = ("settings", "projects")


class StandingGrant(msgspec.Struct, frozen=True, kw_only=True):
    """One line of it."""

    folder: str  # the real path
    actor: str
    pattern: Pattern
    source: str  # file and line


def standing_grants(
    files: Iterable[tuple[Layer, dict[str, ProjectSettings], Findings]],
) -> tuple[StandingGrant, ...]:
    """Check the grants of all files; those in a project's own file are a problem: it may not loosen."""
    found: list[StandingGrant] = []
    for layer, projects, findings in files:
        if projects and not layer.trusted:
            findings.problem(_PATH, "only the managed or user layer may set `projects`; move it there")
            continue
        for folder, settings in projects.items():
            found += _of_folder(folder, settings, findings)
    return tuple(found)


def _of_folder(folder: str, settings: ProjectSettings, findings: Findings) -> list[StandingGrant]:
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
