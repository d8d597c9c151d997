"""The shape of `genesis.key`, written once: validation, records and JSON Schema all come from here."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Final, Literal, TypeAlias

import msgspec
from msgspec import UNSET, Meta, UnsetType

from interlock.builtin.modify import Target
from interlock.config.entry import EVENT_SPELLINGS, Entry, Text, WebhookConfig

ACTOR: Final = r"^[A-Za-z0-9_.*-]+:[A-Za-z0-9_.*-]+$"


class _Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A mapping whose keys are all known."""


class ExampleCall(_Part, frozen=True, kw_only=True):
    """A call written out, to test a matcher with."""

    tool: Text
    input: dict[str, Any] | UnsetType = UNSET
    args: Annotated[str, Meta(description="The tool's main argument.")] | UnsetType = UNSET


class Examples(_Part, frozen=True, kw_only=True):
    """Calls the matcher must and must not match; checked whenever the file is loaded."""

    match: list[str | ExampleCall] = []
    no_match: list[str | ExampleCall] = []


class HookEntry(Entry, frozen=True, kw_only=True, tag_field="type"):
    """One hook of a genesis key."""

    matcher: Annotated[
        str | list[Text],
        Meta(description="`*`, `Tool`, `A|B`, `Name*`, `Tool(glob)` or `/regex/`; a list: any of them."),
    ] = "*"
    examples: Examples = Examples()

    reserved: ClassVar = {"function": "a function is registered in Python code, not in a policy file"}


class ProgramEntry(HookEntry, frozen=True, kw_only=True):
    """A hook that asks a program: whose rules for answers and failures it follows."""

    dialect: Annotated[
        Literal["genesis", "claude"],
        Meta(description="claude: exit codes, text and failures mean what they mean to Claude Code."),
    ] = "genesis"


class NoConfig(_Part, frozen=True, kw_only=True):
    """This type takes no configuration."""


class DenyConfig(_Part, frozen=True, kw_only=True):
    """Why, and what to do instead."""

    reason: Text | UnsetType = UNSET
    suggestion: Text | UnsetType = UNSET


class ReplaceConfig(_Part, frozen=True, kw_only=True):
    """Every match of a pattern in one field becomes another text."""

    field: str
    pattern: Annotated[Text, Meta(description="An RE2 regular expression.")]
    text: str = msgspec.field(name="with")


class ModifyConfig(_Part, frozen=True, kw_only=True):
    """What to change; fields are dotted paths."""

    target: Target | UnsetType = UNSET
    set: dict[str, Any] = {}
    remove: list[Text] = []
    replace: list[ReplaceConfig] = []


class CommandConfig(_Part, frozen=True, kw_only=True):
    """What to run, and how to talk to it."""

    command: Text
    pass_context: bool = True
    parse_result: bool = True


class EvidenceConfig(_Part, frozen=True, kw_only=True):
    """What kind of evidence, and whether the ledger keeps it."""

    ledger: bool = True
    kind: Text = "tool_use"


class ApprovalConfig(_Part, frozen=True, kw_only=True):
    """When a person is needed, and who."""

    condition: Annotated[Text, Meta(description="A CEL expression.")] | UnsetType = UNSET
    approvers: list[Text] = []


class CleaningConfig(_Part, frozen=True, kw_only=True):
    """What may be deleted, and what is said of the rest."""

    rebuildable: (
        Annotated[list[Text], Meta(description="Names, as globs, that tools give to what they build.")]
        | UnsetType
    ) = UNSET
    also: Annotated[list[Text], Meta(description="Further names, beside `rebuildable`.")] = []
    temporary: (
        Annotated[
            list[Text], Meta(description="Folders below which anything may go; `$NAME` and `~/` are read.")
        ]
        | UnsetType
    ) = UNSET
    outside: Annotated[
        Literal["ask", "deny"],
        Meta(description="Said of what lies outside the project, of the project itself and of `.git`."),
    ] = "deny"
    otherwise: Annotated[Literal["ask", "deny"], Meta(description="Said of everything else.")] = "ask"


class GenesisEnforcementHook(HookEntry, frozen=True, kw_only=True, tag="genesis_enforcement"):
    """Judges by the permissions of this file."""

    config: NoConfig = NoConfig()


class EvidenceCaptureHook(HookEntry, frozen=True, kw_only=True, tag="evidence_capture"):
    """Keeps evidence of a call."""

    config: EvidenceConfig = EvidenceConfig()


class ApprovalGateHook(HookEntry, frozen=True, kw_only=True, tag="approval_gate"):
    """Holds work back until a person approves."""

    config: ApprovalConfig = ApprovalConfig()


class DenyHook(HookEntry, frozen=True, kw_only=True, tag="deny"):
    """Denies what the matcher means."""

    config: DenyConfig = DenyConfig()


class AskHook(HookEntry, frozen=True, kw_only=True, tag="ask"):
    """Asks a person about what the matcher means."""

    config: DenyConfig = DenyConfig()


class CleaningHook(HookEntry, frozen=True, kw_only=True, tag="cleaning"):
    """Stops the deletion of what cannot be made anew."""

    config: CleaningConfig = CleaningConfig()


class ModifyHook(HookEntry, frozen=True, kw_only=True, tag="modify"):
    """Changes the input, output or prompt."""

    config: ModifyConfig = ModifyConfig()


class CommandHook(ProgramEntry, frozen=True, kw_only=True, tag="command"):
    """Runs a program."""

    config: CommandConfig


class WebhookHook(ProgramEntry, frozen=True, kw_only=True, tag="webhook"):
    """Calls a web address."""

    config: WebhookConfig


AnyRule: TypeAlias = (
    GenesisEnforcementHook
    | EvidenceCaptureHook
    | ApprovalGateHook
    | DenyHook
    | AskHook
    | CleaningHook
    | ModifyHook
)
AnyHook: TypeAlias = AnyRule | CommandHook | WebhookHook


class ActorPermissions(_Part, frozen=True, kw_only=True):
    """What one actor may do; deny comes first, and with an allow list no match is a denial."""

    allow: list[Text] | UnsetType = UNSET
    deny: list[Text] = []
    guidance: (
        Annotated[
            str | dict[str, str],
            Meta(description="Advice for the agent with every denial, or per deny pattern."),
        ]
        | UnsetType
    ) = UNSET


class Permissions(_Part, frozen=True, kw_only=True):
    """Who may do what."""

    actors: Annotated[
        dict[str, ActorPermissions],
        Meta(description="By `kind:name`.", extra_json_schema={"propertyNames": {"pattern": ACTOR}}),
    ] = {}


class ActorSettings(_Part, frozen=True, kw_only=True):
    """Who acts, since hosts don't say."""

    main: Annotated[Text, Meta(description="The actor of the main agent.")] | UnsetType = UNSET
    subagents: Annotated[dict[str, Text], Meta(description="Actors by kind of sub-agent.")] = {}


PackWord: TypeAlias = Literal["off", "shadow", "ask", "deny"]


class Settings(_Part, frozen=True, kw_only=True):
    """What holds for all hooks."""

    actors: ActorSettings = ActorSettings()
    packs: Annotated[
        list[Text] | dict[str, dict[str, PackWord]],
        Meta(description="Policies shipped with Interlock, perhaps with a word for some of their rules."),
    ] = []

    noun: ClassVar = "setting"


class GenesisKey(_Part, frozen=True, kw_only=True):
    """A policy: hooks in order, and permissions by actor."""

    version: Annotated[Text, Meta(description='The format, in quotes: "2.0".')]
    settings: Settings = Settings()
    hooks: Annotated[
        dict[str, list[AnyHook]],
        Meta(
            description="Hooks by event, run in the order they are written.",
            extra_json_schema={"propertyNames": {"enum": list(EVENT_SPELLINGS)}},
        ),
    ] = {}
    permissions: Permissions = Permissions()
