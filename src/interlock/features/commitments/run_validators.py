"""The checks of a contract, and running what must pass before a commitment is handed in or closed."""

from __future__ import annotations

import os
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from interlock.builtin_hooks.project_files import read_file
from interlock.errors import HookFailedError
from interlock.events.event import Event
from interlock.features.commitments.changed_files import Changes
from interlock.features.commitments.errors import Code, RefusedError
from interlock.features.commitments.policy import Validator
from interlock.features.commitments.validation import ValidatorResult
from interlock.handlers.command import SHELL
from interlock.handlers.environment import hook_environment
from interlock.handlers.process import FinishedProcess, run_program

CHECK_SECONDS: Final = 120.0  # of a check that says no time of its own
_LONGEST_SECONDS: Final = 600.0


class CheckSpec(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A command of one's own, with its own time."""

    command: Annotated[str, Meta(min_length=1)]
    timeout: Annotated[float, Meta(gt=0, le=_LONGEST_SECONDS)] | None = None


_TAIL_LINES: Final = 15
_TAIL: Final = 1_500
# By the file that shows a toolchain: which command each word is. The first that knows the word is taken.
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
    """One check, ready to run; without a command nobody knows how."""

    name: str
    command: str | None
    seconds: float = CHECK_SECONDS
    own: bool = False  # the contract's own words, which the policy judges like a call of the agent


def checks_of(
    written: Mapping[str, bool | str | CheckSpec], root: str, commands: Mapping[str, str], seconds: float
) -> Iterator[Check]:
    """The checks that are on, in the order they are written; `commands` are the policy's own."""
    for name, value in written.items():
        if isinstance(value, CheckSpec):
            yield Check(name=name, command=value.command, seconds=value.timeout or seconds, own=True)
        elif isinstance(value, str):
            yield Check(name=name, command=value, seconds=seconds, own=True)
        elif value:
            yield Check(name=name, command=commands.get(name) or known_command(name, root), seconds=seconds)


def known_command(name: str, root: str) -> str | None:
    """The command a word stands for in this project, by the files that are there."""
    script = _script(name, root)
    if script is not None:
        return script
    for file, known in _TOOLCHAINS:
        if name in known and Path(root, file).exists():
            return known[name]
    return f"make {name}" if name in {"build", "test"} and _has_target(name, root) else None


def _script(name: str, root: str) -> str | None:
    try:
        package: Any = msgspec.json.decode(read_file(f"{root}/package.json") or b"")
    except (msgspec.DecodeError, UnicodeError):
        return None
    scripts = package.get("scripts") if isinstance(package, dict) else None
    if not isinstance(scripts, dict) or name not in scripts or name not in {"tsc", "build", "test"}:
        return None
    runner = next((one for lock, one in _RUNNERS if Path(root, lock).exists()), "npm")
    return f"{runner} run {name}"


def _has_target(name: str, root: str) -> bool:
    for file in _MAKEFILES:
        content = read_file(f"{root}/{file}")
        if content is not None:
            return any(
                line.startswith(f"{name}:") for line in content.decode("utf-8", "replace").splitlines()
            )
    return False


async def failure(check: Check, root: str, env: Mapping[str, str], seconds: float) -> str | None:
    """What is wrong with a check, None when it passes; its whole process group ends with its time."""
    if check.command is None:
        return f"check `{check.name}`: this project has no known command for it; add one to the contract"
    if seconds <= 0:
        return f"check `{check.name}`: no time was left to run it"
    given = min(check.seconds, seconds)
    try:
        ended = await run_program((SHELL, "-c", check.command), stdin=None, cwd=root, env=env, seconds=given)
    except HookFailedError:
        return f"check `{check.name}` did not finish within {given:g} s ({check.command})"
    except (OSError, ValueError) as error:
        return f"check `{check.name}` could not be started: {error}"
    if ended.code == 0:
        return None
    how = f"exit code {ended.code}" if ended.code > 0 else f"signal {-ended.code}"
    return f"check `{check.name}` failed ({check.command}, {how}){_tail(ended)}"


def _tail(ended: FinishedProcess) -> str:
    said = (ended.stdout + b"\n" + ended.stderr).decode("utf-8", "replace").strip()
    lines = [line.rstrip() for line in said.splitlines() if line.strip()]
    shown = "\n".join(f"   | {line}" for line in lines[-_TAIL_LINES:])
    return f":\n{shown[-_TAIL:]}" if shown else ""


_GUESSED: Final = ("build", "test")  # what `technical` stands for where no command is written
_GIT_SECONDS: Final = 60.0
_TOLD: Final = 2_000


class HandedIn(msgspec.Struct, frozen=True, kw_only=True):
    """The work that is looked at."""

    op: str
    commitment: str
    workspace: str
    summary: str


def longest(validator: Validator) -> float:
    """How many seconds a validator may take."""
    commands = 1 if validator.command else len(_GUESSED) * (validator.word == "technical")
    return commands * validator.seconds + _GIT_SECONDS * (validator.secrets or bool(validator.scope))


class ValidatorRunner:
    """One run at a time in a workspace: two builds in one folder would spoil each other."""

    def __init__(self, environ: Mapping[str, str], trusted: Callable[[str], bool]) -> None:
        self._environ: Final = dict(environ)
        self._trusted: Final = trusted  # whether a person trusts a project as it is now
        self._busy: Final[set[str]] = set()

    async def run(
        self, validators: Sequence[Validator], work: HandedIn, session: str
    ) -> list[ValidatorResult]:
        """What comes of each, in order; all of them, so that everything can be fixed at once."""
        if work.workspace in self._busy:
            raise RefusedError(
                Code.WORKSPACE_LOCKED,
                "validators already run in this project",
                "try again when they are done",
            )
        self._busy.add(work.workspace)
        try:
            return [await self._result(one, work, session) for one in validators]
        finally:
            self._busy.discard(work.workspace)

    async def _result(self, validator: Validator, work: HandedIn, session: str) -> ValidatorResult:
        start = time.perf_counter()
        try:
            found = [one async for one in self._problems(validator, work, session)]
        except Exception as error:  # noqa: BLE001 - whatever it is, what could not be looked at has not passed
            found = [f"the check could not run ({type(error).__name__}: {error})"]
        return ValidatorResult(
            word=validator.word,
            file=validator.file,
            passed=not found,
            told="; ".join(found)[:_TOLD],
            duration_ms=round((time.perf_counter() - start) * 1000, 1),
        )

    async def _problems(self, validator: Validator, work: HandedIn, session: str) -> AsyncIterator[str]:
        if not validator.usable:
            yield f"{validator.file} changed since it was trusted; run `interlock trust`"
            return
        if validator.phrase is not None and validator.phrase not in work.summary:
            yield f"the summary does not contain `{validator.phrase}`"
        async for one in self._changes(validator, work):
            yield one
        checks = self._checks(validator, work)
        if not checks and validator.word == "technical":
            yield "this project has no known command for it; set `validation.validators.technical.command`"
        env = self._env(work, session)
        for check in checks:
            problem = await failure(check, work.workspace, env, check.seconds)
            if problem is not None:
                yield problem

    def _checks(self, validator: Validator, work: HandedIn) -> list[Check]:
        if validator.command is not None:
            return [Check(name=validator.word, command=validator.command, seconds=validator.seconds)]
        # What a repository calls its build is its own word: it counts where somebody trusts it.
        if validator.word != "technical" or not self._trusted(work.workspace):
            return []
        known = ((name, known_command(name, work.workspace)) for name in _GUESSED)
        return [
            Check(name=name, command=command, seconds=validator.seconds) for name, command in known if command
        ]

    async def _changes(self, validator: Validator, work: HandedIn) -> AsyncIterator[str]:
        if not validator.secrets and not validator.scope:
            return
        changes = Changes(work.workspace, self._environ)
        for one in await changes.secrets() if validator.secrets else ():
            yield one
        for one in await changes.outside(validator.scope):
            yield one
        if changes.unsure:
            yield "git cannot list all that was changed here"

    def _env(self, work: HandedIn, session: str) -> dict[str, str]:
        event = Event(name=work.op, session_id=session, cwd=work.workspace)
        path = self._environ.get("PATH", os.defpath)
        built = hook_environment(self._environ, event, (), path)
        return {**built, "HOOK_COMMITMENT_ID": work.commitment}
