"""Projects with their tasks and skills, the efforts on these, and the phases that efforts go through."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import PurePath
from typing import Any, ClassVar, Final, final

import msgspec

from interlock.features.work.phase_rules import enter
from interlock.features.work.records import (
    Code,
    Effort,
    PhaseChange,
    Project,
    RefusedError,
    Skill,
    Table,
    Task,
    TaskSummary,
    as_json,
    effort_name,
    with_more,
)
from interlock.features.work.sessions import Sessions

_LISTS: Final = ("phases", "modes", "templates", "cmd_dependencies", "next_skills", "directives")


@final
class Skills(Table):
    """A copy for speed: the file is what counts, and forgetting costs a reading."""

    file: ClassVar = "work_skills"

    def put(self, project_id: int, skill: Skill) -> Skill:
        """Keep what a file says, in place of what it said before."""
        lists = {name: list(getattr(skill, name)) for name in _LISTS}
        plain = {name: getattr(skill, name) for name in ("name", "description", "version")}
        self._run("put", project_id=project_id, **plain, **lists).fetchall()
        stored = self.get(project_id, skill.name)
        return stored or msgspec.structs.replace(skill, project_id=project_id)

    def get(self, project_id: int | None, name: str) -> Skill | None:
        return None if project_id is None else self._find(Skill, "get", project_id=project_id, name=name)

    def forget(self, project_id: int) -> int:
        """Drop what is known; gives how many."""
        return self._run("forget", project_id=project_id).rowcount


@final
class Projects(Table):
    """Known by their real path: one folder never counts as two."""

    file: ClassVar = "work_projects"

    def ensure(self, path: str) -> Project:
        """The project at a folder; made when it is new."""
        real = os.path.realpath(path)
        self._run("add", path=real, name=PurePath(real).name or None)
        return self._require(Project, "at", path=real)

    def get(self, project_id: int) -> Project | None:
        return self._find(Project, "get", id=project_id)

    def find(self, path: str | None) -> Project | None:
        """The nearest known project at or above a folder."""
        if not path:
            return None
        real = PurePath(os.path.realpath(path))
        return self._find(Project, "nearest", paths=[str(folder) for folder in (real, *real.parents)])


MOST_TASKS: Final = 1_000


@final
class Tasks(Table):
    """A task never finishes and is never changed; whether it is active is read off its efforts."""

    file: ClassVar = "work_tasks"

    def ensure(
        self,
        dir_path: str,
        project_id: int,
        *,
        title: str | None = None,
        description: str | None = None,
        keywords: str | None = None,
        workspace: str | None = None,
    ) -> Task:
        """The task of a folder; made when it is new, and then with what is said of it here."""
        real = os.path.realpath(dir_path)
        details = {"title": title, "description": description, "keywords": keywords, "workspace": workspace}
        self._run("add", dir_path=real, project_id=project_id, **details)
        return self._require(Task, "at", dir_path=real)

    def find(self, dir_path: str) -> Task | None:
        return self._find(Task, "at", dir_path=os.path.realpath(dir_path))

    def get(self, task_id: int) -> Task:
        """One task; raise RefusedError when there is none of this number."""
        return self._require_id(Task, task_id, f"task `{task_id}`", "`interlock task list`", task=task_id)

    def summary(self, task_id: int) -> TaskSummary:
        """One task with what is read off its efforts."""
        self.get(task_id)
        return self._require(TaskSummary, "summary", id=task_id)

    def listed(self, project_id: int | None = None, *, most: int = MOST_TASKS) -> list[TaskSummary]:
        return self._find_all(TaskSummary, "listed", project_id=project_id, most=most)

    def add_keywords(self, task_id: int, keywords: Iterable[str]) -> None:
        """What its efforts found out it is about."""
        keywords_before = [word.strip() for word in (self.get(task_id).keywords or "").split(",")]
        words = with_more(filter(None, keywords_before), filter(None, (word.strip() for word in keywords)))
        self._run("set_keywords", id=task_id, keywords=", ".join(words) or None)


MOST: Final = 1_000


@final
class Efforts(Table):
    """Active, then finished, and nothing else."""

    file: ClassVar = "work_efforts"

    def start(
        self, task_id: int, skill: str, *, mode: str | None = None, metadata: Mapping[str, Any] | None = None
    ) -> Effort:
        """Begin one, with the next number of its task."""
        return self._require(
            Effort, "start", task_id=task_id, skill=skill, mode=mode, metadata=dict(metadata or {})
        )

    def finish(self, effort_id: int, keywords: Iterable[str] = ()) -> Effort:
        """End one for good; a second time is refused. Its keywords are those of its task from now on."""
        effort = self.get(effort_id)
        finished = self._find(Effort, "finish", id=effort_id)
        if finished is None:
            raise finished_error(effort)
        Tasks(self._connection, self._clock).add_keywords(finished.task_id, keywords)
        return finished

    def get(self, effort_id: int) -> Effort:
        """One effort; raise RefusedError when there is none of this number."""
        name = f"effort `{effort_name(effort_id)}`"
        return self._require_id(Effort, effort_id, name, "`interlock effort list --all`", effort=effort_id)

    def resume(self, effort_id: int) -> Effort:
        """Let one be its project's latest again; what is finished stays so."""
        effort = self.get(effort_id)
        if not effort.active:
            raise finished_error(effort)
        return self._require(Effort, "resume", id=effort_id)

    def active_in(self, project_id: int, *, most: int = MOST) -> list[Effort]:
        """The active efforts of a project, the last begun or taken up first."""
        return self._find_all(Effort, "active_in", project_id=project_id, most=most)

    def of_agent(self, agent_id: str) -> Effort | None:
        """The active effort an agent owns; it owns at most one."""
        return self._find(Effort, "of_agent", agent_id=agent_id)

    def latest_of_task(self, task_id: int) -> Effort | None:
        """The active effort of a task that was begun last."""
        return self._find(Effort, "latest_of_task", task_id=task_id)

    def listed(
        self,
        *,
        project_id: int | None = None,
        task_id: int | None = None,
        active: bool = False,
        most: int = MOST,
    ) -> list[Effort]:
        if task_id is not None:
            return self._find_all(Effort, "listed_of_task", task_id=task_id, active=active, most=most)
        return self._find_all(Effort, "listed", project_id=project_id, active=active, most=most)

    def set_metadata(self, effort_id: int, metadata: Mapping[str, Any]) -> None:
        """Replace all of it; whoever changes one key passes the others on."""
        self._run("set_metadata", id=effort_id, metadata=dict(metadata))

    def set_phase(self, effort_id: int, label: str) -> None:
        """The phase it is in; the rules are `Phases`' matter."""
        self._run("set_phase", id=effort_id, phase=label)

    def add_directives(
        self, effort_id: int, paths: Iterable[str], directories: Iterable[str] = ()
    ) -> list[str]:
        return self._add_directives(self.get(effort_id), paths, directories)


def finished_error(effort: Effort) -> RefusedError:
    return RefusedError(
        Code.ALREADY_FINISHED,
        f"effort {effort.name} was finished at {effort.finished_at}",
        "start another one with `interlock effort start`",
        effort=effort.id,
    )


@final
class Phases(Table):
    """Each change is kept with its proof, and counts as a sign of life."""

    file: ClassVar = "work_phases"

    def enter(
        self, effort: Effort, label: str, *, proof: Any = None, reason: str | None = None
    ) -> PhaseChange | None:
        """Go to a phase; None when the effort is in it already, RefusedError when it may not."""
        if not effort.active:
            raise finished_error(effort)
        step = enter(self.declared(effort), effort.current_phase, label, reason=reason)
        if step is None:
            return None
        efforts = Efforts(self._connection, self._clock)
        if step.appended:
            efforts.set_metadata(effort.id, {**effort.metadata, "phases": list(step.phases)})
        efforts.set_phase(effort.id, step.label)
        Sessions(self._connection, self._clock).reset_effort(effort.id)
        return self._find(
            PhaseChange,
            "add",
            effort_id=effort.id,
            label=step.label,
            proof=None if proof is None else as_json(proof),
            reason=reason,
        )

    def declared(self, effort: Effort) -> list[Any]:
        """The phases of an effort: its own, where it has added some, else those of its skill."""
        phases = effort.metadata.get("phases")
        if isinstance(phases, list):
            return phases
        task = Tasks(self._connection, self._clock).get(effort.task_id)
        skill = Skills(self._connection, self._clock).get(task.project_id, effort.skill)
        return list(skill.phases) if skill else []

    def of_effort(self, effort_id: int) -> list[PhaseChange]:
        return self._find_all(PhaseChange, "of_effort", effort_id=effort_id)
