"""A hook of a genesis key: one record for each kind, made when a policy names it."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, ClassVar, Literal, cast

import msgspec

from interlock.errors import PluginError
from interlock.events.hook import Dialect
from interlock.policy.files.validate import unwritable_field
from interlock.policy.format.entry import HookEntry, about
from interlock.policy.hook_kind import Builtin
from interlock.policy.hook_kinds import added_kinds, find_builtin, own_kinds
from interlock.policy.plugins import plugins


class KindEntry(HookEntry, frozen=True, kw_only=True, tag="builtin"):
    """Stands for one record per kind; each is made when a policy names its kind."""

    config: Any = None

    builtin: ClassVar[Builtin]

    @property
    def followed(self) -> Dialect:
        """Whose rules for answers and failures it follows; only what asks a program can say."""
        return Dialect.GENESIS

    @staticmethod
    def further(kind: str) -> type[KindEntry] | None:
        """The record of a kind; None if there is no such kind."""
        return entry_record(kind)

    @staticmethod
    def further_words() -> list[str]:
        """Every kind there is."""
        return [*own_kinds(), *added_kinds(), *dict.fromkeys(plugin.name for plugin in plugins())]


class _ProgramEntry(KindEntry, frozen=True, kw_only=True, tag="program"):
    """Stands for the kinds that ask a program."""

    dialect: Annotated[
        Literal["genesis", "claude"],
        about("claude: exit codes, text and failures mean what they mean to Claude Code."),
    ] = "genesis"

    @property
    def followed(self) -> Dialect:
        """Whose rules for answers and failures it follows."""
        return Dialect(self.dialect)


def entry_record(kind: str) -> type[KindEntry] | None:
    """The record an entry of this kind is read into: all that any entry may say, and its own options."""
    builtin = find_builtin(kind)
    if builtin is None:
        return None
    if kind not in own_kinds() and (field := unwritable_field(builtin.options)):
        raise PluginError(
            f"the option `{field}` of `{kind}` has a type that no policy can contain; its author can use "
            "text, numbers, words, lists, mappings and records"
        )
    return record_of(builtin)


@cache
def record_of(builtin: Builtin) -> type[KindEntry]:
    """The record of a kind of hook."""
    options = builtin.options
    required = any(field.required for field in msgspec.structs.fields(options))
    matcher = next(field for field in msgspec.structs.fields(HookEntry) if field.name == "matcher")
    config: Any = ("config", options) if required else ("config", options, options())
    record = msgspec.defstruct(
        f"{builtin.kind.title().replace('_', '').replace('.', '')}Hook",
        [config, ("matcher", matcher.type, builtin.matcher)],
        bases=(_ProgramEntry if builtin.dialects else KindEntry,),
        namespace={"builtin": builtin, "__doc__": builtin.about},
        frozen=True,
        kw_only=True,
        tag=builtin.kind,
    )
    return cast("type[KindEntry]", record)
