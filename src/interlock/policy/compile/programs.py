"""Hooks that ask a program or a web address, in either format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final, Literal

import msgspec

from interlock.events.hook import Dialect, Handler
from interlock.handlers.command import CommandHandler
from interlock.handlers.environment import check_headers, check_pass_env
from interlock.handlers.webhook import WebhookHandler
from interlock.permissions.judge import GenesisEnforcement
from interlock.policy.compile.context import CompileContext, tighten_webhook
from interlock.policy.files.document import Path
from interlock.policy.format.entry import Approvers, Entry, ShellConfig, Text, WebhookConfig, about
from interlock.policy.hook_kind import Builtin

if TYPE_CHECKING:
    from interlock.policy.compile.context import EntryContext


_METHODS: Final[dict[str, Literal["POST", "PUT"]]] = {
    "Post": "POST",
    "POST": "POST",
    "Put": "PUT",
    "PUT": "PUT",
}
DEFAULT_PATH: Final = "/usr/local/bin:/usr/bin:/bin"


class CommandConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What to run, and how to talk to it."""

    command: Annotated[Text, about("The shell command.")]
    pass_context: Annotated[bool, about("false: nothing on standard input.")] = True
    parse_result: Annotated[bool, about("false: only the exit code counts.")] = True


def command_handler(
    entry: Entry,
    config: CommandConfig | ShellConfig,
    dialect: Dialect,
    path: Path,
    unit: CompileContext,
) -> Handler | None:
    """Make a handler that runs a program."""
    return unit.findings.attempt(
        (*path, "pass_env"),
        CommandHandler,
        config.command,
        pass_context=config.pass_context,
        parse_result=config.parse_result,
        dialect=dialect,
        pass_env=tuple(entry.pass_env),
        base_env=unit.environ,
        folder=unit.folder,
        path=unit.environ.get("PATH", DEFAULT_PATH),
    )


def webhook_handler(
    entry: Entry,
    config: WebhookConfig,
    dialect: Dialect,
    place: tuple[Path, str],
    unit: CompileContext,
) -> Handler | None:
    """Make a handler that calls a web address; each kind of mistake is noted at its own key."""
    findings, pass_env = unit.findings, tuple(entry.pass_env)
    path, config_path = place[0], (*place[0], place[1])
    before = len(findings.problems)
    findings.attempt((*path, "pass_env"), check_pass_env, pass_env)
    findings.attempt((*config_path, "headers"), check_headers, config.headers, pass_env)
    if len(findings.problems) > before:
        return None
    allowed = tighten_webhook(config, unit.layer, config_path, findings)
    return findings.attempt(
        (*config_path, "url"),
        WebhookHandler,
        allowed.url,
        method=_METHODS[allowed.method],
        headers=allowed.headers,
        allow_private=allowed.allow_private,
        dialect=dialect,
        pass_env=pass_env,
        base_env=unit.environ,
    )


def _command(options: CommandConfig, context: EntryContext) -> Handler | None:
    entry = context.entry
    return command_handler(entry, options, entry.followed, context.path, context.unit)


def _webhook(options: WebhookConfig, context: EntryContext) -> Handler | None:
    entry = context.entry
    return webhook_handler(entry, options, entry.followed, (context.path, "config"), context.unit)


COMMAND: Final = Builtin(
    kind="command",
    about="Runs a program.",
    options=CommandConfig,
    make=_command,
    seconds=60.0,
    dialects=True,
)
WEBHOOK: Final = Builtin(
    kind="webhook",
    about="Calls a web address.",
    options=WebhookConfig,
    make=_webhook,
    seconds=30.0,
    dialects=True,
)


class EnforcementConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who may say yes where the permissions cannot decide."""

    approvers: Approvers = []


def _make(options: EnforcementConfig, context: EntryContext) -> Handler:
    approvers = context.approvers(options.approvers)
    return GenesisEnforcement(context.unit.own, context.unit.others, approvers)


BUILTIN: Final = Builtin(
    kind="genesis_enforcement",
    about="Decides by the permissions of this file.",
    options=EnforcementConfig,
    make=_make,
    votes=True,
    tightens=True,
)
