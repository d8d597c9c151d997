"""What the files of skills said when they were last read, kept for each project."""

from __future__ import annotations

from typing import ClassVar, Final, final

import msgspec

from interlock.features.work.records import Skill
from interlock.features.work.table import Table, as_json

_LISTS: Final = ("phases", "modes", "templates", "cmd_dependencies", "next_skills", "directives")


@final
class Skills(Table):
    """A copy for speed: the file is what counts, and forgetting costs a reading."""

    file: ClassVar = "work_skills"

    def put(self, project_id: int, skill: Skill) -> Skill:
        """Keep what a file says, in place of what it said before."""
        lists = {name: as_json(getattr(skill, name)) for name in _LISTS}
        plain = {name: getattr(skill, name) for name in ("name", "description", "version")}
        self._run("put", project_id=project_id, now=self._now(), **plain, **lists).fetchall()
        found = self.get(project_id, skill.name)
        return found or msgspec.structs.replace(skill, project_id=project_id)

    def get(self, project_id: int | None, name: str) -> Skill | None:
        """One skill of a project."""
        return None if project_id is None else self._one(Skill, "get", project_id=project_id, name=name)

    def listed(self, project_id: int) -> list[Skill]:
        """Every skill of a project by name."""
        return self._all(Skill, "listed", project_id=project_id)

    def forget(self, project_id: int) -> int:
        """Drop what is known; gives how many."""
        return self._run("forget", project_id=project_id).rowcount
