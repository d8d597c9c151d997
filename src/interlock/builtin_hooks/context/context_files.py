"""Files that are given to a model as context, the person's or the project's, and so much of each."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Final

from interlock.builtin_hooks.project_files import read_file
from interlock.events.event import Event

_CUT: Final = "\n[cut: the file is longer]"


class GivenFiles:
    """Reads those that are there; one that is missing or unreadable is silent."""

    def __init__(self, names: Sequence[str], home: str, most: int) -> None:
        self._names: Final = tuple(names)
        self._home: Final = home
        self._most: Final = most

    def texts(self, event: Event) -> list[str]:
        """The content of each under its name."""
        project = event.project or event.cwd or "."
        return [f"{name}:\n{text}" for name in self._names if (text := self._text(name, project))]

    def _text(self, name: str, project: str) -> str:
        """The content of a file; of a project's, only what lies in the project."""
        if name.startswith("~/"):
            path = f"{self._home}/{name[2:]}" if self._home else ""
        else:
            path = os.path.join(project, name)
            # A link in a repository must not lead to a file of the person.
            if not name.startswith("/") and not _inside(path, project):
                return ""
        content = read_file(path, self._most + 1) if path else None
        if content is None:
            return ""
        text = content[: self._most].decode("utf-8", "replace").strip()
        return text + _CUT if text and len(content) > self._most else text


def _inside(path: str, project: str) -> bool:
    root = os.path.realpath(project)
    return os.path.realpath(path).startswith(root.rstrip("/") + "/")
