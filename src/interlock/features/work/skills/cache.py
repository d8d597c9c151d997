"""What the skills of a project say, read from their files once and kept."""

from __future__ import annotations

import os
from typing import Any

from interlock.features.work.event_context import Case
from interlock.features.work.results import FleetStartResult, SkillError
from interlock.features.work.skills.parse import FILE, PLACES, SkillFileError, read_skill, scan
from interlock.features.work.store import Work
from interlock.features.work.tables.records import Project, Skill


def skill_folders(project: Project, user: tuple[str, ...]) -> tuple[str, ...]:
    """Where skills lie: those of the project before those of the person."""
    return (*(f"{project.path}/{place}" for place in PLACES), *user)


def skill_of(case: Case[Any], name: str, *, anew: bool = False) -> Skill | None:
    """A skill of the project as it was kept, else or `anew` as its file has it; None where there is none."""
    project = case.project
    if project is None:
        return None
    known = case.work.skills.get(project.id, name)
    if known is not None and not anew:
        return known
    # `interlock effort show` and `hooks.fleetStart` say what is wrong with a file.
    return read_now(project, name, case.means.skill_folders, case.work)[0] or known


def read_now(
    project: Project, name: str, user: tuple[str, ...], work: Work | None = None
) -> tuple[Skill | None, str | None]:
    """A skill as its file has it now, kept where there is a place for it; or what is wrong with it."""
    folders = skill_folders(project, user) if os.sep not in name else ()
    files = (f"{folder}/{name}/{FILE}" for folder in folders)
    file = next(filter(os.path.isfile, files), None)
    if file is None:
        return None, None
    try:
        found = read_skill(file)
    except SkillFileError as error:
        return None, str(error)
    return (work.skills.put(project.id, found) if work else found), None


def fleet_start(work: Work, project: Project, user: tuple[str, ...]) -> FleetStartResult:
    """Read all skills of a project anew; a file that cannot be used is told, the others count."""
    found = scan(skill_folders(project, user))
    work.skills.forget(project.id)
    for skill in found.skills:
        work.skills.put(project.id, skill)
    errors = tuple(SkillError(path=one.path, message=one.message) for one in found.problems)
    return FleetStartResult(skills=tuple(skill.name for skill in found.skills), errors=errors)
