"""The files of a skill that a window is given: templates when an effort begins, commands at a phase."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import Any, Final

from interlock.features.work.directives import FOLDER
from interlock.features.work.event_context import Case
from interlock.features.work.injections import Injection
from interlock.features.work.own_commands import OwnCommand
from interlock.features.work.preloads import read_preloads
from interlock.features.work.recovery_text import files_block
from interlock.features.work.skills.cache import skill_folders, skill_of
from interlock.features.work.tables.records import Effort, Project, Session, Skill

TEMPLATES: Final = "templates"
PHASE_COMMANDS: Final = "phase-commands"
_BEGINNING: Final = frozenset({"start", "resume"})
_COMMANDS: Final = f"{FOLDER}/commands"


def files_given(case: Case[Any], session: Session, effort: Effort, own: OwnCommand) -> tuple[Injection, ...]:
    """What is given after a command of ours that began an effort or a phase; each file once in a window."""
    project = case.project
    skill = skill_of(case, effort.skill) if project else None
    if project is None or skill is None or own.word != "effort":
        return ()
    if own.verb in _BEGINNING:
        return _given(case, session, project, TEMPLATES, skill.templates)
    if own.verb == "phase":
        return _given(case, session, project, PHASE_COMMANDS, _commands(project, skill))
    return ()


def _commands(project: Project, skill: Skill) -> tuple[str, ...]:
    """Where the commands lie that a skill says it needs; a name leads to no other folder."""
    names = (PurePath(name).name.removesuffix(".md") for name in skill.cmd_dependencies)
    return tuple(f"{project.path}/{_COMMANDS}/{name}.md" for name in names if name)


def _given(
    case: Case[Any], session: Session, project: Project, rule: str, paths: Sequence[str]
) -> tuple[Injection, ...]:
    known = {*session.preloaded_files, *session.loaded_files}
    new = [path for path in paths if path not in known]
    within = [project.path, *skill_folders(project, case.means.skill_folders)]
    preloads = read_preloads(new, within=within, most=case.rules.preload_bytes)
    read = tuple(one for one in preloads if one.content is not None)
    if not read:
        return ()
    case.work.sessions.add_preloaded(session.id, [one.path for one in read if not one.left_out])
    return (Injection(rule_id=rule, content=files_block(read)),)
