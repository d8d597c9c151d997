"""What a project's skills say, read from their files once and kept, and which files a window is given."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import Final

import msgspec

from interlock.features.work.efforts.added_context import Injection, read_preloads
from interlock.features.work.efforts.directives import FOLDER
from interlock.features.work.efforts.recovery_text import files_block
from interlock.features.work.event_context import EventContext
from interlock.features.work.own_commands import OwnCommand
from interlock.features.work.records import Effort, Project, Session, Skill
from interlock.features.work.skills.files import FILE, PLACES, SkillFileError, SkillProblem, read_skill, scan
from interlock.features.work.store import WorkStore


class FleetStart(msgspec.Struct, frozen=True, kw_only=True):
    """Which skills are known now."""

    skills: tuple[str, ...] = ()
    errors: tuple[SkillProblem, ...] = ()  # files that cannot be used


def skill_folders(project: Project, user: tuple[str, ...]) -> tuple[str, ...]:
    """Where skills lie: those of the project before those of the person."""
    return (*(f"{project.path}/{place}" for place in PLACES), *user)


def skill_of(context: EventContext, name: str, *, again: bool = False) -> Skill | None:
    """A skill of the project as it was kept, else or `again` as its file has it; None where there is none."""
    project = context.project
    if project is None:
        return None
    known = context.work.skills.get(project.id, name)
    if known is not None and not again:
        return known
    # `interlock effort show` and `hooks.fleetStart` say what is wrong with a file.
    return read_now(project, name, context.services.skill_folders, context.work)[0] or known


def read_now(
    project: Project, name: str, user: tuple[str, ...], work: WorkStore | None = None
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


def fleet_start(work: WorkStore, project: Project, user: tuple[str, ...]) -> FleetStart:
    """Read all skills of a project again; a file that cannot be used is told, the others count."""
    found = scan(skill_folders(project, user))
    work.skills.forget(project.id)
    for skill in found.skills:
        work.skills.put(project.id, skill)
    return FleetStart(skills=tuple(skill.name for skill in found.skills), errors=found.problems)


TEMPLATES: Final = "templates"
PHASE_COMMANDS: Final = "phase-commands"
_BEGINNING: Final = frozenset({"start", "resume"})
_COMMANDS: Final = f"{FOLDER}/commands"


def files_given(
    context: EventContext, session: Session, effort: Effort, own: OwnCommand
) -> tuple[Injection, ...]:
    """What is given after a command of ours that began an effort or a phase; each file once in a window."""
    project = context.project
    skill = skill_of(context, effort.skill) if project else None
    if project is None or skill is None or own.word != "effort":
        return ()
    if own.verb in _BEGINNING:
        return _read_files(context, session, project, TEMPLATES, skill.templates)
    if own.verb == "phase":
        return _read_files(context, session, project, PHASE_COMMANDS, _commands(project, skill))
    return ()


def _commands(project: Project, skill: Skill) -> tuple[str, ...]:
    """Where the commands lie that a skill says it needs; a name leads to no other folder."""
    names = (PurePath(name).name.removesuffix(".md") for name in skill.cmd_dependencies)
    return tuple(f"{project.path}/{_COMMANDS}/{name}.md" for name in names if name)


def _read_files(
    context: EventContext, session: Session, project: Project, rule: str, paths: Sequence[str]
) -> tuple[Injection, ...]:
    known = {*session.preloaded_files, *session.loaded_files}
    new = [path for path in paths if path not in known]
    within = [project.path, *skill_folders(project, context.services.skill_folders)]
    preloads = read_preloads(new, within=within, most=context.rules.preload_bytes)
    read = tuple(one for one in preloads if one.content is not None)
    if not read:
        return ()
    context.work.sessions.add_preloaded(session.id, [one.path for one in read if not one.left_out])
    return (Injection(rule_id=rule, content=files_block(read)),)


def user_skill_folders() -> tuple[str, ...]:
    """Where the skills of the person are."""
    return tuple(str(Path.home() / place) for place in PLACES)


def skill_problem(work: WorkStore, effort: Effort, *, keep: bool) -> str | None:
    """What is wrong with the file of an effort's skill; with `keep`, what it says is stored.

    Hosts report skills that change while they run; people start efforts where no host is running.
    """
    project = work.projects.get(work.tasks.get(effort.task_id).project_id)
    into = work if keep else None
    return read_now(project, effort.skill, user_skill_folders(), into)[1] if project else None
