"""`completion`: a turn may end when the project's contract is met, and is sent back until then."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from enum import IntEnum
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from interlock.builtin_hooks.project_files import read_file
from interlock.engine.session_memory import Rounds, RoundsInMemory
from interlock.events.event import Event
from interlock.events.hook import CallView, Handler
from interlock.events.names import EventName
from interlock.events.rule import SlowRule
from interlock.events.verdict import Verdict, allow, deny
from interlock.features.commitments.run_validators import (
    CHECK_SECONDS,
    Changes,
    Check,
    CheckSpec,
    checks_of,
    run_check,
)
from interlock.features.gates.reviews import LAST_MESSAGE
from interlock.features.gates.service import ProjectState
from interlock.handlers.environment import hook_environment
from interlock.policy.format.entry import Seconds, Text, about
from interlock.policy.hook_kind import BuildContext, Builtin

FILES: Final = (".interlock/completion.json", ".claude/completion.json")
_MOST_BYTES: Final = 256 * 1024
_POLICY: Final = "the policy"  # the place of a contract that is not in a file of the project
_SPARE: Final = 1.0  # seconds kept to answer in
_DONE: Final = frozenset({"closed", "duplicate", "cancelled", "in_review"})


class ContractError(Exception):
    """A contract that cannot be read; the message says where and what to do."""


class Tier(IntEnum):
    """How much is checked: that it works, that it is safe, that it is what was meant."""

    TECHNICAL = 1
    SAFETY = 2
    INTENT = 3


class _Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A mapping whose keys are all known."""


class CommitmentTerms(_Part, frozen=True, kw_only=True):
    """What commitments must fulfil."""

    mode: Literal["dynamic", "static"] = "dynamic"  # those of this session, or those in `ids`
    ids: tuple[Text, ...] = ()
    min_count: Annotated[int, Meta(ge=0)] = 0
    require_closed: bool = False
    require_evidence: bool = False


class MentuTerms(_Part, frozen=True, kw_only=True):
    """Whether commitments are checked, and how."""

    enabled: bool = True
    commitments: CommitmentTerms = CommitmentTerms()


class Contract(_Part, frozen=True, kw_only=True):
    """The members of the file."""

    version: str = "2.0"
    name: str = ""
    tier: Literal["T1", "T2", "T3", "tier_1", "tier_2", "tier_3"] | None = None
    required_files: tuple[Text, ...] = ()
    checks: dict[str, bool | str | CheckSpec] = {}
    scope: tuple[Text, ...] = ()  # globs of files that may be changed
    mentu: MentuTerms | None = None  # missing: commitments are not checked
    max_iterations: Annotated[int, Meta(ge=1, le=1_000)] = 1


def read_contract(root: str) -> tuple[str, Contract] | None:
    """The contract of a project and the name of its file, if there is one."""
    name = next((name for name in FILES if os.path.lexists(f"{root}/{name}")), None)
    if name is None:
        return None
    real = os.path.realpath(f"{root}/{name}")
    if os.path.commonpath((real, root)) != root:
        raise ContractError(f"`{name}` links to a file outside the project; put the file itself there")
    content = read_file(real, _MOST_BYTES + 1)
    if content is None:
        raise ContractError(f"`{name}` cannot be read; make it a readable file")
    if len(content) > _MOST_BYTES:
        raise ContractError(f"`{name}` is longer than {_MOST_BYTES:,} bytes; shorten it")
    try:
        return name, msgspec.json.decode(content, type=Contract)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise ContractError(f"`{name}` is not a completion contract: {_suggest(str(error))}") from error


def _suggest(message: str) -> str:
    """The decoder's words; if a key is misspelt, with the nearest valid one."""
    _, unknown, rest = message.partition("unknown field `")
    if not unknown:
        return f"{message}; correct it"
    known = [
        name for part in (Contract, MentuTerms, CommitmentTerms, CheckSpec) for name in part.__struct_fields__
    ]
    near = get_close_matches(rest.partition("`")[0], known, n=1)
    return f"{message}; did you mean `{near[0]}`?" if near else f"{message}; remove it"


class CompletionConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is checked before a turn may end, in addition to the project's contract."""

    contract: Annotated[dict[str, Any], about("A contract in place of the project's file.")] | UnsetType = (
        UNSET
    )
    commands: Annotated[dict[str, Text], about("The commands of checks that are only enabled by name.")] = {}
    check_timeout: Seconds = CHECK_SECONDS
    secrets: Annotated[bool, about("true: no secrets in changed files, from tier 2.")] = False
    scope: Annotated[list[Text], about("Globs of files that may be changed, from tier 2.")] = []
    intent: Annotated[Text, about("A word the last message must contain, at tier 3.")] | UnsetType = UNSET
    hand_in: Annotated[bool, about("true: submits the session's commitment at the end.")] = False


class Completion(SlowRule):
    """Checks files, commitments and changes first, and runs the contract's checks once those are fine."""

    kind: Final = "completion"

    def __init__(
        self,
        options: CompletionConfig,
        contract: Contract | None,
        state: ProjectState | None,
        rounds: Rounds | None,
        context: BuildContext,
    ) -> None:
        super().__init__(options)
        self.options: Final = options
        self.contract: Final = contract  # the policy's own, in place of the project's file
        self.state: Final = state
        self.rounds: Final = rounds
        self.environ: Final = context.environ
        self.hand_in: Final = options.hand_in and not context.trial

    def fingerprint(self) -> Any:
        options = self.options
        intent = options.intent or None
        return [repr(self.contract), options.commands, options.secrets, options.scope, intent]

    async def run(self, view: CallView, seconds: float) -> Verdict:
        """Let the turn end, or list what is missing."""
        event = view.event
        if self.state is None or self.rounds is None:
            return Verdict(reason="completion contracts need the daemon")
        root = self.state.trusted_folder(event)
        contract = (_POLICY, self.contract) if self.contract is not None else None
        try:
            if contract is None and root is not None:
                contract = read_contract(root)
        except ContractError as error:
            # The agent can fix the file, so it hears of it once.
            if event.extra.get("stop_hook_active") is not True:
                return deny(str(error))
            return Verdict(reason=str(error), message=f"no completion contract is in force: {error}")
        if contract is None:
            return _no_contract(event, root)
        place = root or event.project or event.cwd
        return await _Review(self, event, *contract, place, seconds, self.state, self.rounds).verdict()


def _no_contract(event: Event, root: str | None) -> Verdict:
    if root is not None:
        return Verdict(reason="the project has no completion contract")
    reason = "this project is not trusted, so its contract is not used; run `interlock trust` in it"
    try:
        exists = read_contract(os.path.realpath(event.project or event.cwd or "/")) is not None
    except ContractError:
        exists = True
    return Verdict(reason=reason, message=f"found a completion contract, but {reason}" if exists else None)


@dataclass(frozen=True)
class _Review:
    """One review of a contract."""

    hook: Completion
    event: Event
    file: str
    contract: Contract
    root: str
    seconds: float
    state: ProjectState
    rounds: Rounds

    async def verdict(self) -> Verdict:
        most, key = self.contract.max_iterations, f"completion:{self.root}:{self.file}"
        done = self.rounds.count(self.event.session_id, key)
        again = self.event.extra.get("stop_hook_active") is True
        title = f"`{self.contract.name}` in {self.file}" if self.contract.name else f"the one in {self.file}"
        if done >= most or (most == 1 and again):
            text = f"completion contract {title}: not checked again after {max(done, 1)} of {most} rounds"
            return Verdict(reason=text, message=text)
        missing = await self._find_missing()
        if not missing:
            return await self._accept(title)
        self.rounds.add(self.event.session_id, key)
        listed = "\n".join(f"{number}. {item}" for number, item in enumerate(missing, 1))
        return deny(
            f"the completion contract is not met yet ({title}, round {done + 1} of {most}):\n{listed}"
        )

    async def _accept(self, title: str) -> Verdict:
        done = f"the completion contract is met ({title})"
        if self.hook.hand_in:
            last = self.event.extra.get(LAST_MESSAGE)
            summary = last if isinstance(last, str) and last.strip() else "The completion contract is met."
            if result := await self.state.submit(self.event, summary[:500]):
                return allow(f"{done}; {result}")
        return allow(done)

    async def _find_missing(self) -> list[str]:
        names = self.contract.required_files
        missing = [f"missing file: {name}" for name in names if not _exists(self.root, name)]
        missing += [*self._commitments(), *[one async for one in self._changes()]]
        word, last = self.hook.options.intent, self.event.extra.get(LAST_MESSAGE)
        if word and self._tier() is Tier.INTENT and not (isinstance(last, str) and word in last):
            missing.append(f"write `{word}` in your last message once everything is done")
        options = self.hook.options
        checks = list(checks_of(self.contract.checks, self.root, options.commands, options.check_timeout))
        if missing:
            # A check such as a build takes long, so it only runs once the rest is done.
            return [*missing, *(f"check `{check.name}`: runs once the above is done" for check in checks)]
        return [one async for one in self._run_checks(checks)]

    def _commitments(self) -> list[str]:
        mentu = self.contract.mentu
        if mentu is None or not mentu.enabled:
            return []
        terms = mentu.commitments
        rows = self.state.commitments(self.event, terms.ids if terms.mode == "static" else None)
        known = {row.id for row in rows}
        missing = [f"there is no commitment `{name}`" for name in terms.ids if name not in known]
        if len(rows) < terms.min_count:
            missing.append(
                f"{len(rows)} of at least {terms.min_count} commitments; "
                "make one with `interlock commit` and claim it with `interlock claim`"
            )
        for row in rows:
            if terms.require_closed and row.state not in _DONE:
                missing.append(f"{row.id} is {row.state}; submit or close it with evidence")
            elif terms.require_evidence and row.state in {"closed", "in_review"} and not row.evidence:
                missing.append(f"{row.id} is {row.state} without evidence; reopen it and close it with some")
        return missing

    async def _changes(self) -> AsyncIterator[str]:
        terms = self.hook.options
        scope = (*terms.scope, *self.contract.scope)
        if self._tier() < Tier.SAFETY or not (terms.secrets or scope):
            return
        changes = Changes(self.root, self.hook.environ)
        for change in await changes.find_secrets() if terms.secrets else ():
            yield change
        for change in await changes.find_out_of_scope(scope):
            yield change

    def _tier(self) -> Tier:
        """The contract's tier, or that of the commitment that is worked on if it is higher."""
        own = str((self.event.commitment or {}).get("tier", ""))
        words = [self.contract.tier, own if own in {"tier_1", "tier_2", "tier_3"} else None]
        return max((Tier(int(word[-1])) for word in words if word), default=Tier.SAFETY)

    async def _run_checks(self, checks: Sequence[Check]) -> AsyncIterator[str]:
        environ = self.hook.environ
        env = hook_environment(environ, self.event, (), environ.get("PATH", os.defpath))
        loop = asyncio.get_running_loop()
        end = loop.time() + self.seconds - _SPARE
        for check in checks:
            trusted = self.file == _POLICY or not check.own or check.command is None
            against = None if trusted else await self.state.objection(self.event, check.command or "")
            if against is not None:
                yield f"check `{check.name}` was not run: the policy would not let you run it ({against})"
                continue
            problem = await run_check(check, self.root, env, end - loop.time())
            if problem is not None:
                yield problem


def _exists(root: str, name: str) -> bool:
    if "\0" in name:
        return False
    path = os.path.realpath(Path(root, name))
    return os.path.commonpath((path, root)) == root and Path(path).exists()


def _make(options: CompletionConfig, context: BuildContext) -> Handler | None:
    if context.event is not EventName.STOP:
        context.misplaced("a contract is checked when a turn ends; move it to `stop`")
        return None
    try:
        contract = msgspec.convert(options.contract, Contract) if options.contract else None
    except msgspec.ValidationError as error:
        context.problem("contract", _suggest(str(error)))
        return None
    rounds = context.services.find(Rounds)
    if context.trial:  # it counts apart
        rounds = rounds and RoundsInMemory()
    return Completion(options, contract, context.services.find(ProjectState), rounds, context)


BUILTIN: Final = Builtin(
    kind="completion",
    about="Sends a turn back until its contract is met.",
    options=CompletionConfig,
    make=_make,
    seconds=540.0,
    loops=True,
)
