"""One rule of the pipeline: when it applies, how it is run, what its failure means."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Collection, Iterable, Sequence
from enum import IntEnum, StrEnum
from typing import Any, Final, Protocol

import msgspec

from interlock.events.event import Event
from interlock.events.verdict import Verdict


class Layer(IntEnum):
    """Who wrote a policy; a later layer can only tighten what an earlier one says."""

    MANAGED = 0
    USER = 1
    PROJECT = 2
    SESSION = 3

    def __str__(self) -> str:
        return self.name.lower()

    @property
    def trusted(self) -> bool:
        """Whether this layer may also loosen: grant, observe, fail open."""
        return self <= Layer.USER


# How the file of a rule begins that comes with the package.
PACK_SOURCE: Final = "pack:"


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """The layer, file and line a hook comes from."""

    layer: Layer = Layer.USER
    file: str = "<code>"
    line: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


class Dialect(StrEnum):
    """Whose rules for answers and failures a hook follows."""

    GENESIS = "genesis"
    HOOKS_TOML = "hooks.toml"
    CLAUDE = "claude"


class OnFailure(StrEnum):
    """What a hook that gives no answer counts as."""

    OPEN = "open"
    ASK = "ask"
    CLOSED = "closed"


class Pattern(msgspec.Struct, frozen=True, kw_only=True):
    """`Tool`, `Tool(glob)`, `Tool(field:glob)` or `effect(glob)`, read but not yet compiled."""

    text: str  # as written, for reasons and traces
    tool: str
    field: str | None = None  # None: the tool's main field
    glob: str | None = None  # None: any call of the tool
    effect: bool = False  # `tool` names what a call does, whichever tool is called


class PatternList:
    """Patterns in the order they were written, prepared for asking which of them hit."""

    __slots__ = ("order", "patterns", "texts")

    def __init__(self, patterns: Iterable[Pattern] = ()) -> None:
        self.patterns: Final = tuple(patterns)
        # Reversed, so that of two equal patterns the first keeps its place.
        self.order: Final = {p.text: i for i, p in reversed(list(enumerate(self.patterns)))}
        self.texts: Final = frozenset(self.order)

    def first(self, hits: Collection[str]) -> Pattern | None:
        """The pattern written first among those whose text is in `hits`."""
        if self.texts.isdisjoint(hits):
            return None
        return self.patterns[min(map(self.order.__getitem__, self.texts.intersection(hits)))]


class CallView(Protocol):
    """The event as it stands at this point of the chain, with what its text would do."""

    @property
    def event(self) -> Event: ...

    @property
    def unread(self) -> str | None:
        """Why the call's text could not be accounted for, or None when it was."""

    @property
    def opening(self) -> str | None:
        """Why text that nobody has seen yet would run as a program, or None when none would."""

    @property
    def decoded(self) -> str | None:
        """Why decoded text would run as a program, or None when none would."""

    # Records of `interlock.effects`, which stands above this vocabulary.
    @property
    def commands(self) -> Sequence[Any]:
        """The simple commands (`reading.command.Command`) a shell text would run; no other tool has any."""

    @property
    def gaps(self) -> Sequence[Any]:
        """The stretches (`reading.command.Gap`) of a shell text that could not be read."""

    @property
    def effects(self) -> Sequence[Any]:
        """What the call does (`reading.effect.Effect`), whichever tool is called."""

    def denied(self, patterns: PatternList, *, tame: bool = True) -> Pattern | None:
        """The first pattern that matches any part of the call, or stands in a part that was not read.

        Without the `tame`, commands are left out that only show something or work on an image file.
        """

    def part(self, pattern: Pattern) -> str | None:
        """The part of the call that a denying pattern matched, when it is not the whole."""

    def allowed(self, patterns: PatternList) -> Pattern | None:
        """A pattern, if together they match every part of the call."""


class Handler(Protocol):
    """How one hook is run. A rule answers at once; anything slower returns an awaitable."""

    @property
    def kind(self) -> str:
        """The word that names this handler in policy files."""

    @property
    def judges(self) -> bool:
        """Whether it may vote, and so runs again when the input changed after it."""

    @property
    def instant(self) -> bool:
        """Whether `run` answers at once; a call it has to look at more closely may take an awaitable."""

    @property
    def patterns(self) -> Sequence[Pattern]:
        """Patterns it will ask a `CallView` about, so that they are compiled with the policy."""

    def fingerprint(self) -> Any:
        """A JSON value that tells this handler from others."""

    def run(self, view: CallView, seconds: float) -> Verdict | Awaitable[Verdict]:
        """Say what this hook says; raise HookFailedError when it cannot."""


class Matcher(Protocol):
    """Which tools a hook is about."""

    @property
    def text(self) -> str: ...

    @property
    def needs_tool(self) -> bool:
        """False when it also fires on events without a tool."""

    @property
    def patterns(self) -> Sequence[Pattern]: ...

    @property
    def by_patterns_alone(self) -> bool:
        """Whether it fires exactly when one of its patterns hits."""

    def fires(self, view: CallView, *, every_part: bool) -> bool:
        """Whether this call is meant: any part of it, or only if every part is."""


class Condition(Protocol):
    """An `if:` of a hook."""

    @property
    def text(self) -> str: ...

    def holds(self, event: Event) -> bool:
        """Raise ConditionError when it cannot be evaluated."""


class Hook(msgspec.Struct, frozen=True, kw_only=True):
    """One rule, ready to run."""

    name: str
    events: tuple[str, ...]
    handler: Handler
    matcher: Matcher
    condition: Condition | None = None
    timeout: float = 60.0
    on_failure: OnFailure | None = None  # None: the dialect's rule, then the moment's
    dialect: Dialect = Dialect.GENESIS
    shadow: bool = False
    once: bool = False
    observe: bool = False
    auto_approve: bool = False
    rejudge: bool = True
    max_rounds: int | None = None  # how often it may block a stop in one turn; None: once
    loops: bool = False  # sends a stop back again and again, and counts how often itself
    quiet: bool = False  # leaves no row in the trace where it does not apply
    only_objects: bool = False  # nor where it has no opinion
    tightens: bool = False  # can only deny, ask, record or add context, as its kind says of itself
    source: Source = Source()

    @property
    def key(self) -> str:
        """The digest under which `once` is remembered: it survives reload and restart."""
        parts = [list(self.events), self.matcher.text, self.handler.kind, self.handler.fingerprint()]
        return hashlib.sha256(msgspec.json.encode(parts, order="sorted")).hexdigest()


MAX_TIMEOUT: Final = 600.0
MAX_ROUNDS: Final = 1000  # blocks of one stop by one hook; a host's cap is far lower
REQUEST_TIMEOUT: Final = 30.0  # an HTTP request, unless its hook says otherwise
