"""A project with a task, for tests that need efforts and sessions to stand somewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from interlock.features.work.records import Effort, Session
from interlock.features.work.store import WorkStore


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self, now: float = 1_767_225_600.0) -> None:
        self.now = now

    def __call__(self) -> float:
        """The time."""
        return self.now


def begun(work: WorkStore, folder: Path, skill: str = "implement", **more: Any) -> Effort:
    """An effort on the task `folder/task` of the project `folder`."""
    project = work.projects.ensure(str(folder))
    task = work.tasks.ensure(str(folder / "task"), project.id)
    return work.efforts.start(task.id, skill, **more)


def window(work: WorkStore, name: str = "u-1", effort: Effort | None = None, **more: Any) -> Session:
    """A context window of a host."""
    return work.sessions.start(host="claude-code", host_session_id=name, effort=effort, **more)
