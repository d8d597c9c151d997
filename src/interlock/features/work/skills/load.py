"""The skills of efforts that somebody asks about, as their files have them at that moment."""

from __future__ import annotations

from pathlib import Path
from typing import Final, final

from interlock.features.work.store import Work
from interlock.features.work.tables.records import Effort


@final
class WorkSkills:
    """Hosts tell of skills that change while they run; people begin efforts where none does."""

    def __init__(self, work: Work) -> None:
        self._work: Final = work

    def take_in(self, effort: Effort) -> str | None:
        """Keep what the file of an effort's skill says; gives what is wrong with it. For within a step."""
        return self._read(effort, self._work)

    def problem(self, effort: Effort) -> str | None:
        """What is wrong with the file of an effort's skill; None when nothing is, or there is none."""
        return self._read(effort, None)

    def _read(self, effort: Effort, into: Work | None) -> str | None:
        from interlock.features.work.skills.cache import read_now  # noqa: PLC0415 - needs the reader of YAML
        from interlock.features.work.skills.parse import PLACES  # noqa: PLC0415 - as above

        project = self._work.projects.get(self._work.tasks.get(effort.task_id).project_id)
        user = tuple(str(Path.home() / place) for place in PLACES)
        return read_now(project, effort.skill, user, into)[1] if project else None
