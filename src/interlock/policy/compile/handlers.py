"""From what an entry says to the handler that runs it."""

from __future__ import annotations

from typing import Final, Literal

from interlock.builtin_hooks.basic.modify import Modify, Replacement, Target
from interlock.builtin_hooks.basic.vote import Ask, Deny
from interlock.builtin_hooks.cleaning.hook import REBUILDABLE, TEMPORARY
from interlock.builtin_hooks.evidence.hook import EvidenceCapture
from interlock.events.hook import Dialect, Handler
from interlock.events.names import EventName
from interlock.events.verdict import Vote
from interlock.handlers.environment import check_headers, check_pass_env
from interlock.permissions.hook import GenesisEnforcement
from interlock.policy.compile.builtin_hooks import BuiltinHook, builtin_handler
from interlock.policy.compile.context import Bench
from interlock.policy.compile.gates import approvers_of, gate_handler
from interlock.policy.compile.recorders import recording_handler
from interlock.policy.files.node import Path
from interlock.policy.format.entry import Entry, WebhookConfig
from interlock.policy.format.genesis_key import (
    AnyGate,
    AnyHook,
    AnyRule,
    ApprovalGateHook,
    AskHook,
    CheckBashSideEffectsHook,
    CleaningConfig,
    CleaningHook,
    CommandConfig,
    CommandHook,
    CompletionHook,
    DenyHook,
    EvidenceCaptureHook,
    GenesisEnforcementHook,
    ModifyConfig,
    ModifyHook,
    ProgramEntry,
    RecordToolUseHook,
    TrustGateHook,
    WebhookHook,
)
from interlock.policy.format.hooks_toml import ShellConfig
from interlock.policy.tightening import tightened_webhook

_METHODS: Final[dict[str, Literal["POST", "PUT"]]] = {
    "Post": "POST",
    "POST": "POST",
    "Put": "PUT",
    "PUT": "PUT",
}
_VOTES: Final = {"ask": Vote.ASK, "deny": Vote.DENY}
_AFTER: Final = frozenset({EventName.POST_TOOL_USE, EventName.POST_TOOL_USE_FAILURE})
_PROMPTS: Final = frozenset({EventName.USER_PROMPT_SUBMIT, EventName.USER_PROMPT_EXPANSION})
_DEFAULT_PATH: Final = "/usr/local/bin:/usr/bin:/bin"


def genesis_handler(entry: AnyHook, event: EventName, path: Path, bench: Bench) -> Handler | None:
    """Make the handler of a genesis hook; None when a problem was noted."""
    match entry:
        case CommandHook():
            return command_handler(entry, entry.config, dialect_of(entry), path, bench)
        case WebhookHook():
            return webhook_handler(entry, entry.config, dialect_of(entry), (path, "config"), bench)
        case RecordToolUseHook():
            return recording_handler(entry.config, bench)
        case CheckBashSideEffectsHook():
            return recording_handler(None, bench)
        case BuiltinHook():
            return builtin_handler(entry, event, path, bench)
        case _:
            return _rule(entry, event, (*path, "config"), bench)


def dialect_of(entry: AnyHook) -> Dialect:
    """Whose rules a genesis hook follows; only those that ask a program can say."""
    return Dialect(entry.dialect) if isinstance(entry, ProgramEntry) else Dialect.GENESIS


def _rule(entry: AnyRule | AnyGate, event: EventName, config: Path, bench: Bench) -> Handler | None:
    match entry:
        case GenesisEnforcementHook():
            approvers = approvers_of(entry.config.approvers, config, bench)
            return GenesisEnforcement(bench.own, bench.others, approvers)
        case EvidenceCaptureHook():
            kept = entry.config
            return EvidenceCapture(kept.kind, ledger=kept.ledger, data=kept.data, fields=kept.fields)
        case ApprovalGateHook() | CompletionHook() | TrustGateHook():
            return gate_handler(entry, event, config, bench)
        case DenyHook() | AskHook():
            return _word(entry, config, bench)
        case CleaningHook():
            return _cleaning(entry.config, bench)
        case ModifyHook():
            return _modify(entry.config, event, config, bench)


def command_handler(
    entry: Entry, config: CommandConfig | ShellConfig, dialect: Dialect, path: Path, bench: Bench
) -> Handler | None:
    """Make a handler that runs a program."""
    from interlock.handlers.command import CommandHandler  # noqa: PLC0415 - 3 ms of a start that has no commands

    return bench.findings.attempt(
        (*path, "pass_env"),
        CommandHandler,
        config.command,
        pass_context=config.pass_context,
        parse_result=config.parse_result,
        dialect=dialect,
        pass_env=tuple(entry.pass_env),
        base_env=bench.environ,
        folder=bench.folder,
        path=bench.environ.get("PATH", _DEFAULT_PATH),
    )


def webhook_handler(
    entry: Entry, config: WebhookConfig, dialect: Dialect, place: tuple[Path, str], bench: Bench
) -> Handler | None:
    """Make a handler that calls a web address; each kind of mistake is noted at its own key."""
    from interlock.handlers.webhook import WebhookHandler  # noqa: PLC0415 - as above, for web addresses

    findings, pass_env = bench.findings, tuple(entry.pass_env)
    path, config_path = place[0], (*place[0], place[1])
    before = len(findings.problems)
    findings.attempt((*path, "pass_env"), check_pass_env, pass_env)
    findings.attempt((*config_path, "headers"), check_headers, config.headers, pass_env)
    if len(findings.problems) > before:
        return None
    allowed = tightened_webhook(config, bench.layer, config_path, findings)
    return findings.attempt(
        (*config_path, "url"),
        WebhookHandler,
        allowed.url,
        method=_METHODS[allowed.method],
        headers=allowed.headers,
        allow_private=allowed.allow_private,
        dialect=dialect,
        pass_env=pass_env,
        base_env=bench.environ,
    )


def _cleaning(config: CleaningConfig, bench: Bench) -> Handler:
    from interlock.builtin_hooks.cleaning.hook import Cleaning  # noqa: PLC0415 - asks git, with all that takes

    return Cleaning(
        names=(*(config.rebuildable or REBUILDABLE), *config.also),
        temporary=tuple(config.temporary or TEMPORARY),
        outside=_VOTES[config.outside],
        otherwise=_VOTES[config.otherwise],
        environ=bench.environ,
    )


def _word(entry: DenyHook | AskHook, path: Path, bench: Bench) -> Handler:
    reason, suggestion = entry.config.reason or None, entry.config.suggestion or None
    if isinstance(entry, DenyHook):
        return Deny(reason, suggestion)
    return Ask(reason, suggestion, approvers_of(entry.config.approvers, path, bench))


def _modify(config: ModifyConfig, event: EventName, path: Path, bench: Bench) -> Handler | None:
    target = config.target or _default_target(event)
    if not (config.set or config.remove or config.replace):
        bench.findings.problem(path, "this changes nothing; add `set`, `remove` or `replace`")
        return None
    replacements = [
        Replacement(field=one.field, pattern=one.pattern, text=one.text) for one in config.replace
    ]
    for index, one in enumerate(replacements):
        place = (*path, "replace", index, "pattern")
        if bench.findings.attempt(place, Modify, target, replace=[one]) is None:
            return None
    return Modify(target, set=config.set, remove=config.remove, replace=replacements)


def _default_target(event: EventName) -> Target:
    if event in _AFTER:
        return Target.OUTPUT
    return Target.PROMPT if event in _PROMPTS else Target.INPUT
