"""What a project's skills say, read from their files once, and which files a window is given."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any, Final

import msgspec

from interlock.errors import ConfigError
from interlock.features.work.directives import FOLDER
from interlock.features.work.event_context import EventContext
from interlock.features.work.own_commands import OwnCommand
from interlock.features.work.phase_rules import read_phase
from interlock.features.work.records import Effort, Project, Session, Skill
from interlock.features.work.recovery_text import Injection, files_block, read_preloads
from interlock.features.work.store import WorkStore
from interlock.policy.files.yaml import read_yaml

FILE: Final = "SKILL.md"
PLACES: Final = (".claude/skills", ".agents/skills")  # below a project or a home
_HEAD: Final = re.compile(r"\A\ufeff?---[ \t]*\r?\n(.*?)^---[ \t]*\r?$", re.DOTALL | re.MULTILINE)
_MOST_BYTES: Final = 256 * 1024
_READ: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC  # a pipe may have taken the file's place
_MOST_FILES: Final = 500
_MOST_ITEMS: Final = 200
# How others write these members.
_COMMAND_KEYS: Final = ("cmd_dependencies", "cmd-dependencies", "cmdDependencies")
_NEXT: Final = ("next_skills", "next-skills", "nextSkills")


class SkillProblem(msgspec.Struct, frozen=True, kw_only=True):
    path: str
    message: str


class SkillScan(msgspec.Struct, frozen=True, kw_only=True):
    skills: tuple[Skill, ...] = ()
    problems: tuple[SkillProblem, ...] = ()


class SkillFileError(Exception):
    """A file that is not a skill; the message is one sentence."""


def scan(folders: Iterable[str]) -> SkillScan:
    """Read the skills below some folders, one folder each; the first of a name counts."""
    skills: dict[str, Skill] = {}
    problems: list[SkillProblem] = []
    for file in _files(folders):
        try:
            skill = read_skill(file)
        except SkillFileError as error:
            problems.append(SkillProblem(path=file, message=str(error)))
        else:
            skills.setdefault(skill.name, skill)
    return SkillScan(skills=tuple(skills.values()), problems=tuple(problems))


def read_skill(file: str) -> Skill:
    """One skill; raise SkillFileError for a file that does not say what it is."""
    folder = Path(file).parent
    head = _head(file)
    phases = [read_phase(value) for value in _items(head.get("phases"))]
    if None in phases:
        wrong = _items(head["phases"])[phases.index(None)]
        raise SkillFileError(f"`{file}` has no phase in `{str(wrong)[:80]}`; write it as `2: Build`")
    name = head.get("name") or folder.name
    if not isinstance(name, str):
        raise SkillFileError(f"the `name` of `{file}` is not text; write one")
    return Skill(
        name=name,
        description=_as_text(head.get("description")),
        version=_as_text(head.get("version")),
        phases=tuple(phase.label for phase in phases if phase is not None),
        templates=tuple(str(folder / path) for path in _texts(file, "templates", head.get("templates"))),
        modes=_texts(file, "modes", head.get("modes")),
        cmd_dependencies=_texts(file, "cmd_dependencies", _first(head, _COMMAND_KEYS)),
        next_skills=_texts(file, "next_skills", _first(head, _NEXT)),
        directives=_texts(file, "directives", head.get("directives")),
    )


def _files(folders: Iterable[str]) -> list[str]:
    paths: list[str] = []
    for folder in folders:
        try:
            with os.scandir(folder) as entries:
                names = sorted(entry.path for _, entry in zip(range(_MOST_FILES), entries, strict=False))
        except (OSError, ValueError):
            continue
        paths += [f"{path}/{FILE}" for path in names if os.path.isfile(f"{path}/{FILE}")]
    return paths[:_MOST_FILES]


def _head(file: str) -> Mapping[str, Any]:
    try:
        with os.fdopen(os.open(file, _READ), "rb") as opened:
            content = opened.read(_MOST_BYTES + 1)
        text = content.decode("utf-8")
    except OSError as error:
        raise SkillFileError(f"`{file}` cannot be read: {error.strerror}; make it readable") from error
    except UnicodeDecodeError as error:
        raise SkillFileError(f"`{file}` is not UTF-8 text; save it as UTF-8") from error
    if len(content) > _MOST_BYTES:
        raise SkillFileError(f"`{file}` is longer than {_MOST_BYTES:,} bytes; shorten it")
    match = _HEAD.match(text)
    if match is None:
        raise SkillFileError(f"`{file}` does not begin with a part between two lines `---`; write one")
    try:
        node = read_yaml(f"\n{match[1]}", file)  # one line more, so that lines count as in the file
    except ConfigError as error:
        raise SkillFileError(str(error.problems[0])) from error
    head = node.plain() if node is not None else {}
    if not isinstance(head, dict):
        raise SkillFileError(f"the first part of `{file}` is not a mapping; write `name: …` there")
    return head


def _first(head: Mapping[str, Any], names: Iterable[str]) -> Any:
    return next((head[name] for name in names if name in head), None)


def _texts(file: str, name: str, value: Any) -> tuple[str, ...]:
    """A list of texts, also written as one text or as a mapping with a name for each."""
    items = _items(list(value.values()) if isinstance(value, dict) and name == "templates" else value)
    if not all(isinstance(item, str) for item in items):
        raise SkillFileError(f"`{file}` has something other than texts in `{name}`; write a list of texts")
    return tuple(items)


def _items(value: Any) -> list[Any]:
    if value is None:
        return []
    return list(value)[:_MOST_ITEMS] if isinstance(value, list | dict) else [value]


def _as_text(value: Any) -> str | None:
    return None if value is None or isinstance(value, list | dict) else str(value)


class FleetStart(msgspec.Struct, frozen=True, kw_only=True):
    skills: tuple[str, ...] = ()
    errors: tuple[SkillProblem, ...] = ()  # files that cannot be used


def skill_folders(project: Project, user: tuple[str, ...]) -> tuple[str, ...]:
    """Where skills lie: those of the project before those of the person."""
    return (*(f"{project.path}/{place}" for place in PLACES), *user)


def skill_of(context: EventContext, name: str, *, reread: bool = False) -> Skill | None:
    """A skill of the project: as stored, or as its file has it if none is stored or with `reread`."""
    project = context.project
    if project is None:
        return None
    stored = context.work.skills.get(project.id, name)
    if stored is not None and not reread:
        return stored
    # `interlock effort show` and `hooks.fleetStart` say what is wrong with a file.
    return read_now(project, name, context.services.skill_folders, context.work)[0] or stored


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
        skill = read_skill(file)
    except SkillFileError as error:
        return None, str(error)
    return (work.skills.put(project.id, skill) if work else skill), None


def fleet_start(work: WorkStore, project: Project, user: tuple[str, ...]) -> FleetStart:
    """Read all skills of a project again; a file that cannot be used is told, the others count."""
    scanned = scan(skill_folders(project, user))
    work.skills.forget(project.id)
    for skill in scanned.skills:
        work.skills.put(project.id, skill)
    return FleetStart(skills=tuple(skill.name for skill in scanned.skills), errors=scanned.problems)


TEMPLATES: Final = "templates"
PHASE_COMMANDS: Final = "phase-commands"
_BEGINNING: Final = frozenset({"start", "resume"})
_COMMANDS: Final = f"{FOLDER}/commands"


def files_given(
    context: EventContext, session: Session, effort: Effort, command: OwnCommand
) -> tuple[Injection, ...]:
    """What is given after a command of ours that began an effort or a phase; each file once in a window."""
    project = context.project
    skill = skill_of(context, effort.skill) if project else None
    if project is None or skill is None or command.word != "effort":
        return ()
    if command.verb in _BEGINNING:
        return _read_files(context, session, project, TEMPLATES, skill.templates)
    if command.verb == "phase":
        return _read_files(context, session, project, PHASE_COMMANDS, _commands(project, skill))
    return ()


def _commands(project: Project, skill: Skill) -> tuple[str, ...]:
    """Where the commands lie that a skill says it needs; a name leads to no other folder."""
    names = (PurePath(name).name.removesuffix(".md") for name in skill.cmd_dependencies)
    return tuple(f"{project.path}/{_COMMANDS}/{name}.md" for name in names if name)


def _read_files(
    context: EventContext, session: Session, project: Project, rule: str, paths: Sequence[str]
) -> tuple[Injection, ...]:
    given_files = {*session.preloaded_files, *session.loaded_files}
    new = [path for path in paths if path not in given_files]
    within = [project.path, *skill_folders(project, context.services.skill_folders)]
    preloads = read_preloads(new, within=within, most=context.rules.preload_bytes)
    read = tuple(preload for preload in preloads if preload.content is not None)
    if not read:
        return ()
    context.work.sessions.add_preloaded(
        session.id, [preload.path for preload in read if not preload.left_out]
    )
    return (Injection(rule_id=rule, content=files_block(read)),)


def user_skill_folders() -> tuple[str, ...]:
    return tuple(str(Path.home() / place) for place in PLACES)


def skill_problem(work: WorkStore, effort: Effort, *, keep: bool) -> str | None:
    """What is wrong with the file of an effort's skill; with `keep`, what it says is stored.

    Hosts report skills that change while they run; people start efforts where no host is running.
    """
    project = work.projects.get(work.tasks.get(effort.task_id).project_id)
    into = work if keep else None
    return read_now(project, effort.skill, user_skill_folders(), into)[1] if project else None
