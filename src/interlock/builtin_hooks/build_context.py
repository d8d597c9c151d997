"""What a hook is told while it is made from an entry of a policy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, TypeAlias

from interlock.effects.classification.classify import Classifier
from interlock.events.names import EventName
from interlock.events.source import Layer
from interlock.policy.hook_services import HookServices

# A field of the options, or the way to a part of one: `("routes", 2, "word")`.
Field: TypeAlias = str | tuple[str | int, ...]


class Making(Protocol):
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

    def classifier(self) -> Classifier:
        """Says what calls change, by the tables of the policy."""

    def problem(self, field: Field, text: str) -> None:
        """Note a mistake in an option; the file will not load."""

    def notice(self, field: Field, text: str) -> None:
        """Note something a person should know; the file loads."""
