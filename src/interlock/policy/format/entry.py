"""What every hook entry may say, in either format: the one place its keys are written down."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Final, Literal, TypeAlias

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


def about(text: str, **limits: Any) -> Meta:
    """What an option is for, as people read it, and its limits: `ge`, `le`, `min_length` …"""
    return Meta(description=text, **limits)


Seconds = Annotated[
    float, Meta(gt=0, le=MAX_TIMEOUT, description="Seconds; at most 600.", extra={"over": _TOO_LONG})
]
Milliseconds = Annotated[
    float,
    Meta(
        gt=0,
        le=_CEILING_MS,
        description="Milliseconds; at most 600000.",
        extra={"over": f"is more than {_CEILING_MS:g} milliseconds; write a smaller number"},
    ),
]


class Entry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Keys that any hook understands."""

    name: Annotated[Text, Meta(description="The hook's name in traces.")] | UnsetType = UNSET
    enabled: Annotated[bool, Meta(description="false: the entry is ignored.")] = True
    condition_if: (
        Annotated[Text, Meta(description="A CEL expression; the hook applies when it is true.")] | UnsetType
    ) = msgspec.field(default=UNSET, name="if")
    condition: Annotated[Text, Meta(description="Another name for `if`.")] | UnsetType = UNSET
    timeout: Seconds | UnsetType = UNSET
    timeout_sec: Seconds | UnsetType = UNSET
    timeout_ms: Milliseconds | UnsetType = UNSET
    on_failure: (
        Annotated[OnFailure, Meta(description="What a run without an answer counts as.")] | UnsetType
    ) = UNSET
    mode: Annotated[Literal["enforce", "shadow"], Meta(description="shadow: recorded, changes nothing.")] = (
        "enforce"
    )
    once: Annotated[bool, Meta(description="Removed after its first successful run in a session.")] = False
    observe: Annotated[bool, Meta(description="true: it may not vote.")] = False
    auto_approve: Annotated[bool, Meta(description="true: its allow lets the host skip its own prompt.")] = (
        False
    )
    rejudge: Annotated[bool, Meta(description="false: not run again when the input is changed later.")] = True
    max_rounds: (
        Annotated[
            int,
            Meta(ge=1, le=MAX_ROUNDS, description="How often it may send a turn back; default: once."),
        ]
        | UnsetType
    ) = UNSET
    pass_env: Annotated[list[Text], Meta(description="Environment variables that the hook may see.")] = []

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
    method: Annotated[Literal["Post", "Put", "POST", "PUT"], Meta(description="The HTTP method.")] = "Post"
    headers: Annotated[
        dict[str, str], Meta(description="Values may contain `${VAR}` for variables named in `pass_env`.")
    ] = {}
    allow_private: Annotated[
        bool,
        Meta(description="true: the address may be in a private network; managed and user layers only."),
    ] = False


class ExampleCall(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A call written out, to test a matcher with."""

    tool: Text
    input: dict[str, Any] | UnsetType = UNSET
    args: Annotated[str, Meta(description="The tool's main argument.")] | UnsetType = UNSET


class Examples(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Calls the matcher must and must not match; checked whenever the file is loaded."""

    match: list[str | ExampleCall] = []
    no_match: list[str | ExampleCall] = []


class HookEntry(Entry, frozen=True, kw_only=True, tag_field="type"):
    """One hook of a genesis key."""

    matcher: Annotated[
        str | list[Text],
        Meta(description="`*`, `Tool`, `A|B`, `Name*`, `Tool(glob)` or `/regex/`; a list: any of them."),
    ] = "*"
    examples: Annotated[Examples, Meta(description="Calls that the matcher must match, and must not.")] = (
        Examples()
    )

    reserved: ClassVar = {"function": "a function is registered in Python code, not in a policy file"}


class ShellConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What to run, and how to talk to it."""

    command: Text
    pass_context: Annotated[bool, Meta(description="The event as JSON on standard input.")] = False
    parse_result: Annotated[bool, Meta(description="Read an answer from standard output.")] = False


class TomlHook(Entry, frozen=True, kw_only=True):
    """One `[[hooks]]` entry, with exactly one of `[hooks.shell]` and `[hooks.webhook]`."""

    event: Annotated[
        Text, Meta(description="When it runs.", extra_json_schema={"enum": list(EVENT_SPELLINGS)})
    ]
    tool_matcher: (
        Annotated[str, Meta(description="A tool's name, or the start of one with `*`.")] | UnsetType
    ) = UNSET
    shell: Annotated[ShellConfig, Meta(description="The command to run.")] | UnsetType = UNSET
    webhook: Annotated[WebhookConfig, Meta(description="The address to call.")] | UnsetType = UNSET


class HooksToml(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Hooks in the order they are written."""

    hooks: list[TomlHook] = []


class SeveralApprovers(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How many of these people must approve."""

    any: Annotated[int, Meta(ge=1, le=20, description="How many.")] = 1
    of: Annotated[list[Text], Meta(min_length=1, description="Whose: `human:NAME`, `group:NAME`.")]

    noun: ClassVar = "key"


Approvers: TypeAlias = Annotated[
    list[Text] | SeveralApprovers,
    Meta(description="Who may approve: `human:NAME`, `group:NAME`. Empty: any person."),
]
