"""What a project itself runs for an action, by the files that lie in its folder."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from interlock.builtin_hooks.project_files import Parsed
from interlock.builtin_hooks.toolchain.command_intent import Meant
from interlock.builtin_hooks.toolchain.task_files import (
    Task,
    hatch_scripts,
    just_recipes,
    makefile_targets,
    package_of,
    task_names,
)
from interlock.builtin_hooks.toolchain.toolchains import Toolchain

# What a shell would not give to a program as it is written.
_SHELL: Final = re.compile(r"[$`<>*?\[\]{}~!#&|;()\n\\]")
_LOCKS: Final = (
    ("pnpm-lock.yaml", "pnpm"),
    ("yarn.lock", "yarn"),
    ("bun.lock", "bun"),
    ("bun.lockb", "bun"),
    ("package-lock.json", "npm"),
)
_DEFAULT_MANAGER: Final = "npm"  # it comes with Node
_MANAGERS: Final = frozenset({"npm", "yarn", "pnpm", "bun"})
_NO_SCRIPT: Final = "no test specified"  # what `npm init` writes where there is no test


class Redirection(msgspec.Struct, frozen=True, kw_only=True):
    """What the project would run instead, or why it was not put in the place of what was written."""

    command: str | None = None
    hint: str | None = None


_AS_IT_IS: Final = Redirection()


class _Runner(msgspec.Struct, frozen=True, kw_only=True):
    """A runner whose targets people write by hand: what it has is what the project wants."""

    files: tuple[str, ...]
    tasks: Parsed[dict[str, Task]]
    says: Callable[[str], str]
    passing: Callable[[str, str], str]  # the name of the argument and the words → what is added


def _make_variable(name: str, words: str) -> str:
    return shlex.quote(f"{name}={words.replace('$', '$$')}")


_RUNNERS: Final = (
    _Runner(
        files=("GNUmakefile", "makefile", "Makefile"),
        tasks=Parsed(makefile_targets),
        says=lambda name: f"make {name}",
        passing=_make_variable,
    ),
    _Runner(
        files=("justfile", "Justfile", ".justfile"),
        tasks=Parsed(just_recipes),
        says=lambda name: f"just {name}",
        passing=lambda _, words: words,
    ),
    _Runner(
        files=("Taskfile.yml", "taskfile.yml", "Taskfile.yaml", "taskfile.yaml"),
        tasks=Parsed(task_names),
        says=lambda name: f"task {name}",
        passing=lambda _, words: f"-- {words}",
    ),
)


class ProjectToolchain:
    """Looks at a folder when a command means something, and at nothing otherwise."""

    def __init__(self, toolchains: Sequence[Toolchain], *, own_first: bool = True) -> None:
        self._toolchains: Final = tuple(toolchains)
        self._own_first: Final = own_first  # else a folder with two languages has one that answers for both
        self._by_name: Final = {chain.name: chain for chain in toolchains}
        self._packages: Final = Parsed(package_of)
        self._hatch: Final = Parsed(hatch_scripts)

    def instead(self, meant: Meant, folder: str) -> Redirection:
        """What the project would run: by its own runner, by the same toolchain, or by the one it has."""
        for runner in _RUNNERS:
            task = _task(runner, meant.action, folder)
            if task is not None:
                return _by_runner(runner, task, meant)
        own = self._by_name.get(meant.toolchain)
        first = next((chain for chain in self._toolchains if _shown(chain, folder)), None)
        if own is not None and (first is own or (self._own_first and _shown(own, folder))):
            return self._same(meant, folder)
        return self._other(first, meant, folder) if first else _AS_IT_IS

    def _same(self, meant: Meant, folder: str) -> Redirection:
        """The same toolchain, started the way this project starts it; arguments stay."""
        if meant.toolchain == "node":
            return self._script(meant, folder)
        runner = self._starter(meant.toolchain, folder)
        if runner is None:
            return _AS_IT_IS
        if meant.toolchain == "python":
            known = meant.starter == runner
            program = f"{runner} {meant.program}"
        else:
            first, _, more = meant.program.partition(" ")
            known, program = first == runner, f"{runner} {more}"
        return _AS_IT_IS if known else Redirection(command=meant.said(program + meant.rest))

    def _script(self, meant: Meant, folder: str) -> Redirection:
        if not self._has_script(meant.action, folder):
            return _AS_IT_IS
        first, _, words = meant.program.partition(" ")
        manager = self._manager(folder) or (first if first in _MANAGERS else _DEFAULT_MANAGER)
        script = _script_command(manager, meant.action)
        if first.lower() not in _MANAGERS:  # a tool of the project, for which it has a script
            return _without_arguments(script, meant)
        if first == manager and words.split()[0] in {"run", "test", "t"}:
            return _AS_IT_IS
        if meant.program.endswith(":e2e"):
            script = f"{manager} run test:e2e"
        arguments = meant.rest.strip().removeprefix("-- ")
        joint = " -- " if manager == "npm" else " "
        return Redirection(command=meant.said(f"{script}{joint}{arguments}" if arguments else script))

    def _other(self, chain: Toolchain, meant: Meant, folder: str) -> Redirection:
        """Another toolchain, which would not understand the arguments of this one."""
        command = chain.commands.get(meant.action)
        if command is None or (chain.name == "node" and not self._has_script(meant.action, folder)):
            return _AS_IT_IS
        if chain.name == "node":
            return _without_arguments(
                _script_command(self._manager(folder) or _DEFAULT_MANAGER, meant.action), meant
            )
        runner = self._starter(chain.name, folder) or _DEFAULT_STARTERS.get(chain.name, "")
        return _without_arguments(command.replace("{run}", runner).strip(), meant)

    def _starter(self, name: str, folder: str) -> str | None:
        """What starts the programs of a toolchain here; None where nothing special does."""
        if name == "python":
            return self._python(folder)
        wrapper = {"maven": "mvnw", "gradle": "gradlew"}.get(name)
        return f"./{wrapper}" if wrapper and _there(folder, wrapper) else None

    def _python(self, folder: str) -> str | None:
        if _there(folder, "uv.lock"):
            return "uv run"
        if _there(folder, "poetry.lock"):
            return "poetry run"
        return "hatch run" if self._hatch.of(_path(folder, "pyproject.toml")) else None

    def _manager(self, folder: str) -> str | None:
        locked = next((manager for lock, manager in _LOCKS if _there(folder, lock)), None)
        package = self._packages.of(_path(folder, "package.json"))
        named = package.manager.partition("@")[0] if package else ""
        return locked or (named if named in _MANAGERS else None)

    def _has_script(self, action: str, folder: str) -> bool:
        package = self._packages.of(_path(folder, "package.json"))
        script = package.scripts.get(action) if package else None
        return isinstance(script, str) and _NO_SCRIPT not in script


_DEFAULT_STARTERS: Final = {"python": "python -m", "maven": "mvn", "gradle": "gradle"}


def _script_command(manager: str, action: str) -> str:
    return f"{manager} test" if action == "test" and manager != "bun" else f"{manager} run {action}"


def _by_runner(runner: _Runner, task: Task, meant: Meant) -> Redirection:
    command, arguments = runner.says(meant.action), meant.arguments
    if not arguments:
        return Redirection(command=meant.said(command))
    program = meant.program.split()[0]
    if task.arguments and program in task.body and not _SHELL.search(arguments):
        return Redirection(command=meant.said(f"{command} {runner.passing(task.arguments, arguments)}"))
    return Redirection(hint=_kept(command, meant))


def _without_arguments(command: str, meant: Meant) -> Redirection:
    if meant.arguments:
        return Redirection(hint=_kept(command, meant))
    return Redirection(command=meant.said(command))


def _kept(command: str, meant: Meant) -> str:
    return (
        f"This project has `{command}` for this ({meant.action}). Your command was left as it is, "
        "because its arguments cannot be passed on."
    )


def _task(runner: _Runner, action: str, folder: str) -> Task | None:
    for name in runner.files:
        tasks = runner.tasks.of(_path(folder, name))
        if tasks is not None:
            return tasks.get(action)
    return None


def _shown(chain: Toolchain, folder: str) -> bool:
    return any(_there(folder, name) for name in chain.files)


def _there(folder: str, name: str) -> bool:
    return os.path.isfile(_path(folder, name))


def _path(folder: str, name: str) -> str:
    return f"{folder}/{name}"
