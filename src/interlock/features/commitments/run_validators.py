"""Running what must pass before a commitment is handed in or closed."""

from __future__ import annotations

import os
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Final

import msgspec

from interlock.events.event import Event
from interlock.features.commitments.changed_files import Changes
from interlock.features.commitments.check_commands import Check, failure, known_command
from interlock.features.commitments.errors import Code, RefusedError
from interlock.features.commitments.policy import Validator
from interlock.features.commitments.validation import ValidatorResult
from interlock.handlers.environment import hook_environment

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
