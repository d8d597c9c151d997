"""`settings.features`: the features of other distributions that are used here."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Final

from msgspec import Meta

from interlock.policy.format.entry import Text
from interlock.policy.settings_part import FileSettings, SettingsPart, trusted


def _merge(files: Iterable[FileSettings[list[str]]]) -> tuple[str, ...]:
    """All that are named; a feature runs inside the daemon, so a project may not name any."""
    return tuple(dict.fromkeys(name for file in trusted(files, "name features") for name in file.written))


FEATURES: Final = SettingsPart[list[str], tuple[str, ...]](
    key="features",
    default=[],
    merge=_merge,
    shape=Annotated[list[Text], Meta(description="Features of installed distributions to use.")],
)
