"""The plan of a long task in a file of the project: what is open in it, and what it says was done last."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final

import msgspec

from interlock.builtin_hooks.project_files import find_files, read_file

_DONE: Final = frozenset({"complete", "completed", "done", "verified", "skipped"})
_PROGRESS: Final = "mission_progress.txt"
_SHOWN_TASKS: Final = 10
_MOST_TASKS: Final = 200
_MOST_ARTIFACTS: Final = 20  # of a task: each is looked for while the agent waits
_TASK_CHARACTERS: Final = 200
_PROGRESS_BYTES: Final = 1_000


class Mission(msgspec.Struct, frozen=True, kw_only=True):
    """What one file says."""

    status: str = ""  # PLANNING, IN_PROGRESS, COMPLETE
    open: tuple[str, ...] = ()  # tasks that are not done, or whose artifacts are not there
    progress: str = ""  # the end of the notes beside it

    @property
    def planning(self) -> bool:
        """Whether a person has still to look at the plan."""
        return self.status == "PLANNING"

    def describe(self) -> str:
        """What is open, for the agent."""
        shown = [f"- {task}" for task in self.open[:_SHOWN_TASKS]]
        more = len(self.open) - len(shown)
        parts = ["Open tasks of the mission:", *shown, *([f"- and {more} more"] if more else [])]
        return "\n".join([*parts, *(["Noted last:", self.progress] if self.progress else [])])


def read_mission(project: str, name: str) -> Mission | None:
    """The plan; None when there is no such file in the project, or nothing can be read from it."""
    path = inside(project, name)
    content = read_file(path) if path else None
    try:
        found: Any = msgspec.json.decode(content) if content else None
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        return None
    listed = found.get("tasks")
    tasks = (
        [task for task in listed[:_MOST_TASKS] if isinstance(task, dict)] if isinstance(listed, list) else []
    )
    status = str(found.get("status", "")).upper()
    beside = inside(project, str(Path(name).with_name(_PROGRESS)))
    notes = (read_file(beside) or b"") if beside else b""
    return Mission(
        status=status,
        open=() if status == "COMPLETE" else tuple(told for task in tasks if (told := _open(task, project))),
        progress=notes[-_PROGRESS_BYTES:].decode("utf-8", "replace").strip(),
    )


def inside(project: str, name: str) -> str | None:
    """Where a file of the project lies; None when a link or `..` leads out of it."""
    root = os.path.realpath(project or ".").rstrip("/")
    try:
        path = os.path.realpath(Path(root, name))
    except ValueError:
        return None
    return path if path.startswith(f"{root}/") else None


def _open(task: dict[str, Any], project: str) -> str | None:
    words = next((task[key] for key in ("description", "title", "name", "id") if task.get(key)), "a task")
    title = str(words)[:_TASK_CHARACTERS]
    if str(task.get("status", "")).lower() not in _DONE:
        criteria = task.get("success_criteria")
        return f"{title} (done when: {str(criteria)[:_TASK_CHARACTERS]})" if criteria else title
    artifacts = task.get("output_artifacts")
    names = artifacts if isinstance(artifacts, list) else []
    gone = [str(name) for name in names[:_MOST_ARTIFACTS] if not _any(project, str(name))]
    return f"{title}: {', '.join(gone)} is not there" if gone else None


def _any(project: str, name: str) -> bool:
    if not any(mark in name for mark in "*?["):
        path = inside(project, name)
        return path is not None and Path(path).exists()
    return bool(find_files(project, name))
