"""Containers of work, a folder each."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import ClassVar, Final, final

from interlock.features.work.errors import Code, RefusedError
from interlock.features.work.tables.base import Table, with_more
from interlock.features.work.tables.records import Task, TaskSummary

MOST: Final = 1_000


@final
class Tasks(Table):
    """A task never finishes and is never changed; whether it is active is read off its efforts."""

    file: ClassVar = "work_tasks"

    def of(
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
        told = {"title": title, "description": description, "keywords": keywords, "workspace": workspace}
        self._run("add", dir_path=real, project_id=project_id, now=self._now(), **told)
        return self._the(Task, "at", dir_path=real)

    def find(self, dir_path: str) -> Task | None:
        """The task of a folder, where there is one."""
        return self._one(Task, "at", dir_path=os.path.realpath(dir_path))

    def get(self, task_id: int) -> Task:
        """One task; raise RefusedError when there is none of this number."""
        found = self._one(Task, "get", id=task_id)
        if found is None:
            raise RefusedError(
                Code.NOT_FOUND, f"there is no task `{task_id}`", "see `interlock task list`", task=task_id
            )
        return found

    def summary(self, task_id: int) -> TaskSummary:
        """One task with what is read off its efforts."""
        self.get(task_id)
        return self._the(TaskSummary, "summary", id=task_id)

    def listed(self, project_id: int | None = None, *, most: int = MOST) -> list[TaskSummary]:
        """Tasks, the last active first."""
        return self._all(TaskSummary, "listed", project_id=project_id, most=most)

    def add_keywords(self, task_id: int, keywords: Iterable[str]) -> None:
        """What its efforts found out it is about."""
        known = [word.strip() for word in (self.get(task_id).keywords or "").split(",")]
        words = with_more(filter(None, known), filter(None, (word.strip() for word in keywords)))
        self._run("set_keywords", id=task_id, keywords=", ".join(words) or None)
