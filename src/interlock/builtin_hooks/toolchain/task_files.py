"""What the files of task runners and package managers offer: targets, recipes, tasks and scripts."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import Any, Final

import msgspec

_RULE: Final = re.compile(r"^(?P<targets>[^\s#:=][^#:=]*?)\s*::?(?![:=])(?P<rest>.*)$")
_ARGUMENTS: Final = re.compile(r"\$[({](\w*args)[)}]", re.IGNORECASE)
_RECIPE: Final = re.compile(r"^@?(?P<name>[A-Za-z_][\w-]*)(?P<parameters>(?:\s+[^:]*)?):(?!=)")
_TASK: Final = re.compile(r"^(?P<indent> +)(?P<quote>['\"]?)(?P<name>[\w:-]+)(?P=quote):")


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """Something a project's own runner can do."""

    body: str = ""  # what it runs, as it is written
    arguments: str | None = None  # how it takes arguments; None: it takes none


def makefile_targets(content: bytes) -> dict[str, Task]:
    """The explicit targets of a Makefile; a word after `.PHONY` alone is none, nor is a pattern."""
    bodies: dict[str, list[str]] = {}
    current: list[str] = []
    for line in _joined(content):
        if line.startswith("\t"):
            for target in current:
                bodies[target].append(line)
            continue
        rule = _RULE.match(line)
        if rule is None:
            if line.strip() and not line.startswith("#"):
                current = []
            continue
        names = rule["targets"].split()
        current = [name for name in names if not name.startswith(".") and not set(name) & set("%$")]
        for name in current:
            # A recipe may stand on the line itself, after a semicolon.
            bodies.setdefault(name, []).append(rule["rest"].partition(";")[2])
    return {name: _make_task("\n".join(lines)) for name, lines in bodies.items()}


def _make_task(body: str) -> Task:
    found = _ARGUMENTS.search(body)
    return Task(body=body, arguments=found[1] if found else None)


def _joined(content: bytes) -> Iterator[str]:
    """The lines outside of `define`, those that end in a backslash joined with the next."""
    text = content.decode("utf-8", "replace").replace("\\\r\n", " ").replace("\\\n", " ")
    defining = False
    for line in text.splitlines():
        if line.startswith(("define ", "endef")):
            defining = line.startswith("define ")
        elif not defining:
            yield line


def just_recipes(content: bytes) -> dict[str, Task]:
    """The recipes of a justfile; a last parameter with `*` or `+` takes arguments."""
    bodies: dict[str, tuple[str, list[str]]] = {}
    current: list[str] | None = None
    for line in content.decode("utf-8", "replace").splitlines():
        found = _RECIPE.match(line)
        if found is not None and found["name"] not in {"alias", "export", "set", "import", "mod"}:
            current = []
            bodies[found["name"]] = (found["parameters"], current)
        elif current is not None and line[:1] in {" ", "\t"}:
            current.append(line)
    return {
        name: Task(body="\n".join(lines), arguments=_variadic(parameters))
        for name, (parameters, lines) in bodies.items()
    }


def _variadic(parameters: str) -> str | None:
    last = parameters.split()[-1:] or [""]
    return last[0][1:] if last[0][:1] in {"*", "+"} else None


def task_names(content: bytes) -> dict[str, Task]:
    """The tasks of a Taskfile, by the indentation below `tasks:`; `CLI_ARGS` takes arguments."""
    bodies: dict[str, list[str]] = {}
    inside, indent, current = False, 0, None
    for line in content.decode("utf-8", "replace").splitlines():
        if line[:1] not in {" ", "#", ""}:
            inside, indent = line.startswith("tasks:"), 0
            continue
        found = _TASK.match(line) if inside else None
        depth = len(found["indent"]) if found else 0
        if found and (not indent or depth == indent):
            indent, current = depth, bodies.setdefault(found["name"], [])
        elif inside and current is not None:
            current.append(line)
    return {name: _go_task("\n".join(lines)) for name, lines in bodies.items()}


def _go_task(body: str) -> Task:
    return Task(body=body, arguments="CLI_ARGS" if "CLI_ARGS" in body else None)


class Package(msgspec.Struct, frozen=True):
    """What a `package.json` tells of scripts and of who runs them."""

    scripts: dict[str, Any] = {}
    manager: str = msgspec.field(default="", name="packageManager")


def package_of(content: bytes) -> Package:
    """What a `package.json` tells; one that is none tells nothing."""
    try:
        return msgspec.json.decode(content, type=Package)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return Package()


def hatch_scripts(content: bytes) -> bool:
    """Whether a `pyproject.toml` has environments of hatch, in which its tools run."""
    try:
        tools = tomllib.loads(content.decode("utf-8", "replace")).get("tool", {})
    except (tomllib.TOMLDecodeError, RecursionError):
        return False
    return isinstance(tools, dict) and isinstance(tools.get("hatch"), dict) and "envs" in tools["hatch"]
