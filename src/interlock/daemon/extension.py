"""Where features take part in the daemon: what a service is made with, and the points it is called at.

A row of `interlock.features` names its `service`: a class or function that is called once, with a
`DaemonContext`. What it gives may satisfy any of the protocols below; nothing has to be registered.
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

if TYPE_CHECKING:
    from interlock.daemon.agent_processes import Agents
    from interlock.daemon.call_intake import ParsedCall, SessionContext
    from interlock.daemon.group_commit import Committer
    from interlock.daemon.identity import Identities
    from interlock.daemon.jsonrpc import Methods
    from interlock.daemon.paths import Places
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
    """What there is in a daemon when the services of features are made, in the order of their table."""

    connection: sqlite3.Connection
    ledger: LedgerWriter
    committer: Committer  # makes lasting what was appended
    policies: Policies
    agents: Agents  # which process belongs to which session
    sessions: SessionContext  # what hosts say of theirs
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
    services: HookServices  # of all features so far, by class and by what hooks ask
    extensions: Extensions

    def need(self, service: type[T]) -> T:
        """The service of a feature that is named under `needs`."""
        found = self.services.find(service)
        if found is None:
            raise LookupError(f"`{service.__name__}` is used before it is made; name its feature in `needs`")
        return found


@runtime_checkable
class ForPeople(Protocol):
    """Answers requests on the socket that only a person may make."""

    def people_methods(self) -> Methods:
        """By name; the daemon looks at who asks."""


@runtime_checkable
class Answering(Protocol):
    """Answers requests on the socket, and looks itself at who asks."""

    def methods(self) -> Methods:
        """By name; asked for with the first request."""


@runtime_checkable
class Watching(Protocol):
    """Does something beside the calls."""

    def watches(self) -> Iterable[Coroutine[Any, Any, None]]:
        """What goes on until it is cancelled."""


@runtime_checkable
class Closing(Protocol):
    """Has something under way that is ended with the daemon."""

    async def close(self) -> None:
        """Leave nothing under way."""


@runtime_checkable
class OfferingToHooks(Protocol):
    """Lets hooks ask it while they run."""

    def hook_services(self) -> Mapping[type[Any], object]:
        """Objects by the protocol hooks know them by."""


@runtime_checkable
class StandingHooks(Protocol):
    """Has hooks that stand in every policy the daemon loads."""

    def standing_hooks(self) -> Sequence[Hook]:
        """Right after self-protection."""


@runtime_checkable
class EventEnricher(Protocol):
    """Knows who and where: adds to an event what its session is at work on."""

    def enrich(self, event: Event, loaded: Loaded) -> Event:
        """The event as conditions, hooks and the ledger see it."""


@runtime_checkable
class AskSettler(Protocol):
    """Says what becomes of an ask; there is one at most."""

    def settle(self, opened: ParsedCall, decision: Decision) -> Decision:
        """The decision with its ask answered, or left to a person who sits at the host."""

    def holds(self, opened: ParsedCall, decision: Decision) -> bool:
        """Whether a call waits for its answer instead of being sent away."""

    async def hold(self, opened: ParsedCall, decision: Decision, seconds: float) -> Decision:
        """The decision after a person had some time to answer."""

    def observed(self, event: Event) -> Iterable[dict[str, object]]:
        """What an event after the call tells of the answer to a host's own prompt, for the ledger."""

    def abandon(self, answer: Awaitable[Any]) -> None:
        """Nobody waits any more for an answer that is being made."""

    def let_go(self) -> None:
        """Hold nothing any longer: the daemon ends."""


@runtime_checkable
class AtTurns(Protocol):
    """Has its say where a session begins, a prompt is given, or a turn ends."""

    def at_turn(self, opened: ParsedCall, decision: Decision) -> Decision:
        """The decision with what is to be told, let be or held back."""


@runtime_checkable
class BeforeRecord(Protocol):
    """Writes down with a decision what hooks have staged: what is not on record does not run."""

    def before_record(self, event: Event, decision: Decision) -> None:
        """The decision is about to be recorded."""

    def withdraw(self, event: Event) -> None:
        """No decision comes of this event after all."""


@runtime_checkable
class SessionEnds(Protocol):
    """Is told about sessions whose host has ended."""

    def session_ended(self, session: str) -> None:
        """It will report no end of its own."""


@runtime_checkable
class BeforeRemoval(Protocol):
    """Carries over what is still needed of old entries."""

    def before_removal(self, last: int) -> None:
        """Entries up to this one are about to go."""


@runtime_checkable
class Shipping(Protocol):
    """Copies entries elsewhere."""

    def shipped(self) -> int | None:
        """The last entry that is there; None: nothing is kept for it."""


@runtime_checkable
class Status(Protocol):
    """Adds to what `interlock status` shows."""

    def status(self) -> Mapping[str, object]:
        """By the key of the answer."""


@runtime_checkable
class HasParts(Protocol):
    """Leaves some of it to other objects."""

    @property
    def parts(self) -> Sequence[object]:
        """Those that satisfy protocols of their own."""


class Extensions:
    """The services of all features, asked at the points they have something to do at."""

    def __init__(self) -> None:
        self._services: Final[list[object]] = []
        # Those of every call, looked up once.
        self.enrichers: Final[list[Callable[[Event, Loaded], Event]]] = []
        self.recorders: Final[list[BeforeRecord]] = []
        self.settler: AskSettler | None = None

    def add(self, service: object) -> None:
        """Take in a service with all that it can do, and its `parts` likewise."""
        self._services.append(service)
        for part in service.parts if isinstance(service, HasParts) else ():
            self.add(part)
        if isinstance(service, EventEnricher):
            self.enrichers.append(service.enrich)
        if isinstance(service, BeforeRecord):
            self.recorders.append(service)
        if isinstance(service, AskSettler):
            self.settler = service

    def of(self, protocol: type[T]) -> list[T]:
        """The services that satisfy a protocol."""
        return [service for service in self._services if isinstance(service, protocol)]

    def at_turn(self, opened: ParsedCall, decision: Decision) -> Decision:
        """The decision after everybody had their say."""
        for service in self.of(AtTurns):
            decision = service.at_turn(opened, decision)
        return decision

    def withdraw(self, event: Event) -> None:
        """No decision comes of an event after all."""
        for recorder in self.recorders:
            recorder.withdraw(event)

    def session_ended(self, session: str) -> None:
        """Tell that a host has ended without a word."""
        for service in self.of(SessionEnds):
            service.session_ended(session)

    def before_removal(self, last: int) -> None:
        """Tell that entries up to this one go."""
        for service in self.of(BeforeRemoval):
            service.before_removal(last)

    def shipped(self) -> int | None:
        """The last entry that everybody has who is to get them; None: nobody is."""
        found = [last for service in self.of(Shipping) if (last := service.shipped()) is not None]
        return min(found) if found else None
