"""The shape of `settings.projects`: what holds in one folder."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from interlock.policy.format.entry import Text


class ProjectSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What holds in one folder."""

    grants: Annotated[
        dict[str, list[Text]],
        Meta(description="By actor, calls that nobody needs to be asked about; `*` is one plain argument."),
    ] = {}
