"""What a kind of hook says of itself, shipped or from a plugin, and what it is made with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, ParamSpec, Protocol, TypeAlias, TypeVar

import msgspec

from interlock.events.hook import Condition, Handler, Hook, Matcher, OnFailure
from interlock.events.names import EventName
from interlock.events.source import Layer
from interlock.policy.format.entry import SeveralApprovers
from interlock.policy.hook_services import HookServices

Arguments = ParamSpec("Arguments")
Built = TypeVar("Built")
VoteWord: TypeAlias = Literal["ask", "deny"]

# A field of the options, or the way to a part of one: `("routes", 2, "word")`.
Field: TypeAlias = str | tuple[str | int, ...]


class BuildContext(Protocol):
    """One entry being compiled: where it stands, what its hook may ask, and where mistakes are told."""

    @property
    def name(self) -> str:
        """What the entry is called in traces; tells two entries of one kind apart."""

    @property
    def event(self) -> EventName:
        """The moment the entry stands at."""

    @property
    def layer(self) -> Layer:
        """Who wrote it."""

    @property
    def shipped(self) -> bool:
        """Whether the entry is of a pack of ours."""

    @property
    def folder(self) -> str | None:
        """The project of the file; None where the file belongs to no project."""

    @property
    def environ(self) -> Mapping[str, str]:
        """The environment of whoever loads the policy: `HOME`, `PATH`."""

    @property
    def services(self) -> HookServices:
        """What the hook may ask while it runs; each part may be missing."""

    @property
    def trial(self) -> bool:
        """Whether the hook changes nothing (`mode: shadow`, `observe`), so that it must leave no trace."""

    @property
    def seconds(self) -> float:
        """The time limit of the hook."""

    @property
    def settings(self) -> Mapping[str, Any]:
        """What the policy sets, by its key: `PART.of(making)`."""

    def classifier(self) -> Any:
        """Says what calls change, by the tables of the policy."""

    def problem(self, field: Field, text: str) -> None:
        """Note a mistake in an option; the file will not load."""

    def notice(self, field: Field, text: str) -> None:
        """Note something a person should know; the file loads."""

    def misplaced(self, text: str, *key: str) -> None:
        """Note that the entry stands at the wrong moment, at one of its keys or as a whole."""

    def attempt(
        self,
        field: Field,
        build: Callable[Arguments, Built],
        /,
        *args: Arguments.args,
        **kwargs: Arguments.kwargs,
    ) -> Built | None:
        """Build something from text a person wrote; its refusal becomes a mistake in that option."""

    def condition(self, field: Field, text: str) -> Condition | None:
        """Compile a condition; None when a mistake was noted."""

    def approvers(self, named: Sequence[str] | SeveralApprovers) -> tuple[str, ...]:
        """Who may say yes by the option `approvers`; a group stands for its members."""


class Builtin(msgspec.Struct, frozen=True, kw_only=True):
    """A kind of hook: the word policies name it by, its options, and how it is made of them."""

    kind: str  # the `type` of an entry
    about: str  # one line for `interlock hooks catalog`
    options: type[msgspec.Struct]  # what may stand under `config`
    make: Callable[[Any, Any], Handler | None]  # of options and a `BuildContext`; None: a problem was noted
    events: tuple[EventName, ...] = ()  # where an entry may stand; none: anywhere
    also: tuple[EventName, ...] = ()  # further moments it is run at, wherever the entry stands
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
