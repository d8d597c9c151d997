"""How a kind of hook is declared, shipped or from a plugin, and what its hooks may use while they run."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, ParamSpec, Protocol, TypeAlias, TypeVar, final

import msgspec
import re2

from interlock.errors import ConditionError, PatternError
from interlock.events.hook import Condition, Handler, Hook, Layer, Matcher, OnFailure
from interlock.events.names import EventName
from interlock.events.tool import JsonObject
from interlock.patterns.glob import compile_quietly
from interlock.policy.format.entry import SeveralApprovers

T = TypeVar("T")


@final
class HookServices:
    """Objects by the protocol they offer; any may be missing, and each hook copes without it.

    Whoever runs an engine fills it before the first policy is loaded: hooks look up what they need as they
    are made.
    """

    def __init__(
        self, offered: Mapping[type[Any], object] | None = None, *, standing: Sequence[Hook] = ()
    ) -> None:
        self._offered: Final[dict[type[Any], object]] = dict(offered or {})
        self.standing: Final = list(standing)  # hooks that stand in every policy, whatever is written

    def find(self, protocol: type[T]) -> T | None:
        """The object that offers a protocol; None if there is none."""
        found: T | None = self._offered.get(protocol)  # type: ignore[assignment]  # stored under its protocol
        return found

    def offer(self, offered: Mapping[type[Any], object]) -> None:
        """Add objects, each under the protocol that hooks know it by."""
        self._offered.update(offered)


NO_SERVICES: Final = HookServices()


class Memory(Protocol):
    """A small JSON object per session and key; the key is the hook's name, so that two never share one."""

    def get(self, session_id: str, key: str) -> JsonObject:
        """The last value; empty if there is none."""

    def put(self, session_id: str, key: str, value: JsonObject) -> None:
        """Replace the value."""


class MemoryInProcess:
    """The memory of an engine without a store; it lives as long as the process."""

    def __init__(self) -> None:
        self._values: Final[dict[tuple[str, str], JsonObject]] = {}

    def get(self, session_id: str, key: str) -> JsonObject:
        return dict(self._values.get((session_id, key), {}))

    def put(self, session_id: str, key: str, value: JsonObject) -> None:
        self._values[session_id, key] = dict(value)


def memory_of(context: BuildContext) -> Memory:
    """Where a hook remembers; one that is only tried out leaves no trace and remembers for itself."""
    found = None if context.trial else context.services.find(Memory)
    return MemoryInProcess() if found is None else found


class OwnMemory:
    """What one hook remembers of each session."""

    def __init__(self, context: BuildContext) -> None:
        self._memory: Final = memory_of(context)
        self._key: Final = context.name

    def get(self, session_id: str) -> JsonObject:
        return self._memory.get(session_id, self._key)

    def put(self, session_id: str, value: JsonObject) -> None:
        self._memory.put(session_id, self._key, value)


class Window(Protocol):
    """Reads what the host wrote down of its own counts."""

    def tokens(self, transcript: str) -> int | None:
        """The tokens that the model's newest answer read; None if unknown."""


Arguments = ParamSpec("Arguments")
Built = TypeVar("Built")
VoteWord: TypeAlias = Literal["ask", "deny"]

# A field of the options, or the way to a part of one: `("routes", 2, "word")`.
Field: TypeAlias = str | tuple[str | int, ...]


class OptionError(ValueError):
    """A mistake in an option, which a kind raises while it makes a hook; the file will not load."""

    def __init__(self, field: Field, text: str) -> None:
        super().__init__(text)
        self.field: Final = field


def read_option(
    field: Field,
    build: Callable[Arguments, Built],
    /,
    *args: Arguments.args,
    **kwargs: Arguments.kwargs,
) -> Built:
    """Build something from the text of an option; its refusal becomes a mistake in that option."""
    try:
        return build(*args, **kwargs)
    except (PatternError, ConditionError) as error:
        raise OptionError(field, str(error)) from error


def compile_option(field: Field, text: str, *, caseless: bool = False, memory: int | None = None) -> Any:
    """The RE2 expression an option is."""
    try:
        return compile_quietly(text, caseless=caseless, memory=memory)
    except re2.error as error:
        raise OptionError(
            field, f"`{text}` is not a regular expression that RE2 supports; correct it"
        ) from error


@dataclass(frozen=True, kw_only=True)
class BuildContext(ABC):
    """One entry being compiled: its place, what its hook may use, and where to note mistakes."""

    name: str  # what the entry is called in traces; tells two entries of one kind apart
    event: EventName  # the event the entry is for
    layer: Layer  # whose file it is
    shipped: bool  # whether the entry is of a pack of ours
    folder: str | None  # the project of the file; None: the file belongs to no project
    environ: Mapping[str, str]  # of whoever loads the policy: `HOME`, `PATH`
    services: HookServices  # what the hook may use while it runs; each part may be missing
    trial: bool  # whether the hook changes nothing (`mode: shadow`, `observe`) and must leave no trace
    seconds: float  # the time limit of the hook
    settings: Mapping[str, Any]  # what the policy sets, by its key: `PART.get(context)`

    @abstractmethod
    def classifier(self) -> Any:
        """Says what calls change, by the tables of the policy."""

    @abstractmethod
    def problem(self, field: Field, text: str) -> None:
        """Note a mistake in an option; the file will not load."""

    @abstractmethod
    def notice(self, field: Field, text: str) -> None:
        """Note something a person should know; the file loads."""

    @abstractmethod
    def misplaced(self, text: str, *key: str) -> None:
        """Note that the entry is at the wrong event, at one of its keys or as a whole."""

    @abstractmethod
    def attempt(
        self,
        field: Field,
        build: Callable[Arguments, Built],
        /,
        *args: Arguments.args,
        **kwargs: Arguments.kwargs,
    ) -> Built | None:
        """Build something from text a person wrote; its refusal becomes a mistake in that option."""

    @abstractmethod
    def condition(self, field: Field, text: str) -> Condition | None:
        """Compile a condition; None when a mistake was noted."""

    @abstractmethod
    def approvers(self, named: Sequence[str] | SeveralApprovers) -> tuple[str, ...]:
        """Who may approve, by the option `approvers`; a group means its members."""


class Builtin(msgspec.Struct, frozen=True, kw_only=True):
    """A kind of hook: the word policies name it by, its options, and how it is made of them."""

    kind: str  # the `type` of an entry
    about: str  # one line for `interlock hooks catalog`
    options: type[msgspec.Struct]  # what may stand under `config`
    # Of options and a `BuildContext`, often the class of the hook; raises OptionError, or notes a problem
    # and returns None.
    make: Callable[[Any, Any], Handler | None]
    events: tuple[EventName, ...] = ()  # where an entry may be; none: anywhere
    also: tuple[EventName, ...] = ()  # further events it runs at, wherever the entry is
    matcher: str = "*"  # when the entry has none
    seconds: float = 10.0  # its time limit when the entry has none
    on_failure: OnFailure | None = None  # when the entry has none; None: the rule of the moment
    votes: bool = False  # exists to vote: where votes do not count it does nothing
    tightens: bool = False  # can only deny, ask, record or add context, never run or change anything
    loops: bool = False  # sends a stop back again and again, and counts how often itself
    dialects: bool = False  # it asks a program, so that an entry may say whose rules for answers it follows
    # What a word of `settings.packs` makes of its options: the kind it is then, and that one's options.
    reword: Callable[[Any, VoteWord], tuple[str, Any]] | None = None
    # The hook as it is run, where more than these fields differ from its entry; None: a problem was noted.
    finish: Callable[[Hook, Any, Any], Hook | None] | None = None
    # Of the calls its entry means, the matcher of those it has anything to do with; the rest leaves no row.
    narrow: Callable[[Handler, Matcher], Matcher] | None = None
