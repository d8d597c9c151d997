"""The folders agents work in."""

from __future__ import annotations

import os
from pathlib import PurePath
from typing import ClassVar, final

from interlock.features.work.tables.base import Table, as_json
from interlock.features.work.tables.records import Project


@final
class Projects(Table):
    """Known by their real path: one folder never counts as two."""

    file: ClassVar = "work_projects"

    def of(self, path: str) -> Project:
        """The project at a folder; made when it is new."""
        real = os.path.realpath(path)
        self._run("add", path=real, name=PurePath(real).name or None, now=self._now())
        return self._the(Project, "at", path=real)

    def get(self, project_id: int) -> Project | None:
        """One project."""
        return self._one(Project, "get", id=project_id)

    def find(self, path: str | None) -> Project | None:
        """The nearest known project at or above a folder."""
        if not path:
            return None
        real = PurePath(os.path.realpath(path))
        return self._one(Project, "nearest", paths=as_json([str(one) for one in (real, *real.parents)]))
