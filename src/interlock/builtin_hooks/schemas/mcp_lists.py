"""The tools of MCP servers as their lists describe them: files that hold an answer to `tools/list`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from interlock.builtin_hooks.build_context import Making
from interlock.builtin_hooks.project_files import Parsed
from interlock.builtin_hooks.schemas.required_fields import Shape


class ToolLists:
    """One file per server, read again when it changes; a tool is called `mcp__SERVER__NAME`."""

    def __init__(self, paths: Mapping[str, str]) -> None:
        self._paths: Final = {f"mcp__{server}__": path for server, path in paths.items()}
        self._parsed: Final = Parsed(_shapes)

    def of(self, name: str) -> Shape | None:
        """The shape of a tool; None when no list has it."""
        for prefix, path in self._paths.items():
            if name.startswith(prefix):
                found = self._parsed.of(path)
                return found.get(name[len(prefix) :]) if found else None
        return None

    def names(self) -> list[str]:
        """Every tool of every list."""
        return [
            f"{prefix}{name}" for prefix, path in self._paths.items() for name in self._parsed.of(path) or ()
        ]


def list_paths(written: Mapping[str, str], making: Making) -> dict[str, str] | None:
    """Where the files lie; None when a problem was noted."""
    home, folder = making.environ.get("HOME", ""), making.folder
    paths: dict[str, str] = {}
    for server, path in written.items():
        if path.startswith("~/") and making.layer.trusted:
            paths |= {server: f"{home}/{path[2:]}"} if home else {}
        elif path.startswith("/") and making.layer.trusted:
            paths[server] = path
        elif folder is not None and _inside(path, folder):
            paths[server] = str(Path(folder, path))
        else:
            text = f"`{path}` is no file this policy can name; write it from `/`, or in the project"
            making.problem(("tool_lists", server), text)
            return None
    return paths


def _inside(path: str, folder: str) -> bool:
    # A repository must not have us read the files of a person.
    root = os.path.realpath(folder).rstrip("/")
    return os.path.realpath(Path(folder, path)).startswith(f"{root}/")


def _shapes(content: bytes) -> dict[str, Shape]:
    """The tools of one list, bare or as a JSON-RPC answer; what is no list has none."""
    try:
        found: Any = msgspec.json.decode(content)
    except (ValueError, RecursionError):
        return {}
    for word in ("result", "tools"):
        if isinstance(found, dict) and word in found:
            found = found[word]
    tools = [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
    return {
        str(tool["name"]): Shape(schema=schema)
        for tool in tools
        if "name" in tool and isinstance(schema := tool.get("inputSchema", tool.get("input_schema")), dict)
    }
