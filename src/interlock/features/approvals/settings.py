"""`settings.approval`: who may say yes, for how long it holds, and how people hear of a question."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from interlock.policy.format.entry import Text

MOST_WAITED = 55


class NotifySettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How people hear that somebody waits for them."""

    webhook: (
        Annotated[Text, Meta(description="http or https; gets the request as JSON, and no way to answer it.")]
        | UnsetType
    ) = UNSET
    desktop: Annotated[bool, Meta(description="true: a notification on the desktop.")] | UnsetType = UNSET


class ApprovalSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What holds for every question to a person."""

    expires: (
        Annotated[Text, Meta(description="How long a question, and then a yes, holds: `10m`.")] | UnsetType
    ) = UNSET
    wait_s: (
        Annotated[
            float,
            Meta(
                ge=0,
                le=MOST_WAITED,
                description="Seconds a call is held for an answer; 0: denied at once, to be tried again.",
                extra={
                    "over": f"is more than {MOST_WAITED} seconds, and no host waits longer; write less",
                    "under": f"is no time to wait; write 0 to {MOST_WAITED}",
                },
            ),
        ]
        | UnsetType
    ) = UNSET
    approvers: Annotated[
        dict[str, list[Text] | Literal["*"]],
        Meta(description="Who may say yes to what: `human:NAME` to patterns, or `*`. Nobody: any person."),
    ] = {}
    notify: NotifySettings = NotifySettings()

    noun: ClassVar = "setting"
