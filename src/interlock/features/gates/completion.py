"""`completion`: a turn may end when the project's contract is met, and is sent back until then."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final

import msgspec
from msgspec import UNSET, Meta, UnsetType

from interlock.engine.session_memory import Rounds, RoundsInMemory
from interlock.events.event import Event
from interlock.events.hook import CallView, Handler, Pattern
from interlock.events.names import EventName
from interlock.events.verdict import Verdict, allow, deny
from interlock.features.commitments.run_validators import CHECK_SECONDS, Changes, Check, checks_of, failure
from interlock.features.gates.contract import Contract, ContractError, Tier, as_contract, read_contract
from interlock.features.gates.project_state_api import ProjectStateApi, ReadOnlyProjectState
from interlock.handlers.environment import hook_environment
from interlock.policy.format.entry import Seconds, Text
from interlock.policy.hook_kind import BuildContext, Builtin

_POLICY: Final = "the policy"  # where a contract stands that is in no file of the project
_SPARE: Final = 1.0  # seconds kept to answer in
_ENDED: Final = frozenset({"closed", "duplicate", "cancelled", "in_review"})
_LAST: Final = "last_assistant_message"


@dataclass(frozen=True, kw_only=True)
class Terms:
    """What the policy says of contracts."""

    contract: Contract | None = None  # its own, in place of the project's file
    commands: Mapping[str, str] = field(default_factory=dict)  # of checks that are only switched on
    check_seconds: float = CHECK_SECONDS
    secrets: bool = False
    scope: tuple[str, ...] = ()
    intent: str | None = None
    hand_in: bool = False


@dataclass(frozen=True, kw_only=True)
class Completion:
    """Looks at files, commitments and changes first; runs the checks once those are as they should be."""

    terms: Terms = Terms()
    ground: ProjectStateApi | None = None
    rounds: Rounds | None = None
    base_env: Mapping[str, str] = field(repr=False, hash=False, default_factory=dict)
    path: str = os.defpath

    kind: ClassVar[str] = "completion"
    judges: ClassVar[bool] = True
    instant: ClassVar[bool] = False
    patterns: ClassVar[Sequence[Pattern]] = ()

    def fingerprint(self) -> Any:
        """The terms."""
        terms = self.terms
        return [repr(terms.contract), dict(terms.commands), terms.secrets, list(terms.scope), terms.intent]

    async def run(self, view: CallView, seconds: float) -> Verdict:
        """Let the turn end, or say in order what is missing."""
        event = view.event
        if self.ground is None or self.rounds is None:
            return Verdict(reason="completion contracts need the daemon")
        root = self.ground.trusted(event)
        try:
            found = self._find_contract(root)
        except ContractError as error:
            return _malformed(str(error), event)
        if found is None:
            return self._without(event, root)
        name, contract = found
        place = root or event.project or event.cwd
        return await _Review(self, event, name, contract, place, seconds, self.ground, self.rounds).verdict()

    def _find_contract(self, root: str | None) -> tuple[str, Contract] | None:
        if self.terms.contract is not None:
            return _POLICY, self.terms.contract
        return read_contract(root) if root else None

    def _without(self, event: Event, root: str | None) -> Verdict:
        """No contract is in force; a project that nobody trusts is told apart from one that has none."""
        if root is not None:
            return Verdict(reason="the project has no completion contract")
        reason = "this project is not trusted, so its contract is not used; run `interlock trust` in it"
        try:
            waiting = read_contract(os.path.realpath(event.project or event.cwd or "/")) is not None
        except ContractError:
            waiting = True
        return Verdict(
            reason=reason, message=f"found a completion contract, but {reason}" if waiting else None
        )


@dataclass(frozen=True)
class _Review:
    """One look at one contract."""

    by: Completion
    event: Event
    file: str
    contract: Contract
    root: str
    seconds: float
    ground: ProjectStateApi
    rounds: Rounds

    async def verdict(self) -> Verdict:
        most, key = self.contract.max_iterations, f"completion:{self.root}:{self.file}"
        done = self.rounds.count(self.event.session_id, key)
        again = self.event.extra.get("stop_hook_active") is True
        title = f"`{self.contract.name}` in {self.file}" if self.contract.name else f"the one in {self.file}"
        if done >= most or (most == 1 and again):
            told = f"completion contract {title}: not checked again after {max(done, 1)} of {most} rounds"
            return Verdict(reason=told, message=told)
        missing = await self._missing()
        if not missing:
            return await self._met(title)
        self.rounds.add(self.event.session_id, key)
        listed = "\n".join(f"{number}. {one}" for number, one in enumerate(missing, 1))
        return deny(
            f"the completion contract is not met yet ({title}, round {done + 1} of {most}):\n{listed}"
        )

    async def _met(self, title: str) -> Verdict:
        handed = None
        if self.by.terms.hand_in:
            said = self.event.extra.get(_LAST)
            summary = said if isinstance(said, str) and said.strip() else "The completion contract is met."
            handed = await self.ground.hand_in(self.event, summary[:500])
        told = f"; {handed}" if handed else ""
        return allow(f"the completion contract is met ({title}){told}")

    async def _missing(self) -> list[str]:
        found = [*self._files(), *self._commitments(), *[one async for one in self._changes()]]
        found += self._intent()
        checks = list(
            checks_of(self.contract.checks, self.root, self.by.terms.commands, self.by.terms.check_seconds)
        )
        if found:
            # A build takes its time: it waits until there is something to build.
            return [*found, *(f"check `{check.name}`: runs once the above is done" for check in checks)]
        return [one async for one in self._failing(checks)]

    def _files(self) -> list[str]:
        return [
            f"missing file: {name}" for name in self.contract.required_files if not _exists(self.root, name)
        ]

    def _commitments(self) -> list[str]:
        mentu = self.contract.mentu
        if mentu is None or not mentu.enabled:
            return []
        terms = mentu.commitments
        owed = self.ground.owed(self.event, terms.ids if terms.mode == "static" else None)
        known = {one.id for one in owed}
        found = [f"there is no commitment `{name}`" for name in terms.ids if name not in known]
        if len(owed) < terms.min_count:
            found.append(
                f"{len(owed)} of at least {terms.min_count} commitments; "
                "make one with `interlock commit` and claim it with `interlock claim`"
            )
        for one in owed:
            if terms.require_closed and one.state not in _ENDED:
                found.append(f"{one.id} is {one.state}; submit or close it with evidence")
            elif terms.require_evidence and one.state in {"closed", "in_review"} and not one.evidence:
                found.append(f"{one.id} is {one.state} without evidence; reopen it and close it with some")
        return found

    async def _changes(self) -> AsyncIterator[str]:
        terms = self.by.terms
        scope = (*terms.scope, *self.contract.scope)
        if self._tier() < Tier.SAFETY or not (terms.secrets or scope):
            return
        changes = Changes(self.root, self.by.base_env)
        for one in await changes.secrets() if terms.secrets else ():
            yield one
        for one in await changes.outside(scope):
            yield one

    def _intent(self) -> list[str]:
        word, said = self.by.terms.intent, self.event.extra.get(_LAST)
        if word is None or self._tier() < Tier.INTENT or (isinstance(said, str) and word in said):
            return []
        return [f"write `{word}` in your last message once everything is done"]

    def _tier(self) -> Tier:
        """What the contract says, but never less than the tier of the commitment that is worked on."""
        written = str((self.event.commitment or {}).get("tier", ""))
        own = Tier(int(written[-1])) if written in {"tier_1", "tier_2", "tier_3"} else None
        known = [tier for tier in (self.contract.level, own) if tier is not None]
        return max(known, default=Tier.SAFETY)

    async def _failing(self, checks: Sequence[Check]) -> AsyncIterator[str]:
        env = hook_environment(self.by.base_env, self.event, (), self.by.path)
        loop = asyncio.get_running_loop()
        end = loop.time() + self.seconds - _SPARE
        for check in checks:
            trusted = self.file == _POLICY or not check.own or check.command is None
            against = None if trusted else await self.ground.objection(self.event, check.command or "")
            if against is not None:
                yield f"check `{check.name}` was not run: the policy would not let you run it ({against})"
                continue
            problem = await failure(check, self.root, env, end - loop.time())
            if problem is not None:
                yield problem


def _exists(root: str, name: str) -> bool:
    if "\0" in name:
        return False
    path = os.path.realpath(Path(root, name))
    return os.path.commonpath((path, root)) == root and Path(path).exists()


def _malformed(message: str, event: Event) -> Verdict:
    """The agent can fix the file, so it is told once; after that the stop is open, as every stop is."""
    if event.extra.get("stop_hook_active") is True:
        return Verdict(reason=message, message=f"no completion contract is in force: {message}")
    return deny(message)


class CompletionConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is asked before a turn may end, beside the contract of the project."""

    contract: (
        Annotated[dict[str, Any], Meta(description="A contract in place of the project's file.")] | UnsetType
    ) = UNSET
    commands: Annotated[
        dict[str, Text], Meta(description="The commands of checks that are only enabled by name.")
    ] = {}
    check_timeout: Seconds = CHECK_SECONDS
    secrets: Annotated[bool, Meta(description="true: no secrets in changed files, from tier 2.")] = False
    scope: Annotated[list[Text], Meta(description="Globs of files that may be changed, from tier 2.")] = []
    intent: (
        Annotated[Text, Meta(description="A word the last message must contain, at tier 3.")] | UnsetType
    ) = UNSET
    hand_in: Annotated[bool, Meta(description="true: submits the session's commitment at the end.")] = False


def _make(options: CompletionConfig, context: BuildContext) -> Handler | None:
    if context.event is not EventName.STOP:
        context.misplaced("a contract is checked when a turn ends; move it to `stop`")
        return None
    contract: Contract | None = None
    if options.contract:
        try:
            contract = as_contract(options.contract)
        except ContractError as error:
            context.problem("contract", str(error))
            return None
    terms = Terms(
        contract=contract,
        commands=dict(options.commands),
        check_seconds=options.check_timeout,
        secrets=options.secrets,
        scope=tuple(options.scope),
        intent=options.intent or None,
        hand_in=options.hand_in,
    )
    ground, rounds = context.services.find(ProjectStateApi), context.services.find(Rounds)
    if context.trial:  # it hands nothing in, and counts apart
        ground, rounds = ground and ReadOnlyProjectState(ground), rounds and RoundsInMemory()
    return Completion(
        terms=terms,
        ground=ground,
        rounds=rounds,
        base_env=context.environ,
        path=context.environ.get("PATH", os.defpath),
    )


BUILTIN: Final = Builtin(
    kind="completion",
    about="Sends a turn back until its contract is met.",
    options=CompletionConfig,
    make=_make,
    seconds=540.0,
    loops=True,
)
