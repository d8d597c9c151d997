"""`settings.acme_freeze`: what agents are told while the freeze is on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from interlock.plugin import FileSettings, SettingsPart, trusted

DEFAULT: Final = "A code freeze is on. Ask the user to run `interlock freeze off`."


class FreezeSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one policy file may say."""

    reason: Annotated[str, Meta(min_length=1, max_length=300, description="What agents are told.")] = DEFAULT


def _merge(files: Iterable[FileSettings[FreezeSettings]]) -> FreezeSettings:
    """The earliest layer that says something; in a project's file the key is an error."""
    return next((file.written for file in trusted(files, "word the freeze")), FreezeSettings())


FREEZE: Final = SettingsPart(key="acme_freeze", default=FreezeSettings(), merge=_merge)
