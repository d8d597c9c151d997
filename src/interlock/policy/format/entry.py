"""What every hook entry may say, in either format: the one place its keys are written down."""

from __future__ import annotations

from typing import Annotated, ClassVar, Final, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from interlock.events.hook import MAX_ROUNDS, MAX_TIMEOUT, OnFailure
from interlock.events.names import ALIASES, EventName, snake_case

_CEILING_MS: Final = MAX_TIMEOUT * 1000
_TOO_LONG: Final = f"is more than {MAX_TIMEOUT:g} seconds; for milliseconds write `timeout_ms`"


def _camel_case(name: str) -> str:
    return name[0].lower() + name[1:]


EVENT_SPELLINGS: Final = tuple(
    dict.fromkeys(
        spelling
        for name in [*EventName, *ALIASES]
        for spelling in (snake_case(name), str(name), _camel_case(name))
    )
)

Text = Annotated[str, Meta(min_length=1)]
Seconds = Annotated[
    float, Meta(gt=0, le=MAX_TIMEOUT, description="Seconds; 600 at most.", extra={"over": _TOO_LONG})
]
Milliseconds = Annotated[
    float,
    Meta(
        gt=0,
        le=_CEILING_MS,
        description="Milliseconds; 600000 at most.",
        extra={"over": f"is more than {_CEILING_MS:g} milliseconds; write a smaller number"},
    ),
]


class Entry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Keys that any hook understands."""

    name: Annotated[Text, Meta(description="What the hook is called in traces.")] | UnsetType = UNSET
    enabled: Annotated[bool, Meta(description="false: the entry is left out.")] = True
    condition_if: (
        Annotated[Text, Meta(description="A CEL expression; the hook applies when it is true.")] | UnsetType
    ) = msgspec.field(default=UNSET, name="if")
    condition: Annotated[Text, Meta(description="Another word for `if`.")] | UnsetType = UNSET
    timeout: Seconds | UnsetType = UNSET
    timeout_sec: Seconds | UnsetType = UNSET
    timeout_ms: Milliseconds | UnsetType = UNSET
    on_failure: (
        Annotated[OnFailure, Meta(description="What a run without an answer counts as.")] | UnsetType
    ) = UNSET
    mode: Annotated[Literal["enforce", "shadow"], Meta(description="shadow: recorded, changes nothing.")] = (
        "enforce"
    )
    once: Annotated[bool, Meta(description="Gone after its first good run in a session.")] = False
    observe: Annotated[bool, Meta(description="true: it may not vote.")] = False
    auto_approve: Annotated[bool, Meta(description="true: its allow lets the host skip its own prompt.")] = (
        False
    )
    rejudge: Annotated[bool, Meta(description="false: not run again when the input changed later.")] = True
    max_rounds: (
        Annotated[
            int,
            Meta(ge=1, le=MAX_ROUNDS, description="How often it may block a stop in one turn; else once."),
        ]
        | UnsetType
    ) = UNSET
    pass_env: Annotated[
        list[Text], Meta(description="Variables of the environment that the hook may see.")
    ] = []

    @property
    def condition_text(self) -> str | None:
        """The condition under either of its names."""
        return self.condition_if or self.condition or None

    @property
    def seconds(self) -> float | None:
        """The time limit under any of its names."""
        if self.timeout_ms:
            return self.timeout_ms / 1000
        return self.timeout or self.timeout_sec or None

    # Keys of which an entry may use one.
    synonyms: ClassVar = (("if", "condition"), ("timeout", "timeout_sec", "timeout_ms"))


class WebhookConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where a webhook is sent."""

    url: Annotated[Text, Meta(description="http or https.")]
    method: Literal["Post", "Put", "POST", "PUT"] = "Post"
    headers: Annotated[
        dict[str, str], Meta(description="Values may hold `${VAR}` of variables named in `pass_env`.")
    ] = {}
    allow_private: Annotated[
        bool,
        Meta(description="true: the address may lie in a private network; managed and user layers only."),
    ] = False
