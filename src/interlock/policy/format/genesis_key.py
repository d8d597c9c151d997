"""The shape of `genesis.key`, written once: validation, records and JSON Schema all come from here."""

from __future__ import annotations

from typing import Annotated, ClassVar, Final, Literal, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

from interlock.policy.format.entry import EVENT_SPELLINGS, Text, about
from interlock.policy.format.kind_entry import KindEntry

ACTOR: Final = r"^[A-Za-z0-9_.*-]+:[A-Za-z0-9_.*-]+$"
# Who works on commitments may also be known by an address, as git knows people.
PERSON: Final = rf"{ACTOR}|^[A-Za-z0-9_.+*-]+@[A-Za-z0-9_.*-]+$|^user$"


class _Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A mapping whose keys are all known."""


AuthorWord: TypeAlias = Literal["architect", "auditor", "executor"]


class OperationList(_Part, frozen=True, kw_only=True):
    """Operations on commitments."""

    operations: list[Text]


class PermissionDefaults(_Part, frozen=True, kw_only=True):
    """What actors without an entry may do."""

    authenticated: Annotated[OperationList, about("Every actor the daemon knows.")] | UnsetType = UNSET


class ActorPermissions(_Part, frozen=True, kw_only=True):
    """What one actor may do; deny comes first, and with an allow list no match is a denial."""

    allow: list[Text] | UnsetType = UNSET
    deny: list[Text] = []
    guidance: (
        Annotated[str | dict[str, str], about("Advice for the agent with every denial, or per deny pattern.")]
        | UnsetType
    ) = UNSET
    operations: (
        Annotated[list[Text], about("Operations on commitments that this actor may do; `*` means all.")]
        | UnsetType
    ) = UNSET
    author_types: Annotated[
        list[AuthorWord], about("The roles this actor may work in; if there is one, always that one.")
    ] = []
    author_type: Annotated[AuthorWord, about("The only role, instead of a list.")] | UnsetType = UNSET

    @property
    def roles(self) -> tuple[AuthorWord, ...]:
        """The roles under either of their names."""
        return tuple(dict.fromkeys((*self.author_types, *([self.author_type] if self.author_type else []))))

    @property
    def of_tools(self) -> bool:
        """Whether the entry is about tools; one that only lists operations is not."""
        about_operations = isinstance(self.operations, list) or bool(self.roles)
        return not about_operations or isinstance(self.allow, list) or bool(self.deny) or bool(self.guidance)


class Permissions(_Part, frozen=True, kw_only=True):
    """Who may do what."""

    actors: Annotated[
        dict[str, ActorPermissions],
        about("By `kind:name`.", extra_json_schema={"propertyNames": {"pattern": PERSON}}),
    ] = {}
    defaults: PermissionDefaults = PermissionDefaults()

    @staticmethod
    def cure(key: str, listed: bool) -> str | None:
        """The next step for a key that is a role with its operations, as the protocol's own keys have."""
        if not listed:
            return None
        below = f"actors: {{agent:{key}: {{operations: […]}}}}"
        return f"roles are not read; write their operations under each actor: `{below}`"


class Settings(_Part, frozen=True, kw_only=True):
    """What holds for all hooks; each key is a `SettingsPart`."""

    noun: ClassVar = "setting"


class GenesisKey(_Part, frozen=True, kw_only=True):
    """A policy: hooks in order, and permissions by actor."""

    version: Annotated[Text, about('The format, in quotes: "2.0".')] = "2.0"
    settings: Settings = Settings()
    hooks: Annotated[
        dict[str, list[KindEntry]],
        about(
            "Hooks by event, run in the order written.",
            extra_json_schema={"propertyNames": {"enum": list(EVENT_SPELLINGS)}},
        ),
    ] = {}
    permissions: Permissions = Permissions()
