"""Uses of a skill: begun, worked on over any number of sessions, finished."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Final, final

from interlock.features.work.errors import Code, RefusedError
from interlock.features.work.tables.base import Table, as_json, with_more
from interlock.features.work.tables.records import Effort, effort_name
from interlock.features.work.tables.tasks import Tasks

MOST: Final = 1_000


@final
class Efforts(Table):
    """Active, then finished, and nothing else."""

    file: ClassVar = "work_efforts"

    def start(
        self,
        task_id: int,
        skill: str,
        *,
        mode: str | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> Effort:
        """Begin one, with the next number of its task."""
        return self._the(
            Effort,
            "start",
            task_id=task_id,
            skill=skill,
            mode=mode,
            metadata=as_json(dict(metadata or {})),
            now=self._now(),
        )

    def finish(self, effort_id: int, keywords: Iterable[str] = ()) -> Effort:
        """End one for good; a second time is refused. Its keywords are those of its task from now on."""
        known = self.get(effort_id)
        found = self._one(Effort, "finish", id=effort_id, now=self._now())
        if found is None:
            raise finished(known)
        Tasks(self._connection, self._clock).add_keywords(found.task_id, keywords)
        return found

    def get(self, effort_id: int) -> Effort:
        """One effort; raise RefusedError when there is none of this number."""
        found = self._one(Effort, "get", id=effort_id)
        if found is None:
            raise RefusedError(
                Code.NOT_FOUND,
                f"there is no effort `{effort_name(effort_id)}`",
                "see `interlock effort list --all`",
                effort=effort_id,
            )
        return found

    def resume(self, effort_id: int) -> Effort:
        """Let one be its project's latest again; what is finished stays so."""
        effort = self.get(effort_id)
        if not effort.active:
            raise finished(effort)
        return self._the(Effort, "resume", id=effort_id, now=self._now())

    def latest_active(self, project_id: int) -> Effort | None:
        """The active effort of a project that was begun or taken up last."""
        return next(iter(self.active_in(project_id, most=1)), None)

    def active_in(self, project_id: int, *, most: int = MOST) -> list[Effort]:
        """The active efforts of a project, the last begun or taken up first."""
        return self._all(Effort, "active_in", project_id=project_id, most=most)

    def of_agent(self, agent_id: str) -> Effort | None:
        """The active effort an agent owns; it owns at most one."""
        return self._one(Effort, "of_agent", agent_id=agent_id)

    def latest_of_task(self, task_id: int) -> Effort | None:
        """The active effort of a task that was begun last."""
        return self._one(Effort, "latest_of_task", task_id=task_id)

    def listed(
        self,
        *,
        project_id: int | None = None,
        task_id: int | None = None,
        active: bool = False,
        most: int = MOST,
    ) -> list[Effort]:
        """Efforts, the newest first."""
        if task_id is not None:
            return self._all(Effort, "listed_of_task", task_id=task_id, active=active, most=most)
        return self._all(Effort, "listed", project_id=project_id, active=active, most=most)

    def set_metadata(self, effort_id: int, metadata: Mapping[str, Any]) -> None:
        """Replace all of it; whoever changes one key passes the others on."""
        self._run("set_metadata", id=effort_id, metadata=as_json(dict(metadata)))

    def set_phase(self, effort_id: int, label: str) -> None:
        """The phase it is in; the rules are `Phases`' matter."""
        self._run("set_phase", id=effort_id, phase=label)

    def add_directives(
        self, effort_id: int, paths: Iterable[str], directories: Iterable[str] = ()
    ) -> list[str]:
        """Remember what was found and where was looked; gives what is new."""
        known = self.get(effort_id)
        directives = with_more(known.discovered_directives, paths)
        places = with_more(known.discovered_directories, directories)
        self._run("set_directives", id=effort_id, directives=as_json(directives), directories=as_json(places))
        return directives[len(known.discovered_directives) :]


def finished(effort: Effort) -> RefusedError:
    """Why nothing more happens to an effort."""
    return RefusedError(
        Code.ALREADY_FINISHED,
        f"effort {effort.name} was finished at {effort.finished_at}",
        "start another one with `interlock effort start`",
        effort=effort.id,
    )
