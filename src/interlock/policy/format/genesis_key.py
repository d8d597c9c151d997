"""The shape of `genesis.key`, written once: validation, records and JSON Schema all come from here."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Final, Literal, TypeAlias

import msgspec
from msgspec import UNSET, Meta, UnsetType

from interlock.builtin_hooks.basic.modify import Target
from interlock.features.gates.approval_gate import GUARDS
from interlock.features.gates.contract import CHECK_SECONDS
from interlock.policy.compile.builtin_hooks import BuiltinHook
from interlock.policy.compile.recorders import NothingToChoose, RecordConfig
from interlock.policy.format.entry import EVENT_SPELLINGS, Seconds, Text, WebhookConfig
from interlock.policy.format.hook_entry import HookEntry

ACTOR: Final = r"^[A-Za-z0-9_.*-]+:[A-Za-z0-9_.*-]+$"
# Who works on commitments may also be known by an address, as git knows people.
PERSON: Final = rf"{ACTOR}|^[A-Za-z0-9_.+*-]+@[A-Za-z0-9_.*-]+$|^user$"


class _Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A mapping whose keys are all known."""


class ProgramEntry(HookEntry, frozen=True, kw_only=True):
    """A hook that asks a program: whose rules for answers and failures it follows."""

    dialect: Annotated[
        Literal["genesis", "claude"],
        Meta(description="claude: exit codes, text and failures mean what they mean to Claude Code."),
    ] = "genesis"


class DenyConfig(_Part, frozen=True, kw_only=True):
    """Why, and what to do instead."""

    reason: Text | UnsetType = UNSET
    suggestion: Text | UnsetType = UNSET


class SeveralApprovers(_Part, frozen=True, kw_only=True):
    """So many of these people must say yes."""

    any: Annotated[int, Meta(ge=1, le=20, description="How many.")] = 1
    of: Annotated[list[Text], Meta(min_length=1, description="Whose: `human:NAME`, `group:NAME`.")]

    noun: ClassVar = "key"


_Approvers = Annotated[
    list[Text] | SeveralApprovers,
    Meta(description="Who may say yes: `human:NAME`, `group:NAME`. None: any person."),
]


class AskConfig(DenyConfig, frozen=True, kw_only=True):
    """Why, what to do instead, and who may say yes."""

    approvers: _Approvers = []


class EnforcementConfig(_Part, frozen=True, kw_only=True):
    """Who may say yes where the permissions cannot decide."""

    approvers: _Approvers = []


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

    ledger: Annotated[bool, Meta(description="false: in the trace of the decision only.")] = True
    kind: Annotated[
        Text, Meta(description="`file_change`, `command_execution`, or any word for `data` and `fields`.")
    ] = "tool_use"
    data: Annotated[dict[str, Any], Meta(description="Kept with every piece of evidence.")] = {}
    fields: Annotated[list[Text], Meta(description="Fields of the tool's input that are kept.")] = []


class ApprovalConfig(_Part, frozen=True, kw_only=True):
    """When a person is needed, and who."""

    condition: Annotated[Text, Meta(description="A CEL expression.")] | UnsetType = UNSET
    approvers: _Approvers = []
    guards: Annotated[
        list[Text], Meta(description="Patterns of calls that wait too; `Bash(git push *)` unless said.")
    ] = msgspec.field(default_factory=lambda: list(GUARDS))


class CompletionConfig(_Part, frozen=True, kw_only=True):
    """What is asked before a turn may end, beside the contract of the project."""

    contract: (
        Annotated[dict[str, Any], Meta(description="A contract in place of the project's file.")] | UnsetType
    ) = UNSET
    commands: Annotated[dict[str, Text], Meta(description="What checks that are only `true` run.")] = {}
    check_timeout: Seconds = CHECK_SECONDS
    secrets: Annotated[bool, Meta(description="true: no secret in what was changed, from tier 2.")] = False
    scope: Annotated[list[Text], Meta(description="Globs of files that may be changed, from tier 2.")] = []
    intent: Annotated[Text, Meta(description="A word the last message must hold, at tier 3.")] | UnsetType = (
        UNSET
    )
    hand_in: Annotated[bool, Meta(description="true: submits the session's commitment at the end.")] = False


class TrustGateConfig(_Part, frozen=True, kw_only=True):
    """What a score is made of."""

    weights: Annotated[dict[str, float], Meta(description="By factor; together they are 1.")] | UnsetType = (
        UNSET
    )


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

    config: EnforcementConfig = EnforcementConfig()


class EvidenceCaptureHook(HookEntry, frozen=True, kw_only=True, tag="evidence_capture"):
    """Keeps evidence of a call."""

    config: EvidenceConfig = EvidenceConfig()


class ApprovalGateHook(HookEntry, frozen=True, kw_only=True, tag="approval_gate"):
    """Holds work back until a person approves."""

    config: ApprovalConfig = ApprovalConfig()


class CompletionHook(HookEntry, frozen=True, kw_only=True, tag="completion"):
    """Sends a turn back until its contract is met."""

    config: CompletionConfig = CompletionConfig()


class TrustGateHook(HookEntry, frozen=True, kw_only=True, tag="trust_gate"):
    """Judges by what the ledger says of the actor."""

    config: TrustGateConfig = TrustGateConfig()


class RecordToolUseHook(HookEntry, frozen=True, kw_only=True, tag="record_tool_use"):
    """Records calls before they run, and how they ended."""

    config: RecordConfig = RecordConfig()


class CheckBashSideEffectsHook(HookEntry, frozen=True, kw_only=True, tag="check_bash_side_effects"):
    """Records what shell commands would create, write and delete."""

    config: NothingToChoose = NothingToChoose()


class DenyHook(HookEntry, frozen=True, kw_only=True, tag="deny"):
    """Denies what the matcher means."""

    config: DenyConfig = DenyConfig()


class AskHook(HookEntry, frozen=True, kw_only=True, tag="ask"):
    """Asks a person about what the matcher means."""

    config: AskConfig = AskConfig()


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
AnyGate: TypeAlias = CompletionHook | TrustGateHook
AnyRecorder: TypeAlias = RecordToolUseHook | CheckBashSideEffectsHook
AnyHook: TypeAlias = AnyRule | CommandHook | WebhookHook | AnyGate | AnyRecorder | BuiltinHook


AuthorWord: TypeAlias = Literal["architect", "auditor", "executor"]


class OperationList(_Part, frozen=True, kw_only=True):
    """Operations on commitments."""

    operations: list[Text]


class PermissionDefaults(_Part, frozen=True, kw_only=True):
    """What actors without an entry may do."""

    authenticated: (
        Annotated[OperationList, Meta(description="Everybody whom the daemon knows.")] | UnsetType
    ) = UNSET


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
    operations: (
        Annotated[
            list[Text],
            Meta(description="Operations on commitments this actor may do; `*` is all."),
        ]
        | UnsetType
    ) = UNSET
    author_types: Annotated[
        list[AuthorWord], Meta(description="The roles this actor may work in; with one, always in that.")
    ] = []
    author_type: Annotated[AuthorWord, Meta(description="The only role, in place of a list.")] | UnsetType = (
        UNSET
    )

    @property
    def roles(self) -> tuple[AuthorWord, ...]:
        """The roles under either of their names."""
        return tuple(dict.fromkeys((*self.author_types, *([self.author_type] if self.author_type else []))))

    @property
    def of_tools(self) -> bool:
        """Whether tools are spoken of; an entry about operations alone says nothing of them."""
        about = isinstance(self.operations, list) or bool(self.roles)
        return not about or isinstance(self.allow, list) or bool(self.deny) or bool(self.guidance)


class Permissions(_Part, frozen=True, kw_only=True):
    """Who may do what."""

    actors: Annotated[
        dict[str, ActorPermissions],
        Meta(description="By `kind:name`.", extra_json_schema={"propertyNames": {"pattern": PERSON}}),
    ] = {}
    defaults: PermissionDefaults = PermissionDefaults()

    @staticmethod
    def cure(key: str, listed: bool) -> str | None:
        """The next step for a key that is a role with its operations, as the protocol's own keys have."""
        if not listed:
            return None
        below = f"actors: {{agent:{key}: {{operations: […]}}}}"
        return f"roles are not read; write their operations below each actor: `{below}`"


class Settings(_Part, frozen=True, kw_only=True):
    """What holds for all hooks; each key is a `SettingsPart`."""

    noun: ClassVar = "setting"


class GenesisKey(_Part, frozen=True, kw_only=True):
    """A policy: hooks in order, and permissions by actor."""

    version: Annotated[Text, Meta(description='The format, in quotes: "2.0".')] = "2.0"
    settings: Settings = Settings()
    hooks: Annotated[
        dict[str, list[AnyHook]],
        Meta(
            description="Hooks by event, run in the order they are written.",
            extra_json_schema={"propertyNames": {"enum": list(EVENT_SPELLINGS)}},
        ),
    ] = {}
    permissions: Permissions = Permissions()
