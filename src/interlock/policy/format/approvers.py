"""Who may say yes, as policies write it."""

from __future__ import annotations

from typing import Annotated, ClassVar, TypeAlias

import msgspec
from msgspec import Meta

from interlock.policy.format.entry import Text


class SeveralApprovers(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """So many of these people must say yes."""

    any: Annotated[int, Meta(ge=1, le=20, description="How many.")] = 1
    of: Annotated[list[Text], Meta(min_length=1, description="Whose: `human:NAME`, `group:NAME`.")]

    noun: ClassVar = "key"


Approvers: TypeAlias = Annotated[
    list[Text] | SeveralApprovers,
    Meta(description="Who may say yes: `human:NAME`, `group:NAME`. None: any person."),
]
