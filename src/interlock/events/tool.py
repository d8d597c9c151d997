"""What a tool is called, which of its fields matters, and how that field is read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any, Final

import msgspec

JsonObject = dict[str, Any]


class ToolCall(msgspec.Struct, frozen=True):
    """One use of a tool, as the host reported it."""

    name: str
    input: JsonObject
    use_id: str | None = None  # the host's id of this call; absent for permission requests


class SubjectKind(StrEnum):
    """How the main field of a tool is to be read."""

    SHELL = "shell"
    PATH = "path"
    TEXT = "text"


class ToolSpec(msgspec.Struct, frozen=True, kw_only=True):
    """What the policy needs to know about one tool."""

    name: str
    main: str | None  # the field `Tool(glob)` is about
    kind: SubjectKind = SubjectKind.TEXT
    fields: tuple[str, ...] = ()  # further fields that `Tool(field:glob)` may name
    aliases: tuple[str, ...] = ()
    neutral: bool = False  # outside "no match = deny": asking the user, todo lists, plan mode


class ToolTable:
    """The tools a host has, by any of their names."""

    def __init__(self, specs: Iterable[ToolSpec], prefixes: Mapping[str, str] | None = None) -> None:
        self._specs: Final = {name: spec for spec in specs for name in (spec.name, *spec.aliases)}
        self._prefixes: Final = dict(prefixes or {})

    @property
    def known(self) -> tuple[str, ...]:
        """Every name the table lists, aliases too."""
        return tuple(self._specs)

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        """Every tool once."""
        return tuple(dict.fromkeys(self._specs.values()))

    @property
    def prefixes(self) -> Mapping[str, str]:
        """How names begin that stand for others."""
        return self._prefixes

    def canonical(self, name: str) -> str:
        """Give the one name under which patterns and calls of this tool meet."""
        spec = self._specs.get(name)
        if spec is not None:
            return spec.name
        for alias, real in self._prefixes.items():
            if name.startswith(alias):
                return real + name[len(alias) :]
        return name

    def names(self, name: str) -> tuple[str, ...]:
        """Give every name a tool goes by, whichever of them was used."""
        spec = self._specs.get(name)
        if spec is not None:
            return (spec.name, *spec.aliases)
        real = self.canonical(name)
        aliases = (a + real[len(r) :] for a, r in self._prefixes.items() if real.startswith(r))
        return (real, *aliases)

    def spec(self, name: str) -> ToolSpec | None:
        """Look a tool up by any of its names; None for a tool the table does not list."""
        return self._specs.get(name)


# Tools nobody lists may run a shell: what they are given under these names is read as one.
SHELL_FIELDS: Final = ("command", "cmd", "script", "shell_command", "bash_command", "commands", "code")
# For a tool no table lists, those of these fields that the call has are its subject.
FALLBACK_FIELDS: Final = ("command", "path", "file_path")
