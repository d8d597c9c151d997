"""The tools that a model may use in a project: read, list and search, and nothing else."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from typing import Any, Final

import re2

from interlock.builtin_hooks.project_files import read_file
from interlock.events.tool import JsonObject
from interlock.patterns.glob import compile_quietly
from interlock.redaction.redactor import Redactor

_READ: Final = 32 * 1024  # bytes of a file at once
_SEARCHED: Final = 256 * 1024  # bytes of a file that are searched
_ALL: Final = 32 * 1024 * 1024  # bytes that one search goes through
_FILES: Final = 5_000
_LISTED: Final = 400
_HITS: Final = 100
_LINE: Final = 300  # characters of a line that was found
_SEARCH_SECONDS: Final = 5.0
_UNSEEN: Final = frozenset({".git", ".hg", ".svn", "node_modules", ".venv", "__pycache__"})
_PATTERN: Final = 500


def _tool(name: str, about: str, required: tuple[str, ...], **fields: str) -> JsonObject:
    properties = {
        key: {"type": "integer" if key == "offset" else "string", "description": text}
        for key, text in fields.items()
    }
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return {"name": name, "description": about, "input_schema": schema}


TOOLS: Final = (
    _tool(
        "read_file",
        f"Read a text file of the project, {_READ // 1024} KB at a time; secrets are replaced by "
        "placeholders.",
        ("path",),
        path="Relative to the project.",
        offset="Start at this byte.",
    ),
    _tool(
        "list_files",
        "List a folder of the project; folders end in a slash.",
        (),
        path="Relative to the project; default: the project itself.",
    ),
    _tool(
        "grep",
        f"Search the project's files with a regular expression (RE2); at most {_HITS} lines.",
        ("pattern",),
        pattern="The regular expression.",
        path="A folder or file to search; default: the whole project.",
    ),
)


class _RefusedError(Exception):
    """What the model reads instead of a result."""


class ProjectLook:
    """Reads one project for one event."""

    def __init__(
        self, folder: str, redactor: Redactor, *, home: str = "", clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._root: Final = os.path.realpath(folder) if folder.startswith("/") else ""
        # The whole disk or home is not a project.
        self._usable: Final = self._root not in {"", "/", os.path.realpath(home) if home else ""}
        self._redactor: Final = redactor
        self._clock: Final = clock
        self._tools: Final = {"read_file": self._read, "list_files": self._list, "grep": self._grep}

    def use(self, name: str, given: JsonObject) -> tuple[str, bool]:
        """The answer of a tool, and whether it succeeded."""
        tool = self._tools.get(name)
        if tool is None:
            return f"there is no tool `{name}`; use one of {', '.join(self._tools)}", False
        if not self._usable:
            return "this event belongs to no project; answer from what you have", False
        try:
            return self._redactor.text(tool(given)), True
        except _RefusedError as error:
            return str(error), False

    def _read(self, given: JsonObject) -> str:
        path = self._inside(_require_text(given, "path"))
        offset = given.get("offset", 0)
        if not isinstance(offset, int) or isinstance(offset, bool) or offset < 0:
            raise _RefusedError("`offset` is a number of bytes, 0 or more")
        content = read_file(path, offset + _READ + 1) if offset <= _SEARCHED else None
        if content is None:
            raise _RefusedError(f"`{_require_text(given, 'path')}` cannot be read; list its folder")
        part = content[offset:]
        if b"\0" in part:
            raise _RefusedError("this is not a text file")
        rest = f"\n[more follows; continue at offset {offset + _READ}]" if len(part) > _READ else ""
        return part[:_READ].decode("utf-8", "replace") + rest

    def _list(self, given: JsonObject) -> str:
        path = self._inside(_require_text(given, "path", "."))
        try:
            with os.scandir(path) as entries:
                names = sorted(_entry_name(entry) for entry in entries)
        except OSError as error:
            raise _RefusedError(f"it cannot be listed: {error.strerror}") from None
        rest = [f"[{len(names) - _LISTED} more]"] if len(names) > _LISTED else []
        return "\n".join([*names[:_LISTED], *rest]) or "[empty]"

    def _grep(self, given: JsonObject) -> str:
        pattern = _compile(_require_text(given, "pattern"))
        hits: list[str] = []
        left, end = _ALL, self._clock() + _SEARCH_SECONDS
        for path in self._files(self._inside(_require_text(given, "path", "."))):
            if left <= 0 or self._clock() > end:
                hits.append("[some files were not searched; name a folder]")
                break
            content = read_file(path, min(_SEARCHED, left)) or b""
            left -= len(content)
            if b"\0" not in content:
                hits += _matching_lines(pattern, content, os.path.relpath(path, self._root))
            if len(hits) >= _HITS:
                hits = [*hits[:_HITS], "[there are more matches; search for something narrower]"]
                break
        return "\n".join(hits) or "[nothing found]"

    def _files(self, path: str) -> Iterator[str]:
        """The files below a path, without links, up to a limit."""
        if os.path.isfile(path):
            yield path
            return
        count = 0
        for folder, below, names in os.walk(path):
            below[:] = sorted(name for name in below if name not in _UNSEEN)
            for name in sorted(names):
                file = os.path.join(folder, name)
                if os.path.islink(file):
                    continue
                count += 1
                if count > _FILES:
                    return
                yield file

    def _inside(self, name: str) -> str:
        """The real path of a name; raise when it leads out of the project, also by a link."""
        path = os.path.realpath(os.path.join(self._root, name)) if "\0" not in name else ""
        if path != self._root and not path.startswith(f"{self._root}/"):
            raise _RefusedError("only files of the project can be read")
        if ".git" in os.path.relpath(path, self._root).split("/"):
            raise _RefusedError("git's own files are not shown")
        return path


def _require_text(given: JsonObject, name: str, default: str | None = None) -> str:
    value: Any = given.get(name, default)
    if not isinstance(value, str) or not value:
        raise _RefusedError(f"`{name}` is missing; give a string")
    return value


def _compile(text: str) -> Any:
    try:
        if len(text) > _PATTERN:
            raise _RefusedError("the pattern is too long")
        return compile_quietly(text)
    except re2.error:
        raise _RefusedError("this is not a regular expression that RE2 supports") from None


def _matching_lines(pattern: Any, content: bytes, name: str) -> list[str]:
    lines = content.decode("utf-8", "replace").split("\n")
    found = [(number, line) for number, line in enumerate(lines, 1) if pattern.search(line)]
    return [f"{name}:{number}: {line[:_LINE]}" for number, line in found[:_HITS]]


def _entry_name(entry: os.DirEntry[str]) -> str:
    try:
        folder = entry.is_dir(follow_symlinks=False)
    except OSError:
        folder = False
    return f"{entry.name}/" if folder else entry.name
