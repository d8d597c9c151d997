"""What the skills of a project say, read from their files once and kept."""

from __future__ import annotations

import os
from typing import Any

from interlock.work.case import Case
from interlock.work.records import Project, Skill
from interlock.work.results import FleetStartResult, SkillError
from interlock.work.skill_files import FILE, PLACES, SkillFileError, read_skill, scan
from interlock.work.work import Work


def skill_folders(project: Project, user: tuple[str, ...]) -> tuple[str, ...]:
    """Where skills lie: those of the project before those of the person."""
    return (*(f"{project.path}/{place}" for place in PLACES), *user)


def skill_of(case: Case[Any], name: str) -> Skill | None:
    """A skill of the project as it was kept, else as its file has it; a file that is none counts as none."""
    project = case.project
    if project is None:
        return None
    known = case.work.skills.get(project.id, name)
    if known is not None or os.sep in name:
        return known
    for folder in skill_folders(project, case.means.skill_folders):
        file = f"{folder}/{name}/{FILE}"
        if not os.path.isfile(file):  # noqa: PTH113 - texts in, texts out
            continue
        try:
            found = read_skill(file)
        except SkillFileError:
            return None  # `hooks.fleetStart` lists it with what is wrong
        return case.work.skills.put(project.id, found)
    return None


def fleet_start(work: Work, project: Project, user: tuple[str, ...]) -> FleetStartResult:
    """Read all skills of a project anew; a file that cannot be used is told, the others count."""
    found = scan(skill_folders(project, user))
    work.skills.forget(project.id)
    for skill in found.skills:
        work.skills.put(project.id, skill)
    errors = tuple(SkillError(path=one.path, message=one.message) for one in found.problems)
    return FleetStartResult(skills=tuple(skill.name for skill in found.skills), errors=errors)
