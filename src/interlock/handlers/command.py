"""A hook that is a shell command."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar, Final

from interlock.errors import FailureKind, HookFailedError
from interlock.events.event import Event
from interlock.events.hook import CallView, Dialect, Pattern
from interlock.events.verdict import NO_OPINION, Verdict, Vote, deny
from interlock.handlers.answers import parse_output
from interlock.handlers.environment import check_pass_env, context_document, encode_context, hook_environment
from interlock.handlers.process import STDOUT_CAP, FinishedProcess, run_program

SHELL: Final = "/bin/sh"  # by its full name: no PATH decides which shell this is
BLOCKING: Final = 2  # the exit code by which a hook says no
STDERR_SHOWN: Final = 2048


@dataclass(frozen=True)
class CommandHandler:
    """Runs `sh -c command` where the event happened, or in its own folder, and reads what it prints."""

    command: str
    _: KW_ONLY
    pass_context: bool = True  # the event document on standard input
    parse_result: bool = True  # an answer on standard output
    dialect: Dialect = Dialect.GENESIS
    pass_env: tuple[str, ...] = ()
    folder: str | None = None  # where it runs; None: where the event happened
    base_env: Mapping[str, str] = field(repr=False, hash=False)
    path: str

    kind: ClassVar[str] = "command"
    judges: ClassVar[bool] = True
    instant: ClassVar[bool] = False
    patterns: ClassVar[Sequence[Pattern]] = ()

    def __post_init__(self) -> None:
        check_pass_env(self.pass_env)

    def fingerprint(self) -> Any:
        """The command and how it is spoken to."""
        return [self.command, self.pass_context, self.parse_result, list(self.pass_env)]

    async def run(self, view: CallView, seconds: float) -> Verdict:
        """Run the command and read its exit code and output by the rules of its dialect."""
        finished = await self._run_command(view.event, seconds)
        if finished.code == BLOCKING and self.dialect is not Dialect.HOOKS_TOML:
            return self._read_block(finished, view.event)
        if finished.code != 0:
            return self._read_failure(finished, view.event)
        return self._answer(finished, view.event)

    async def _run_command(self, event: Event, seconds: float) -> FinishedProcess:
        env = hook_environment(self.base_env, event, self.pass_env, self.path)
        context = encode_context(context_document(event, env)) if self.pass_context else None
        folder = self.folder or event.cwd
        _check_directory(folder)
        try:
            return await run_program(
                (SHELL, "-c", self.command), stdin=context, cwd=folder or None, env=env, seconds=seconds
            )
        except (OSError, ValueError) as error:  # ValueError: a NUL in the command
            raise HookFailedError(FailureKind.SPAWN, f"Hook error: {error}") from error

    def _answer(self, finished: FinishedProcess, event: Event) -> Verdict:
        if not self.parse_result:
            return NO_OPINION
        if finished.truncated:
            raise HookFailedError(
                FailureKind.GARBAGE,
                f"the hook printed more than {STDOUT_CAP >> 20} MiB, expected one short answer",
            )
        return parse_output(finished.stdout, event, self.dialect)

    def _read_block(self, finished: FinishedProcess, event: Event) -> Verdict:
        # Whatever was printed, exit 2 says no; only another no may say it in better words.
        try:
            verdict = self._answer(finished, event)
        except HookFailedError:
            verdict = NO_OPINION
        if verdict.vote is Vote.DENY:
            return verdict
        return deny(_stderr(finished) or f"the hook exited with code {BLOCKING} and gave no reason")

    def _read_failure(self, finished: FinishedProcess, event: Event) -> Verdict:
        failure = HookFailedError(
            FailureKind.EXIT, f"Hook failed: {_stderr(finished) or _ending(finished.code)}"
        )
        if self.dialect is not Dialect.CLAUDE or not finished.stdout.lstrip().startswith(b"{"):
            raise failure
        try:
            return self._answer(finished, event)
        except HookFailedError as error:
            raise failure from error


def _check_directory(cwd: str) -> None:
    if cwd and ("\0" in cwd or not os.path.isdir(cwd)):
        raise HookFailedError(FailureKind.SPAWN, f"Hook error: the working directory `{cwd}` does not exist")


def _stderr(finished: FinishedProcess) -> str:
    return finished.stderr.decode("utf-8", "replace").strip()[:STDERR_SHOWN]


def _ending(code: int) -> str:
    return f"exit code {code}" if code > 0 else f"killed by signal {-code}"
