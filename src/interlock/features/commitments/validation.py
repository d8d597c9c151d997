"""What must pass before a commitment is handed in or closed, and what came of it."""

from __future__ import annotations

import os
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from typing import Final

import msgspec

from interlock.events.event import Event
from interlock.events.tool import JsonObject
from interlock.features.commitments.constraints import SYSTEM, tier_of
from interlock.features.commitments.errors import Code, RefusedError
from interlock.features.commitments.operation import Operation
from interlock.features.commitments.policy import Charter, Tier, Validator
from interlock.features.commitments.records import new_id
from interlock.features.commitments.state import State
from interlock.features.gates.changed_files import Changes
from interlock.features.gates.checks import Check, failure, known_command
from interlock.handlers.environment import hook_environment

KIND: Final = "validator_result"  # of the memories; a `validation` is somebody's, and these are nobody's
VALIDATED: Final = frozenset({"submit", "close"})
_LONGEST: Final = 4_000


class Validated(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one validator."""

    word: str
    file: str
    passed: bool
    told: str = ""  # what is wrong
    duration_ms: float = 0.0

    @property
    def document(self) -> JsonObject:
        """For programs."""
        about: JsonObject = {"validator": self.word, "file": self.file, "passed": self.passed}
        return {**about, "duration_ms": self.duration_ms, **({"told": self.told} if self.told else {})}


def wanted(op: str, payload: JsonObject, state: State, charter: Charter) -> tuple[Validator, ...]:
    """The validators an operation needs; a duplicate is closed without looking at the work."""
    commitment = state.commitments.get(str(payload.get("commitment", "")))
    if op not in VALIDATED or commitment is None or "duplicate_of" in payload:
        return ()
    asked, tier = payload.get("tier"), tier_of(commitment, state, charter)
    return charter.validators(max(tier, Tier(asked)) if asked in tuple(Tier) else tier)


def check_validators(
    operation: Operation, state: State, charter: Charter, validated: Sequence[Validated]
) -> None:
    """Refuse what did not pass, or did not run at all."""
    if operation.actor == SYSTEM:
        return
    passed = {(one.word, one.file) for one in validated if one.passed}
    missing = [
        one.word
        for one in wanted(operation.op, operation.payload, state, charter)
        if (one.word, one.file) not in passed
    ]
    if missing:
        raise RefusedError(
            Code.CONSTRAINT_VIOLATED,
            f"what must pass before has not run ({', '.join(dict.fromkeys(missing))})",
            f"use `interlock {operation.op}`, which runs it",
            constraint="validators",
        )


def failing(operation: str, name: str, validated: Sequence[Validated]) -> RefusedError:
    """The refusal of an operation whose validators did not all pass."""
    told = "; ".join(f"{one.word}: {one.told}" for one in validated if not one.passed)
    return RefusedError(
        Code.CONSTRAINT_VIOLATED,
        f"`{name}` did not pass its validators ({told})",
        f"mend that and {operation} it again",
        constraint="validators",
        validators=[one.document for one in validated],
    )


def result_memories(
    like: Operation, name: str, validated: Sequence[Validated], ids: set[str]
) -> Iterator[Operation]:
    """A memory of what came of each validator, captured by Interlock itself."""
    for one in validated:
        said = "passed" if one.passed else f"failed: {one.told}"
        yield msgspec.structs.replace(
            like,
            op="capture",
            id=new_id("capture", ids),
            actor=SYSTEM,
            payload={"body": f"{one.word} {said}"[:_LONGEST], "kind": KIND, "refs": [name]},
            meta={"validator": one.word, "passed": one.passed, "file": one.file, "ms": one.duration_ms},
            source_key=None,
            claimed_actor=None,
            authenticated_by=None,
        )


_GUESSED: Final = ("build", "test")  # what `technical` stands for where no command is written
_GIT_SECONDS: Final = 60.0
_TOLD: Final = 2_000


class Handed(msgspec.Struct, frozen=True, kw_only=True):
    """The work that is looked at."""

    op: str
    commitment: str
    workspace: str
    summary: str


def longest(validator: Validator) -> float:
    """How many seconds a validator may take."""
    commands = 1 if validator.command else len(_GUESSED) * (validator.word == "technical")
    return commands * validator.seconds + _GIT_SECONDS * (validator.secrets or bool(validator.scope))


class Validating:
    """One run at a time in a workspace: two builds in one folder would spoil each other."""

    def __init__(self, environ: Mapping[str, str], trusted: Callable[[str], bool]) -> None:
        self._environ: Final = dict(environ)
        self._trusted: Final = trusted  # whether a person trusts a project as it is now
        self._busy: Final[set[str]] = set()

    async def run(self, validators: Sequence[Validator], work: Handed, session: str) -> list[Validated]:
        """What comes of each, in order; all of them, so that everything can be mended at once."""
        if work.workspace in self._busy:
            raise RefusedError(
                Code.WORKSPACE_LOCKED,
                "validators run in this project already",
                "try again when they are done",
            )
        self._busy.add(work.workspace)
        try:
            return [await self._result(one, work, session) for one in validators]
        finally:
            self._busy.discard(work.workspace)

    async def _result(self, validator: Validator, work: Handed, session: str) -> Validated:
        start = time.perf_counter()
        try:
            found = [one async for one in self._problems(validator, work, session)]
        except Exception as error:  # noqa: BLE001 - whatever it is, what could not be looked at has not passed
            found = [f"it could not be looked at ({type(error).__name__}: {error})"]
        return Validated(
            word=validator.word,
            file=validator.file,
            passed=not found,
            told="; ".join(found)[:_TOLD],
            duration_ms=round((time.perf_counter() - start) * 1000, 1),
        )

    async def _problems(self, validator: Validator, work: Handed, session: str) -> AsyncIterator[str]:
        if not validator.usable:
            yield f"{validator.file} changed since it was trusted; run `interlock trust`"
            return
        if validator.phrase is not None and validator.phrase not in work.summary:
            yield f"the summary does not say `{validator.phrase}`"
        async for one in self._changes(validator, work):
            yield one
        checks = self._checks(validator, work)
        if not checks and validator.word == "technical":
            yield "no command is known for it here; write `validation.validators.technical.command`"
        env = self._env(work, session)
        for check in checks:
            problem = await failure(check, work.workspace, env, check.seconds)
            if problem is not None:
                yield problem

    def _checks(self, validator: Validator, work: Handed) -> list[Check]:
        if validator.command is not None:
            return [Check(name=validator.word, command=validator.command, seconds=validator.seconds)]
        # What a repository calls its build is its own word: it counts where somebody trusts it.
        if validator.word != "technical" or not self._trusted(work.workspace):
            return []
        known = ((name, known_command(name, work.workspace)) for name in _GUESSED)
        return [
            Check(name=name, command=command, seconds=validator.seconds) for name, command in known if command
        ]

    async def _changes(self, validator: Validator, work: Handed) -> AsyncIterator[str]:
        if not validator.secrets and not validator.scope:
            return
        changes = Changes(work.workspace, self._environ)
        for one in await changes.secrets() if validator.secrets else ():
            yield one
        for one in await changes.outside(validator.scope):
            yield one
        if changes.unsure:
            yield "git does not tell all that was changed here"

    def _env(self, work: Handed, session: str) -> dict[str, str]:
        event = Event(name=work.op, session_id=session, cwd=work.workspace)
        path = self._environ.get("PATH", os.defpath)
        built = hook_environment(self._environ, event, (), path)
        return {**built, "HOOK_COMMITMENT_ID": work.commitment}
