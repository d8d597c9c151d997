"""Where features take part in the daemon: what a service is made with, and when it is called.

A row of `interlock.features` names its `service`: a class or function that is called once, with a
`DaemonContext`. The service may satisfy any of the protocols below; it need not register.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar, runtime_checkable

import msgspec

from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.hook import Hook
from interlock.events.verdict import Vote

if TYPE_CHECKING:
    from interlock.daemon.agent_processes import Agents
    from interlock.daemon.call_intake import ParsedCall, SessionContext
    from interlock.daemon.group_commit import Committer
    from interlock.daemon.jsonrpc import Methods
    from interlock.daemon.paths import Places
    from interlock.daemon.people_only import Identities
    from interlock.daemon.policy_loader import Loaded, Policies
    from interlock.engine.session_memory import OnceMemory
    from interlock.events.tool import ToolTable
    from interlock.files.passphrase import PassphraseGate
    from interlock.hosts.launching import Installation
    from interlock.ledger.writer import LedgerWriter
    from interlock.patterns.analyzed_call_view import LongReader
    from interlock.policy.hook_kind import HookServices
    from interlock.policy.protected_paths import Guarded
    from interlock.policy.trust import TrustList
    from interlock.redaction.redactor import Redactor

T = TypeVar("T")


class DaemonContext(msgspec.Struct, frozen=True, kw_only=True):
    """The daemon's parts, for the services of features, which are made in the order of the features table."""

    connection: sqlite3.Connection
    ledger: LedgerWriter
    committer: Committer  # makes appended entries durable
    policies: Policies
    agents: Agents  # which process belongs to which session
    sessions: SessionContext  # what hosts say about their sessions
    identities: Identities  # which person asks
    passphrase: PassphraseGate
    redactor: Redactor
    places: Places
    installed: Installation
    trust: TrustList
    guarded: Guarded
    tools: ToolTable
    once: OnceMemory
    reader: LongReader
    clock: Callable[[], float]  # never goes back
    loop: asyncio.AbstractEventLoop
    services: HookServices  # of the features made so far, by class and by the protocols of hooks
    extensions: Extensions

    def need(self, service: type[T]) -> T:
        """The service of a feature that the caller's feature names in `needs`."""
        found = self.services.find(service)
        if found is None:
            raise LookupError(f"`{service.__name__}` is used before it is made; name its feature in `needs`")
        return found


@runtime_checkable
class ForPeople(Protocol):
    """Answers requests on the socket that only a person may make."""

    def people_methods(self) -> Methods:
        """By name; the daemon checks who asks."""


@runtime_checkable
class Answering(Protocol):
    """Answers requests on the socket, and checks itself who asks."""

    def methods(self) -> Methods:
        """By name; called at the first request."""


@runtime_checkable
class Watching(Protocol):
    """Runs tasks beside the calls."""

    def watches(self) -> Iterable[Coroutine[Any, Any, None]]:
        """Each runs until it is cancelled."""


@runtime_checkable
class Closing(Protocol):
    """Has something to end with the daemon."""

    async def close(self) -> None: ...


@runtime_checkable
class OfferingToHooks(Protocol):
    """Offers services to hooks."""

    def hook_services(self) -> Mapping[type[Any], object]:
        """Objects by the protocol under which hooks know them."""


@runtime_checkable
class StandingHooks(Protocol):
    """Adds hooks to every policy the daemon loads."""

    def standing_hooks(self) -> Sequence[Hook]:
        """They run right after self-protection."""


@runtime_checkable
class EventEnricher(Protocol):
    """Adds facts about the session to an event."""

    def enrich(self, event: Event, loaded: Loaded) -> Event:
        """The event that conditions, hooks and the ledger see."""


@runtime_checkable
class AskSettler(Protocol):
    """Decides what happens to an ask; only one feature may do so."""

    def settle(self, opened: ParsedCall, decision: Decision) -> Decision:
        """Answer the ask, or leave it to the person at the host."""

    def holds(self, opened: ParsedCall, decision: Decision) -> bool:
        """Whether the call waits for an answer instead of being denied."""

    async def hold(self, opened: ParsedCall, decision: Decision, seconds: float) -> Decision:
        """Wait this long for a person to answer."""

    def observed(self, event: Event) -> Iterable[dict[str, object]]:
        """What an event reveals about the answer to a host's own prompt, for the ledger."""

    def abandon(self, answer: Awaitable[Any]) -> None:
        """Stop holding a call whose client has gone."""

    def let_go(self) -> None:
        """Stop holding calls, because the daemon ends."""


class NoSettler:
    """Without the approvals feature, an ask goes to the person at the host or is denied."""

    def settle(self, opened: ParsedCall, decision: Decision) -> Decision:
        if opened.host.attended(opened.event) and not decision.approvers:
            return decision
        why = f"{decision.reason or 'a person is to be asked'}; nobody can be asked here"
        return msgspec.structs.replace(decision, vote=Vote.DENY, reason=why)

    def holds(self, *_: object, **__: object) -> bool:
        return False

    async def hold(self, *_: object, **__: object) -> Decision:
        raise AssertionError("nothing is held")

    def observed(self, *_: object, **__: object) -> Iterable[dict[str, object]]:
        return ()

    def abandon(self, *_: object, **__: object) -> None: ...

    def let_go(self) -> None: ...


@runtime_checkable
class AtTurns(Protocol):
    """Acts when a session begins, a prompt is given, or a turn ends."""

    def at_turn(self, opened: ParsedCall, decision: Decision) -> Decision:
        """The decision with a message added, or with the turn allowed or held back."""


@runtime_checkable
class BeforeRecord(Protocol):
    """Records what hooks have staged together with the decision, so that nothing runs unrecorded."""

    def before_record(self, event: Event, decision: Decision) -> None: ...

    def withdraw(self, event: Event) -> None:
        """Drop what is staged, because this event gets no decision."""


@runtime_checkable
class SessionEnds(Protocol):
    """Learns of sessions whose host ended without reporting it."""

    def session_ended(self, session: str) -> None: ...


@runtime_checkable
class BeforeRemoval(Protocol):
    """Saves what it still needs from old entries."""

    def before_removal(self, last: int) -> None:
        """Entries up to this one are about to be removed."""


@runtime_checkable
class Shipping(Protocol):
    """Copies entries elsewhere."""

    def shipped(self) -> int | None:
        """The last entry copied; None if entries need not be kept for it."""


@runtime_checkable
class Status(Protocol):
    """Adds to what `interlock status` shows."""

    def status(self) -> Mapping[str, object]: ...


@runtime_checkable
class HasParts(Protocol):
    """Has parts that satisfy protocols of their own."""

    @property
    def parts(self) -> Sequence[object]: ...


class Extensions:
    """The services of all features, by the protocols they satisfy."""

    def __init__(self) -> None:
        self._services: Final[list[object]] = []
        # What every call needs, looked up once.
        self.enrichers: Final[list[Callable[[Event, Loaded], Event]]] = []
        self.recorders: Final[list[BeforeRecord]] = []
        self.settler: AskSettler = NoSettler()

    def add(self, service: object) -> None:
        """Add a service and its `parts`."""
        self._services.append(service)
        for part in service.parts if isinstance(service, HasParts) else ():
            self.add(part)
        if isinstance(service, EventEnricher):
            self.enrichers.append(service.enrich)
        if isinstance(service, BeforeRecord):
            self.recorders.append(service)
        if isinstance(service, AskSettler):
            self.settler = service

    def implementing(self, protocol: type[T]) -> list[T]:
        return [service for service in self._services if isinstance(service, protocol)]

    def at_turn(self, opened: ParsedCall, decision: Decision) -> Decision:
        for service in self.implementing(AtTurns):
            decision = service.at_turn(opened, decision)
        return decision

    def withdraw(self, event: Event) -> None:
        for recorder in self.recorders:
            recorder.withdraw(event)

    def session_ended(self, session: str) -> None:
        for service in self.implementing(SessionEnds):
            service.session_ended(session)

    def before_removal(self, last: int) -> None:
        for service in self.implementing(BeforeRemoval):
            service.before_removal(last)

    def shipped(self) -> int | None:
        """The last entry copied everywhere; None if entries are copied nowhere."""
        found = [last for service in self.implementing(Shipping) if (last := service.shipped()) is not None]
        return min(found) if found else None
