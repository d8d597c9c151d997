"""`settings.actors`: who acts, by the trusted layers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Final

import msgspec
from msgspec import UNSET, Meta, UnsetType

from interlock.events.actor import MAIN, ActorMap
from interlock.policy.actor_names import check_actor
from interlock.policy.format.entry import Text
from interlock.policy.settings_part import FileSettings, SettingsPart, trusted


class ActorSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who acts, since hosts don't say."""

    main: Annotated[Text, Meta(description="The actor of the main agent.")] | UnsetType = UNSET
    subagents: Annotated[dict[str, Text], Meta(description="Actors by kind of sub-agent.")] = {}


def _merge(files: Iterable[FileSettings[ActorSettings]]) -> ActorMap:
    """What an earlier layer says of an agent stands."""
    main: str | None = None
    subagents: dict[str, str] = {}
    for file in trusted(files, "name actors", ignored=True):
        if file.written.main:
            check_actor(file.written.main, (*file.part.path, "main"), file.findings)
            main = main or file.written.main
        for kind, actor in file.written.subagents.items():
            check_actor(actor, (*file.part.path, "subagents", kind), file.findings)
            subagents.setdefault(kind, actor)
    return ActorMap(main=main or MAIN, subagents=subagents)


ACTORS: Final = SettingsPart(key="actors", default=ActorSettings(), merge=_merge)
