"""What every hook entry may say, in either format: the one place its keys are written down."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Final, Literal, TypeAlias

import msgspec
from msgspec import UNSET, Meta, UnsetType

from interlock.events.hook import MAX_ROUNDS, MAX_TIMEOUT, OnFailure
from interlock.events.names import ALIASES, EventName, snake_case

_CEILING_MS: Final = MAX_TIMEOUT * 1000
_TOO_LONG: Final = f"is more than {MAX_TIMEOUT:g} seconds; for milliseconds write `timeout_ms`"


EVENT_SPELLINGS: Final = tuple(
    dict.fromkeys(
        spelling
        for name in [*EventName, *ALIASES]
        for spelling in (snake_case(name), str(name), name[0].lower() + name[1:])
    )
)

Text = Annotated[str, Meta(min_length=1)]


def about(text: str, **limits: Any) -> Meta:
    """What an option is for, as people read it, and its limits: `ge`, `le`, `min_length` …"""
    return Meta(description=text, **limits)


Seconds = Annotated[float, about("Seconds; at most 600.", gt=0, le=MAX_TIMEOUT, extra={"over": _TOO_LONG})]
Milliseconds = Annotated[
    float,
    about(
        "Milliseconds; at most 600000.",
        gt=0,
        le=_CEILING_MS,
        extra={"over": f"is more than {_CEILING_MS:g} milliseconds; write a smaller number"},
    ),
]


class Entry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Keys that any hook understands."""

    name: Annotated[Text, about("The hook's name in traces.")] | UnsetType = UNSET
    enabled: Annotated[bool, about("false: the entry is ignored.")] = True
    condition_if: (
        Annotated[Text, about("A CEL expression; the hook applies when it is true.")] | UnsetType
    ) = msgspec.field(default=UNSET, name="if")
    condition: Annotated[Text, about("Another name for `if`.")] | UnsetType = UNSET
    timeout: Seconds | UnsetType = UNSET
    timeout_sec: Seconds | UnsetType = UNSET
    timeout_ms: Milliseconds | UnsetType = UNSET
    on_failure: Annotated[OnFailure, about("What a run without an answer counts as.")] | UnsetType = UNSET
    mode: Annotated[Literal["enforce", "shadow"], about("shadow: recorded, changes nothing.")] = "enforce"
    once: Annotated[bool, about("Removed after its first successful run in a session.")] = False
    observe: Annotated[bool, about("true: it may not vote.")] = False
    auto_approve: Annotated[bool, about("true: its allow lets the host skip its own prompt.")] = False
    rejudge: Annotated[bool, about("false: not run again when the input is changed later.")] = True
    max_rounds: (
        Annotated[int, about("How often it may send a turn back; default: once.", ge=1, le=MAX_ROUNDS)]
        | UnsetType
    ) = UNSET
    pass_env: Annotated[list[Text], about("Environment variables that the hook may see.")] = []

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

    url: Annotated[Text, about("http or https.")]
    method: Annotated[Literal["Post", "Put", "POST", "PUT"], about("The HTTP method.")] = "Post"
    headers: Annotated[
        dict[str, str], about("Values may contain `${VAR}` for variables named in `pass_env`.")
    ] = {}
    allow_private: Annotated[
        bool, about("true: the address may be in a private network; managed and user layers only.")
    ] = False


class ExampleCall(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A call written out, to test a matcher with."""

    tool: Text
    input: dict[str, Any] | UnsetType = UNSET
    args: Annotated[str, about("The tool's main argument.")] | UnsetType = UNSET


class Examples(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Calls the matcher must and must not match; checked whenever the file is loaded."""

    match: list[str | ExampleCall] = []
    no_match: list[str | ExampleCall] = []


class HookEntry(Entry, frozen=True, kw_only=True, tag_field="type"):
    """One hook of a genesis key."""

    matcher: Annotated[
        str | list[Text],
        about("`*`, `Tool`, `A|B`, `Name*`, `Tool(glob)` or `/regex/`; a list: any of them."),
    ] = "*"
    examples: Annotated[Examples, about("Calls that the matcher must match, and must not.")] = Examples()

    reserved: ClassVar = {"function": "a function is registered in Python code, not in a policy file"}


class ShellConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What to run, and how to talk to it."""

    command: Text
    pass_context: Annotated[bool, about("The event as JSON on standard input.")] = False
    parse_result: Annotated[bool, about("Read an answer from standard output.")] = False


class TomlHook(Entry, frozen=True, kw_only=True):
    """One `[[hooks]]` entry, with exactly one of `[hooks.shell]` and `[hooks.webhook]`."""

    event: Annotated[Text, about("When it runs.", extra_json_schema={"enum": list(EVENT_SPELLINGS)})]
    tool_matcher: Annotated[str, about("A tool's name, or the start of one with `*`.")] | UnsetType = UNSET
    shell: Annotated[ShellConfig, about("The command to run.")] | UnsetType = UNSET
    webhook: Annotated[WebhookConfig, about("The address to call.")] | UnsetType = UNSET


class HooksToml(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Hooks in the order they are written."""

    hooks: list[TomlHook] = []


class SeveralApprovers(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How many of these people must approve."""

    any: Annotated[int, about("How many.", ge=1, le=20)] = 1
    of: Annotated[list[Text], about("Whose: `human:NAME`, `group:NAME`.", min_length=1)]


Approvers: TypeAlias = Annotated[
    list[Text] | SeveralApprovers, about("Who may approve: `human:NAME`, `group:NAME`. Empty: any person.")
]
