"""`interlock install`: our entries in an agent's settings, and the programs they run."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from interlock.cli.output import print_json, printable
from interlock.cli.people_only import require_person, set_passphrase
from interlock.cli.policy_source import by_rule, folder, here
from interlock.cli.setup.hook_variables import keep_variables
from interlock.cli.setup.mcp_sdk import require_sdk
from interlock.cli.setup.shim_files import Placed, runtime_files, token_file
from interlock.daemon.launcher import stop
from interlock.daemon.paths import check_socket_path, make_private, places_of
from interlock.errors import ConfigError, InterlockError
from interlock.events.hook import Hook, Layer
from interlock.hosts.claude_code.install import (
    Plan,
    carry_out,
    launcher_text,
    missing_rules,
    our_rules,
    plan_install,
)
from interlock.hosts.claude_code.mcp_entry import our_server, plan_server
from interlock.hosts.claude_code.settings import Scope, SettingsPlaces, settings_places
from interlock.hosts.host_notes import (
    TIMEOUTS_FILE,
    VERSIONS_FILE,
    newest_version,
    note_waiting,
    read_versions,
    read_waiting,
    rounds_of,
)
from interlock.hosts.launching import Installation, install_place, token_for
from interlock.policy.load import load_policy
from interlock.policy.locations import Locations


class Agent(StrEnum):
    """The agents whose settings Interlock can write."""

    CLAUDE_CODE = "claude-code"


AgentArgument = Annotated[Agent, typer.Argument(help="The agent.", show_default=False)]
ScopeOption = Annotated[
    Scope,
    typer.Option(
        metavar="SCOPE",
        help="Whose settings: `user`, `project`, `local` (yours in a project) or `managed` (for everyone).",
    ),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Print what would change; write nothing.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Managed = Annotated[bool, typer.Option("--managed", help="The same as --scope managed; for root.")]


def settings_here() -> SettingsPlaces:
    """Where the agent's settings are, for whoever types."""
    return settings_places(os.environ, home=Path.home(), cwd=folder(), platform=sys.platform)


def install(
    agent: AgentArgument,
    scope: ScopeOption = Scope.USER,
    managed: Managed = False,
    passphrase: Annotated[
        bool,
        typer.Option(
            "--passphrase", help="Set a passphrase, which you must type to open or change Interlock."
        ),
    ] = False,
    mcp: Annotated[
        bool,
        typer.Option(
            "--mcp", help="Also register `interlock mcp`, Interlock's tools for agents, for the user."
        ),
    ] = False,
    loops: Annotated[
        int | None,
        typer.Option(min=1, max=1_000, help="How often hooks may send one turn back; default: 7."),
    ] = None,
    permissions: Annotated[
        bool,
        typer.Option(
            "--permissions",
            help="Also allow agents to run `interlock` and write handovers without a question.",
        ),
    ] = False,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> int:
    """Install the hooks into an agent.

    It copies the shim to its place and adds our entries to the agent's settings.
    """
    if not dry_run:
        require_person("install")
    found = plan_installation(
        agent,
        chosen_scope(scope, managed=managed, writes=not dry_run),
        mcp=mcp,
        loops=loops,
        permissions=permissions,
    )
    backup = None if dry_run else found.write(passphrase=passphrase)
    if not dry_run:
        keep_variables(quiet=as_json)
    result = plan_result(agent, found.scope, found.plan, dry_run=dry_run, backup=backup)
    result["written"] = [str(file.path) for file in found.files]
    result["mcp"] = change_server(found.server, dry_run=dry_run)
    result["missing_permissions"] = missing_rules(found.plan.after, found.rules)
    if as_json:
        print_json(result)
    else:
        tell_plan(found.plan, [f"write {file.path}" for file in found.files], dry_run=dry_run, backup=backup)
        tell_server(found.server, "registered", dry_run=dry_run)
        _offer(result["missing_permissions"])
        typer.echo("next: interlock doctor")
    return 0


class HookInstallation(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that makes one agent ask us, looked at before any of it is written."""

    agent: Agent
    scope: Scope
    plan: Plan
    files: list[Placed]  # those that are missing or stale
    server: Plan | None  # our MCP server, where it was asked for
    rules: tuple[str, ...]

    @property
    def changes(self) -> bool:
        return bool(self.plan.changes or self.files)

    def write(self, *, passphrase: bool = False) -> Path | None:
        """Put the files in their place and then our entries; give the backup of the settings."""
        locations, before = by_rule(), places_of(here())
        make_private(locations.state)
        if passphrase:
            set_passphrase(locations.state)
        make_private(locations.socket.parent)
        backup = write_plan(self.plan, self.files)
        note_waits(locations, self.agent, self.plan)
        if before.socket != locations.socket:
            stop(before)  # nobody calls it any more, and a home has one daemon
        return backup


def plan_installation(
    agent: Agent,
    scope: Scope = Scope.USER,
    *,
    mcp: bool = False,
    loops: int | None = None,
    permissions: bool = False,
) -> HookInstallation:
    """Look at an agent's settings and at our own files, and plan what is missing."""
    locations = by_rule()
    installed = install_place(os.environ, home=Path.home(), cwd=folder())
    server = _server(scope, installed) if mcp else None
    version = newest_version(read_versions(locations.state / VERSIONS_FILE), agent)
    token = token_for(locations.state)
    rules = our_rules(scope, installed)
    plan = plan_install(
        settings_here(),
        scope,
        installed,
        asked_hooks(locations),
        version=version,
        loops=loops or noted_loops(locations, agent, scope),
        rules=rules if permissions else (),
        token=token,
    )
    files = [*runtime_files(installed, places_of(locations)), token_file(locations.state, token)]
    if plan.launcher is not None:
        files.append(Placed(path=plan.launcher, content=launcher_text(), mode=0o755))
    check_socket_path(locations.socket)
    stale = [file for file in files if file.stale]
    return HookInstallation(agent=agent, scope=scope, plan=plan, files=stale, server=server, rules=rules)


def chosen_scope(scope: Scope, *, managed: bool, writes: bool) -> Scope:
    """Which settings are meant; those of the machine are for root to write."""
    if managed and scope not in {Scope.USER, Scope.MANAGED}:
        raise InterlockError(f"--managed and --scope {scope} name different settings; leave one of them out")
    if managed:
        scope = Scope.MANAGED
    if scope is Scope.MANAGED and writes and os.geteuid() != 0:
        raise InterlockError("only root may write managed settings; run this again with sudo")
    return scope


def noted_loops(locations: Locations, agent: Agent, scope: Scope) -> int | None:
    """What an earlier `--loops` wrote into this scope's file."""
    return rounds_of(read_waiting(locations.state / TIMEOUTS_FILE), agent, settings_here().file(scope))


def _server(scope: Scope, installed: Installation) -> Plan:
    """Our MCP server in the client's own file; checked before anything is written."""
    if scope is not Scope.USER:
        raise InterlockError("the MCP server is registered for the user; leave out --mcp or --scope")
    require_sdk()
    return plan_server(settings_here(), our_server(sys.executable, installed))


def change_server(server: Plan | None, *, dry_run: bool) -> dict[str, Any] | None:
    """Carry the plan out, if there is anything to do, and say what was done."""
    if server is None or not server.changes:
        return None
    backup = None if dry_run else write_plan(server, [])
    return {"file": str(server.before.path), "backup": str(backup) if backup else None, "diff": server.diff()}


def tell_server(server: Plan | None, deed: str, *, dry_run: bool) -> None:
    if server is None or not server.changes:
        return
    for line in server.diff().splitlines() if dry_run else ():
        typer.echo(printable(line))
    if not dry_run:
        typer.echo(printable(f"{deed} the MCP server in {server.before.path}"))


def _offer(rules: Sequence[str]) -> None:
    if rules:
        asks = "Claude Code asks you before an agent runs `interlock` or writes a handover"
        named = ", ".join(f"`{rule}`" for rule in rules)
        typer.echo(printable(f"note: {asks}; to allow it, install with --permissions, which adds {named}"))


def asked_hooks(locations: Locations) -> tuple[Hook, ...]:
    """The hooks that will be asked, for the events and times they need; a broken policy needs none yet."""
    files = [file for file in locations.policies() if file[0] <= Layer.USER]
    try:
        return load_policy(files, environ=os.environ).hooks
    except ConfigError as error:
        typer.echo(printable(f"note: the policy does not load: {error.problems[0]}"), err=True)
        return ()


def write_plan(plan: Plan, files: list[Placed]) -> Path | None:
    try:
        for file in files:
            file.write()
        return carry_out(plan, datetime.now().astimezone())
    except OSError as error:
        reason = (error.strerror or "it cannot be written").lower()
        raise InterlockError(
            f"cannot write `{error.filename}`: {reason}; check who may write there, or choose another --scope"
        ) from error


def note_waits(locations: Locations, agent: Agent, plan: Plan) -> None:
    """Let the daemon know how long the agent waits: a hook may take as long as that."""
    if plan.waiting or (locations.state / TIMEOUTS_FILE).exists():
        note_waiting(locations.state / TIMEOUTS_FILE, agent, plan.before.path, plan.waiting)


def plan_result(
    agent: Agent, scope: Scope, plan: Plan, *, dry_run: bool, backup: Path | None
) -> dict[str, Any]:
    return {
        "agent": str(agent),
        "scope": str(scope),
        "settings": str(plan.before.path),
        "changed": plan.changes,
        "dry_run": dry_run,
        "entries": plan.entries,
        "backup": str(backup) if backup else None,
        "diff": plan.diff(),
    }


def tell_plan(plan: Plan, deeds: list[str], *, dry_run: bool, backup: Path | None) -> None:
    """Say what was done, or what would be."""
    for line in plan.diff().splitlines() if dry_run else ():
        typer.echo(printable(line))
    for deed in deeds:
        typer.echo(printable(f"would {deed}" if dry_run else deed.replace("write", "wrote", 1)))
    path = plan.before.path
    if not plan.changes:
        count = f"is up to date, with {plan.entries}" if plan.entries else "has no"
        typer.echo(printable(f"{path} {count} entries of Interlock"))
    elif not dry_run:
        kept = f"; the old one is {backup}" if backup else ""
        done = f"removed {path}" if plan.after.text is None else f"wrote {path}"
        typer.echo(printable(f"{done} ({plan.entries} entries of Interlock{kept})"))
