"""Finds what a project runs to test, build or lint, by the files in its folder."""

from __future__ import annotations

import os
import re
import shlex
import tomllib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import msgspec

from interlock.builtin_hooks.project_files import ParsedFiles
from interlock.builtin_hooks.toolchain.toolchains import KnownCommand, Toolchain

_RULE: Final = re.compile(r"^(?P<targets>[^\s#:=][^#:=]*?)\s*::?(?![:=])(?P<rest>.*)$")
_ARGUMENTS: Final = re.compile(r"\$[({](\w*args)[)}]", re.IGNORECASE)
_RECIPE: Final = re.compile(r"^@?(?P<name>[A-Za-z_][\w-]*)(?P<parameters>(?:\s+[^:]*)?):(?!=)")
_TASK: Final = re.compile(r"^(?P<indent> +)(?P<quote>['\"]?)(?P<name>[\w:-]+)(?P=quote):")


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """A target of the project's own runner."""

    body: str = ""  # what it runs, as it is written
    arguments: str | None = None  # the variable or parameter that takes arguments; None: it takes none


def makefile_targets(content: bytes) -> dict[str, Task]:
    """The explicit targets of a Makefile, without patterns and names that only follow `.PHONY`."""
    bodies: dict[str, list[str]] = {}
    current: list[str] = []
    for line in _join_lines(content):
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
    texts = {name: "\n".join(lines) for name, lines in bodies.items()}
    return {
        name: Task(body=body, arguments=match[1] if (match := _ARGUMENTS.search(body)) else None)
        for name, body in texts.items()
    }


def _join_lines(content: bytes) -> Iterator[str]:
    """The lines outside of `define`; a line that ends in a backslash is joined with the next."""
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
        name: Task(body="\n".join(lines), arguments=_variadic_parameter(parameters))
        for name, (parameters, lines) in bodies.items()
    }


def _variadic_parameter(parameters: str) -> str | None:
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
    texts = {name: "\n".join(lines) for name, lines in bodies.items()}
    return {
        name: Task(body=body, arguments="CLI_ARGS" if "CLI_ARGS" in body else None)
        for name, body in texts.items()
    }


class Package(msgspec.Struct, frozen=True):
    """The scripts in a `package.json`, and the package manager."""

    scripts: dict[str, Any] = {}
    manager: str = msgspec.field(default="", name="packageManager")


def parse_package(content: bytes) -> Package:
    """Read a `package.json`; one that cannot be read has no scripts."""
    try:
        return msgspec.json.decode(content, type=Package)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return Package()


def has_hatch_environments(content: bytes) -> bool:
    """Whether a `pyproject.toml` has environments of hatch, in which its tools run."""
    try:
        tools = tomllib.loads(content.decode("utf-8", "replace")).get("tool", {})
    except (tomllib.TOMLDecodeError, RecursionError):
        return False
    return isinstance(tools, dict) and isinstance(tools.get("hatch"), dict) and "envs" in tools["hatch"]


# Characters that a shell would not pass to a program as they are.
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
    """The command that the project would run, or a hint why it does not replace the agent's."""

    command: str | None = None
    hint: str | None = None


_UNCHANGED: Final = Redirection()


class _Runner(msgspec.Struct, frozen=True, kw_only=True):
    """A runner whose targets people write by hand, so that they are preferred."""

    files: tuple[str, ...]
    tasks: ParsedFiles[dict[str, Task]]
    command: Callable[[str], str]  # the name of a target → the command
    pass_arguments: Callable[[str, str], str]  # the argument's name and the words → what is added


_RUNNERS: Final = (
    _Runner(
        files=("GNUmakefile", "makefile", "Makefile"),
        tasks=ParsedFiles(makefile_targets),
        command=lambda name: f"make {name}",
        pass_arguments=lambda name, words: shlex.quote(f"{name}={words.replace('$', '$$')}"),
    ),
    _Runner(
        files=("justfile", "Justfile", ".justfile"),
        tasks=ParsedFiles(just_recipes),
        command=lambda name: f"just {name}",
        pass_arguments=lambda _, words: words,
    ),
    _Runner(
        files=("Taskfile.yml", "taskfile.yml", "Taskfile.yaml", "taskfile.yaml"),
        tasks=ParsedFiles(task_names),
        command=lambda name: f"task {name}",
        pass_arguments=lambda _, words: f"-- {words}",
    ),
)


class ProjectToolchain:
    """Finds the command of a project for a known command."""

    def __init__(self, toolchains: Sequence[Toolchain], *, own_first: bool = True) -> None:
        self._toolchains: Final = tuple(toolchains)
        self._own_first: Final = own_first  # else a folder with two languages has one that answers for both
        self._by_name: Final = {chain.name: chain for chain in toolchains}
        self._packages: Final = ParsedFiles(parse_package)
        self._hatch: Final = ParsedFiles(has_hatch_environments)

    def find_command(self, meant: KnownCommand, folder: str) -> Redirection:
        """What the project would run: by its own runner, by the same toolchain, or by another one."""
        for runner in _RUNNERS:
            task = _task(runner, meant.action, folder)
            if task is not None:
                return _by_runner(runner, task, meant)
        own = self._by_name.get(meant.toolchain)
        first = next((chain for chain in self._toolchains if _has_sign(chain, folder)), None)
        if own is not None and (first is own or (self._own_first and _has_sign(own, folder))):
            return self._start_here(meant, folder)
        return self._translate(first, meant, folder) if first else _UNCHANGED

    def _start_here(self, meant: KnownCommand, folder: str) -> Redirection:
        """The same toolchain, started the way this project does; arguments stay."""
        if meant.toolchain == "node":
            return self._script(meant, folder)
        runner = self._starter(meant.toolchain, folder)
        if runner is None:
            return _UNCHANGED
        if meant.toolchain == "python":
            known = meant.starter == runner
            program = f"{runner} {meant.program}"
        else:
            first, _, more = meant.program.partition(" ")
            known, program = first == runner, f"{runner} {more}"
        return _UNCHANGED if known else Redirection(command=meant.replaced_by(program + meant.rest))

    def _script(self, meant: KnownCommand, folder: str) -> Redirection:
        if not self._has_script(meant.action, folder):
            return _UNCHANGED
        first, _, words = meant.program.partition(" ")
        manager = self._manager(folder) or (first if first in _MANAGERS else _DEFAULT_MANAGER)
        script = _script_command(manager, meant.action)
        if first.lower() not in _MANAGERS:  # a tool of the project, for which it has a script
            return _without_arguments(script, meant)
        if first == manager and words.split()[0] in {"run", "test", "t"}:
            return _UNCHANGED
        if meant.program.endswith(":e2e"):
            script = f"{manager} run test:e2e"
        arguments = meant.rest.strip().removeprefix("-- ")
        joint = " -- " if manager == "npm" else " "
        return Redirection(command=meant.replaced_by(f"{script}{joint}{arguments}" if arguments else script))

    def _translate(self, chain: Toolchain, meant: KnownCommand, folder: str) -> Redirection:
        """The command of another toolchain, which would not understand these arguments."""
        command = chain.commands.get(meant.action)
        if command is None or (chain.name == "node" and not self._has_script(meant.action, folder)):
            return _UNCHANGED
        if chain.name == "node":
            return _without_arguments(
                _script_command(self._manager(folder) or _DEFAULT_MANAGER, meant.action), meant
            )
        runner = self._starter(chain.name, folder) or _DEFAULT_STARTERS.get(chain.name, "")
        return _without_arguments(command.replace("{run}", runner).strip(), meant)

    def _starter(self, name: str, folder: str) -> str | None:
        """What starts the programs of a toolchain in this project; None if nothing special does."""
        if name == "python":
            return self._python(folder)
        wrapper = {"maven": "mvnw", "gradle": "gradlew"}.get(name)
        return f"./{wrapper}" if wrapper and _exists(folder, wrapper) else None

    def _python(self, folder: str) -> str | None:
        if _exists(folder, "uv.lock"):
            return "uv run"
        if _exists(folder, "poetry.lock"):
            return "poetry run"
        return "hatch run" if self._hatch.read(_path(folder, "pyproject.toml")) else None

    def _manager(self, folder: str) -> str | None:
        locked = next((manager for lock, manager in _LOCKS if _exists(folder, lock)), None)
        package = self._packages.read(_path(folder, "package.json"))
        named = package.manager.partition("@")[0] if package else ""
        return locked or (named if named in _MANAGERS else None)

    def _has_script(self, action: str, folder: str) -> bool:
        package = self._packages.read(_path(folder, "package.json"))
        script = package.scripts.get(action) if package else None
        return isinstance(script, str) and _NO_SCRIPT not in script


_DEFAULT_STARTERS: Final = {"python": "python -m", "maven": "mvn", "gradle": "gradle"}


def _script_command(manager: str, action: str) -> str:
    return f"{manager} test" if action == "test" and manager != "bun" else f"{manager} run {action}"


def _by_runner(runner: _Runner, task: Task, meant: KnownCommand) -> Redirection:
    command, arguments = runner.command(meant.action), meant.arguments
    if not arguments:
        return Redirection(command=meant.replaced_by(command))
    program = meant.program.split()[0]
    if task.arguments and program in task.body and not _SHELL.search(arguments):
        return Redirection(
            command=meant.replaced_by(f"{command} {runner.pass_arguments(task.arguments, arguments)}")
        )
    return Redirection(hint=_keep_arguments(command, meant))


def _without_arguments(command: str, meant: KnownCommand) -> Redirection:
    if meant.arguments:
        return Redirection(hint=_keep_arguments(command, meant))
    return Redirection(command=meant.replaced_by(command))


def _keep_arguments(command: str, meant: KnownCommand) -> str:
    return (
        f"This project has `{command}` for this ({meant.action}). Your command was not changed, because "
        "its arguments cannot be passed on."
    )


def _task(runner: _Runner, action: str, folder: str) -> Task | None:
    for name in runner.files:
        tasks = runner.tasks.read(_path(folder, name))
        if tasks is not None:
            return tasks.get(action)
    return None


def _has_sign(chain: Toolchain, folder: str) -> bool:
    return any(_exists(folder, name) for name in chain.files)


def _exists(folder: str, name: str) -> bool:
    return os.path.isfile(_path(folder, name))


def _path(folder: str, name: str) -> str:
    return f"{folder}/{name}"
