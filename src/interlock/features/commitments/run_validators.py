"""Run the checks of a completion contract, and what must pass before a commitment is submitted or closed."""

from __future__ import annotations

import os
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
import re2
from msgspec import Meta

from interlock.builtin_hooks.git import QuietGit
from interlock.builtin_hooks.project_files import read_file
from interlock.builtin_hooks.worker_thread import in_thread
from interlock.errors import HookFailedError
from interlock.events.event import Event
from interlock.features.commitments.policy import Validator
from interlock.features.commitments.records import Code, RefusedError, ValidatorResult
from interlock.handlers.command import SHELL
from interlock.handlers.environment import hook_environment
from interlock.handlers.process import FinishedProcess, run_program
from interlock.patterns.glob import glob_expression
from interlock.redaction.finding import Finder

_SECONDS: Final = 10.0
_DIFF: Final = (
    "diff",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--no-renames",
    "--ignore-submodules=dirty",  # looking into a submodule would read its settings
)
_NO_COMMIT: Final = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"  # the empty tree, the same in every repository
_MOST_FILES: Final = 500
_MOST_BYTES: Final = 256 * 1024
_LISTED: Final = 10


class Changes:
    """What changed in a project since it was last shared. Where git gives no answer, nothing is known."""

    def __init__(self, root: str, environ: Mapping[str, str]) -> None:
        self._root: Final = root
        self._git: Final = QuietGit(environ, _SECONDS)
        self._base: str | None = None
        self.unsure = False  # git failed to answer something

    async def find_secrets(self) -> list[str]:
        """Where something that looks like a secret was added; never the secret itself."""
        base = await self._find_base()
        if base is None:
            return []
        diff, new = await self._diff("-U0", base, "--"), await self._list_new()
        return await in_thread(
            self._root, lambda: _first_few(dict.fromkeys(self._describe_secrets(diff, new))), _SECONDS
        )

    def _describe_secrets(self, diff: bytes, new: Sequence[str]) -> Iterator[str]:
        finder = Finder()
        for name, text in chain(_added(diff), self._texts(new)):
            if kinds := sorted({span.kind for span in finder.spans(text)}):
                yield f"`{name}` adds what looks like a secret ({', '.join(kinds)})"

    async def find_out_of_scope(self, scope: Sequence[str]) -> list[str]:
        """The changed files that no glob of the scope covers."""
        base = await self._find_base()
        if base is None or not scope:
            return []
        changed = _names(await self._diff("--name-only", "-z", base, "--"))
        covers = [re2.compile(f"(?s){glob_expression(glob)}") for glob in scope]
        names = dict.fromkeys((*changed, *await self._list_new()))
        return _first_few(
            f"`{name}` was changed and is out of scope ({', '.join(scope)})"
            for name in names
            if not any(pattern.fullmatch(name) for pattern in covers) and not _below(name, scope)
        )

    async def _find_base(self) -> str | None:
        """The commit to compare with: where the branch left its upstream, else the last one."""
        if self._base is None:
            inside = await self._git.ask(self._root, "rev-parse", "--is-inside-work-tree")
            if inside is None:
                self.unsure = True
                return None
            shared = await self._git.ask(self._root, "merge-base", "HEAD", "@{upstream}")
            last = shared or await self._git.ask(self._root, "rev-parse", "--verify", "HEAD")
            self._base = last.decode().strip() if last else _NO_COMMIT
        return self._base

    async def _list_new(self) -> list[str]:
        """Files that git neither tracks nor ignores."""
        names = _names(
            self._note(await self._git.ask(self._root, "ls-files", "-o", "--exclude-standard", "-z"))
        )
        self.unsure = self.unsure or len(names) > _MOST_FILES
        return names[:_MOST_FILES]

    def _texts(self, names: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        for name in names:
            path = Path(self._root, name)
            content = None if path.is_symlink() else read_file(str(path), _MOST_BYTES)
            if content is not None:
                yield name, content

    async def _diff(self, *words: str) -> bytes:
        return self._note(await self._git.compare(self._root, *_DIFF, *words))

    def _note(self, output: bytes | None) -> bytes:
        """Git's output. If it gives none, remember that and return nothing."""
        self.unsure = self.unsure or output is None
        return output or b""


def _added(diff: bytes) -> Iterator[tuple[str, bytes]]:
    """The added lines of each file in a diff."""
    name = ""
    lines: list[bytes] = []
    for line in diff.split(b"\n"):
        if line.startswith(b"+++ "):
            if lines:
                yield name, b"\n".join(lines)
            name, lines = line[4:].decode("utf-8", "replace").removeprefix("b/"), []
        elif line.startswith(b"+"):
            lines.append(line[1:])
    if lines:
        yield name, b"\n".join(lines)


def _names(output: bytes) -> list[str]:
    return [os.fsdecode(name) for name in output.split(b"\0") if name]


def _below(name: str, scope: Sequence[str]) -> bool:
    """A folder named without a glob covers everything below it."""
    return any(name.startswith(f"{folder.rstrip('/')}/") for folder in scope if "*" not in folder)


def _first_few(lines: Iterable[str]) -> list[str]:
    lines_all = list(lines)
    more = [f"… and {len(lines_all) - _LISTED} more like these"] if len(lines_all) > _LISTED else []
    return [*lines_all[:_LISTED], *more]


CHECK_SECONDS: Final = 120.0  # of a check without its own timeout
_LONGEST_SECONDS: Final = 600.0


class CheckSpec(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    command: Annotated[str, Meta(min_length=1)]
    timeout: Annotated[float, Meta(gt=0, le=_LONGEST_SECONDS)] | None = None


_TAIL_LINES: Final = 15
_TAIL: Final = 1_500
# By the file that shows a toolchain, the command of each check. The first match wins.
_TOOLCHAINS: Final[tuple[tuple[str, Mapping[str, str]], ...]] = (
    ("tsconfig.json", {"tsc": "npx --no-install tsc --noEmit"}),
    ("Cargo.toml", {"build": "cargo build", "test": "cargo test"}),
    ("go.mod", {"build": "go build ./...", "test": "go test ./..."}),
    ("pyproject.toml", {"test": "python3 -m pytest -q"}),
    ("setup.py", {"test": "python3 -m pytest -q"}),
)
_RUNNERS: Final = (
    ("pnpm-lock.yaml", "pnpm"),
    ("yarn.lock", "yarn"),
    ("bun.lock", "bun"),
    ("bun.lockb", "bun"),
)
_MAKEFILES: Final = ("GNUmakefile", "makefile", "Makefile")


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """A check that is ready to run; without a command, nobody knows how."""

    name: str
    command: str | None
    seconds: float = CHECK_SECONDS
    own: bool = False  # written in the contract, so the policy judges it like an agent's call


def checks_of(
    written: Mapping[str, bool | str | CheckSpec], root: str, commands: Mapping[str, str], seconds: float
) -> Iterator[Check]:
    """The enabled checks, in the order they are written; `commands` are the policy's own."""
    for name, value in written.items():
        if isinstance(value, CheckSpec):
            yield Check(name=name, command=value.command, seconds=value.timeout or seconds, own=True)
        elif isinstance(value, str):
            yield Check(name=name, command=value, seconds=seconds, own=True)
        elif value:
            yield Check(name=name, command=commands.get(name) or known_command(name, root), seconds=seconds)


def known_command(name: str, root: str) -> str | None:
    """The command a word stands for in this project, by the files in it."""
    script = _script(name, root)
    if script is not None:
        return script
    for file, commands in _TOOLCHAINS:
        if name in commands and Path(root, file).exists():
            return commands[name]
    return f"make {name}" if name in {"build", "test"} and _has_target(name, root) else None


def _script(name: str, root: str) -> str | None:
    try:
        package: Any = msgspec.json.decode(read_file(f"{root}/package.json") or b"")
    except (msgspec.DecodeError, UnicodeError):
        return None
    scripts = package.get("scripts") if isinstance(package, dict) else None
    if not isinstance(scripts, dict) or name not in scripts or name not in {"tsc", "build", "test"}:
        return None
    runner = next((program for lock, program in _RUNNERS if Path(root, lock).exists()), "npm")
    return f"{runner} run {name}"


def _has_target(name: str, root: str) -> bool:
    contents = (read_file(f"{root}/{file}") for file in _MAKEFILES)
    makefile = next((content for content in contents if content is not None), b"")
    return any(line.startswith(f"{name}:") for line in makefile.decode("utf-8", "replace").splitlines())


async def run_check(check: Check, root: str, env: Mapping[str, str], seconds: float) -> str | None:
    """What is wrong, or None if the check passes. Its process group is killed when its time is up."""
    if check.command is None:
        return f"check `{check.name}`: this project has no known command for it; add one to the contract"
    if seconds <= 0:
        return f"check `{check.name}`: no time was left to run it"
    limit = min(check.seconds, seconds)
    try:
        process = await run_program(
            (SHELL, "-c", check.command), stdin=None, cwd=root, env=env, seconds=limit
        )
    except HookFailedError:
        return f"check `{check.name}` did not finish within {limit:g} s ({check.command})"
    except (OSError, ValueError) as error:
        return f"check `{check.name}` could not be started: {error}"
    if process.code == 0:
        return None
    how = f"exit code {process.code}" if process.code > 0 else f"signal {-process.code}"
    return f"check `{check.name}` failed ({check.command}, {how}){_tail(process)}"


def _tail(process: FinishedProcess) -> str:
    output = (process.stdout + b"\n" + process.stderr).decode("utf-8", "replace").strip()
    lines = [line.rstrip() for line in output.splitlines() if line.strip()]
    excerpt = "\n".join(f"   | {line}" for line in lines[-_TAIL_LINES:])
    return f":\n{excerpt[-_TAIL:]}" if excerpt else ""


_GUESSED: Final = ("build", "test")  # what `technical` runs if no command is set
_GIT_SECONDS: Final = 60.0
_PROBLEM_LENGTH: Final = 2_000


class Submission(msgspec.Struct, frozen=True, kw_only=True):
    """The work that is checked."""

    op: str
    commitment: str
    workspace: str
    summary: str


def max_seconds(validator: Validator) -> float:
    """How many seconds a validator may take."""
    commands = 1 if validator.command else len(_GUESSED) * (validator.word == "technical")
    return commands * validator.seconds + _GIT_SECONDS * (validator.secrets or bool(validator.scope))


class ValidatorRunner:
    """Runs one set at a time in a workspace: two builds in one folder would spoil each other."""

    def __init__(self, environ: Mapping[str, str], trusted: Callable[[str], bool]) -> None:
        self._environ: Final = dict(environ)
        self._trusted: Final = trusted  # whether a person trusts the project as it is now
        self._busy: Final[set[str]] = set()

    async def run(
        self, validators: Sequence[Validator], work: Submission, session: str
    ) -> list[ValidatorResult]:
        """Run all of them in order, so that everything can be fixed at once."""
        if work.workspace in self._busy:
            raise RefusedError(
                Code.WORKSPACE_LOCKED,
                "validators are already running in this project",
                "try again when they have finished",
            )
        self._busy.add(work.workspace)
        try:
            return [await self._result(validator, work, session) for validator in validators]
        finally:
            self._busy.discard(work.workspace)

    async def _result(self, validator: Validator, work: Submission, session: str) -> ValidatorResult:
        start = time.perf_counter()
        try:
            problems = [problem async for problem in self._problems(validator, work, session)]
        except Exception as error:  # noqa: BLE001 - whatever it is, what could not be looked at has not passed
            problems = [f"the check could not run ({type(error).__name__}: {error})"]
        return ValidatorResult(
            word=validator.word,
            file=validator.file,
            passed=not problems,
            problem="; ".join(problems)[:_PROBLEM_LENGTH],
            duration_ms=round((time.perf_counter() - start) * 1000, 1),
        )

    async def _problems(self, validator: Validator, work: Submission, session: str) -> AsyncIterator[str]:
        if not validator.usable:
            yield f"{validator.file} changed since it was trusted; run `interlock trust`"
            return
        if validator.phrase is not None and validator.phrase not in work.summary:
            yield f"the summary does not contain `{validator.phrase}`"
        async for problem in self._changes(validator, work):
            yield problem
        checks = []
        # The repository's own build command counts only if a person trusts the repository.
        if validator.command is not None:
            checks = [Check(name=validator.word, command=validator.command, seconds=validator.seconds)]
        elif validator.word == "technical" and self._trusted(work.workspace):
            commands = ((name, known_command(name, work.workspace)) for name in _GUESSED)
            checks = [
                Check(name=name, command=text, seconds=validator.seconds) for name, text in commands if text
            ]
        if not checks and validator.word == "technical":
            yield "this project has no known command for it; set `validation.validators.technical.command`"
        event = Event(name=work.op, session_id=session, cwd=work.workspace)
        built = hook_environment(self._environ, event, (), self._environ.get("PATH", os.defpath))
        for check in checks:
            env = {**built, "HOOK_COMMITMENT_ID": work.commitment}
            if (fault := await run_check(check, work.workspace, env, check.seconds)) is not None:
                yield fault

    async def _changes(self, validator: Validator, work: Submission) -> AsyncIterator[str]:
        if not validator.secrets and not validator.scope:
            return
        changes = Changes(work.workspace, self._environ)
        for problem in await changes.find_secrets() if validator.secrets else ():
            yield problem
        for problem in await changes.find_out_of_scope(validator.scope):
            yield problem
        if changes.unsure:
            yield "git cannot list all that was changed here"
