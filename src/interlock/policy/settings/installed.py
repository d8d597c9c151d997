"""What a policy brings in by name: packs that come with Interlock, features of other distributions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Final, Literal, TypeAlias

from interlock.policy.format.entry import Text, about
from interlock.policy.settings_part import FileSettings, SettingsPart, merge_nothing, trusted

PackWord: TypeAlias = Literal["off", "shadow", "ask", "deny"]

PACKS: Final = SettingsPart[list[str] | Mapping[str, Mapping[str, PackWord]], None](
    key="packs",
    default=[],
    merge=merge_nothing,
    shape=Annotated[
        list[Text] | dict[str, dict[str, PackWord]],
        about("Policies shipped with Interlock, each with changes to some of its rules if you like."),
    ],
)


def _merge(files: Iterable[FileSettings[list[str]]]) -> tuple[str, ...]:
    """All that are named; a feature runs inside the daemon, so a project may not name any."""
    return tuple(dict.fromkeys(name for file in trusted(files, "name features") for name in file.written))


FEATURES: Final = SettingsPart[list[str], tuple[str, ...]](
    key="features",
    default=[],
    merge=_merge,
    shape=Annotated[list[Text], about("Features of installed distributions to use.")],
)
