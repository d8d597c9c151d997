"""`settings.projects`: the calls a person has allowed in one folder for good, read narrowly."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path as FilePath
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.hook import Pattern
from interlock.events.tool import ToolTable
from interlock.events.verdict import Vote
from interlock.features.approvals.settings import APPROVAL
from interlock.patterns.covered_call import covered
from interlock.patterns.matcher import parse_pattern
from interlock.policy.files.document import Findings, Path
from interlock.policy.format.entry import Text
from interlock.policy.settings.people import check_actor
from interlock.policy.settings_part import FileSettings, HasSettings, SettingsPart, trusted

_PATH: Final[Path] = ("settings", "projects")


class ProjectSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What holds in one folder."""

    grants: Annotated[
        dict[str, list[Text]],
        Meta(description="By actor, the calls that need no approval. `*` stands for one plain argument."),
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
        findings.problem(path, f"`{folder}` is not an absolute path; write it like `/home/me/app`")
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
            f"`{text}` covers too much; write a pattern for some calls of one tool, such as `Bash(make test)`"
        )
    return pattern


STANDING_GRANTS: Final = SettingsPart[dict[str, ProjectSettings], tuple[StandingGrant, ...]](
    key="projects",
    default={},
    shape=Annotated[
        dict[str, ProjectSettings], Meta(description="By folder, the calls that need no approval there.")
    ],
    merge=_merge,
)


POLICY: Final = "policy"  # what settled the ask, in a decision's record


def standing_answer(
    event: Event, decision: Decision, policy: HasSettings, tools: ToolTable
) -> Decision | None:
    """The ask as an allow, where grants of its folder and actor cover the whole call; None where they do not.

    Where anybody is named who must say yes, a line in a file is not enough.
    """
    grants = STANDING_GRANTS.of(policy)
    if not grants or decision.vote is not Vote.ASK or decision.approvers or APPROVAL.of(policy).scopes:
        return None
    final = event if decision.updated_input is None else event.with_input(decision.updated_input)
    here = os.path.realpath(event.cwd) if event.cwd else ""
    own = [grant for grant in grants if grant.folder == here and grant.actor == event.actor]
    if not own or not covered(final, [grant.pattern for grant in own], tools):
        return None
    places = ", ".join(dict.fromkeys(grant.source for grant in own[:1]))
    return msgspec.structs.replace(
        decision, vote=Vote.ALLOW, reason=f"granted for this folder in {places}", approval=POLICY
    )
