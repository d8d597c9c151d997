"""`settings.packs`: policies shipped with Interlock."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final, Literal, TypeAlias

from msgspec import Meta

from interlock.policy.format.entry import Text
from interlock.policy.settings_part import SettingsPart, unmerged

PackWord: TypeAlias = Literal["off", "shadow", "ask", "deny"]

PACKS: Final = SettingsPart[list[str] | Mapping[str, Mapping[str, PackWord]], None](
    key="packs",
    default=[],
    merge=unmerged,
    shape=Annotated[
        list[Text] | dict[str, dict[str, PackWord]],
        Meta(description="Policies shipped with Interlock, perhaps with a word for some of their rules."),
    ],
)
