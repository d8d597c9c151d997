"""`interlock uninstall`: our entries out of an agent's settings, and with `--all` everything else too."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
import typer

from interlock.cli.output import columns, print_json, short_path
from interlock.cli.people_only import require_person
from interlock.cli.policy_source import folder, here
from interlock.cli.setup.install import (
    Agent,
    DryRun,
    Json,
    Managed,
    ScopeOption,
    change_server,
    chosen_scope,
    note_waits,
    noted_loops,
    plan_result,
    settings_here,
    tell_plan,
    tell_server,
    write_plan,
)
from interlock.daemon.launcher import status, stop
from interlock.daemon.paths import places_of
from interlock.daemon.service_file import service_of
from interlock.errors import InterlockError
from interlock.hosts.claude_code.install import Plan, launcher_text, our_rules, plan_uninstall
from interlock.hosts.claude_code.mcp_entry import plan_no_server
from interlock.hosts.claude_code.settings import Scope, backups
from interlock.hosts.launching import Installation, install_place


def uninstall(
    agent: Annotated[Agent | None, typer.Argument(help="The agent.", show_default=False)] = None,
    scope: ScopeOption = Scope.USER,
    managed: Managed = False,
    everything: Annotated[
        bool,
        typer.Option(
            "--all", help="Delete everything of Interlock: hooks of all agents, policy, ledger, programs."
        ),
    ] = False,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Do not ask; also stop the daemon once no hook is left.")
    ] = False,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> int:
    """Remove the hooks from an agent.

    It offers to stop the daemon. Policies and records stay; --all deletes them, too.
    """
    if (agent is None) != everything:
        raise InterlockError(f"name one agent, as in `interlock uninstall {Agent.CLAUDE_CODE}`, or use --all")
    if not dry_run:
        require_person("uninstall", passphrase=True)
    if agent is None:
        return _uninstall_all(yes=yes, dry_run=dry_run, as_json=as_json)
    removed = remove_hooks(agent, chosen_scope(scope, managed=managed, writes=not dry_run), dry_run=dry_run)
    stopped = not dry_run and _stop_daemon(yes=yes, ask=not as_json)
    if as_json:
        print_json({**removed.document(), "stopped": stopped})
        return 0
    removed.tell()
    if not dry_run:
        _tell_what_stays(stopped=stopped)
    return 0


class RemovedHooks(msgspec.Struct, frozen=True, kw_only=True):
    """Our entries of one agent, as they were or would be taken out."""

    agent: Agent
    scope: Scope
    plan: Plan
    backup: Path | None
    launcher: Path | None  # of a shared scope, where it is ours
    server: Plan | None
    dry_run: bool

    def document(self) -> dict[str, Any]:
        """For programs."""
        result = plan_result(self.agent, self.scope, self.plan, dry_run=self.dry_run, backup=self.backup)
        mcp = change_server(self.server, dry_run=True)
        return {**result, "removed": [str(self.launcher)] if self.launcher else [], "mcp": mcp}

    def tell(self) -> None:
        """For people."""
        deeds = [f"remove {self.launcher}"] if self.launcher else []
        tell_plan(self.plan, deeds, dry_run=self.dry_run, backup=self.backup)
        tell_server(self.server, "removed", dry_run=self.dry_run)


def remove_hooks(agent: Agent, scope: Scope, *, dry_run: bool) -> RemovedHooks:
    """Take our entries, launcher and MCP server out of one agent's settings, or only look what there is."""
    rules = our_rules(scope, _installed())
    places = settings_here()
    plan = plan_uninstall(places, scope, loops=noted_loops(here(), agent, scope), rules=rules)
    server = plan_no_server(places) if scope is Scope.USER else None
    launcher = plan.launcher
    if launcher is not None and not (launcher.is_file() and launcher.read_bytes() == launcher_text()):
        launcher = None
    backup = None
    if not dry_run:
        backup = write_plan(plan, [])
        note_waits(here(), agent, plan)
        if launcher is not None:
            launcher.unlink()
        change_server(server, dry_run=False)
    return RemovedHooks(
        agent=agent, scope=scope, plan=plan, backup=backup, launcher=launcher, server=server, dry_run=dry_run
    )


def what_stays() -> list[tuple[Path, str]]:
    """What is ours on this machine beside entries in settings, and what it is."""
    locations, installed = here(), _installed()
    service = service_of(places_of(locations), home=Path.home()).file
    ours = [
        (locations.user_config, "your policy"),
        (locations.state, "the ledger, approvals and keys"),
        (installed.folder, "the hook program"),
        (service, "the service that starts the daemon at login"),
    ]
    kept = [(file, "a backup of your settings") for file in backups(settings_here().file(Scope.USER))]
    return [(path, about) for path, about in (*ours, *kept) if os.path.lexists(path)]


def _stop_daemon(*, yes: bool, ask: bool) -> bool:
    """Stop the daemon where no hook of this user is left to need it and the person agrees."""
    places = places_of(here())
    scopes = (Scope.USER, Scope.LOCAL, Scope.PROJECT)
    left = any(plan_uninstall(settings_here(), scope).changes for scope in scopes)
    if left or status(places) is None:
        return False
    asked = ask and sys.stdin.isatty()
    agreed = yes or (asked and typer.confirm("Stop the daemon too?", default=True))
    return agreed and stop(places)


def _tell_what_stays(*, stopped: bool) -> None:
    if stopped:
        typer.echo("stopped the daemon")
    elif status(places_of(here())) is not None:
        typer.echo("the daemon still runs; stop it with `interlock daemon stop`")
    rows = [(f"  {short_path(path)}", about) for path, about in what_stays()]
    if rows:
        typer.echo("These stay; `interlock uninstall --all` deletes them:")
        typer.echo("\n".join(columns(rows)))


_OWN_SCOPES: Final = (Scope.USER, Scope.LOCAL)  # a project's settings are shared, the machine's are root's


def _uninstall_all(*, yes: bool, dry_run: bool, as_json: bool) -> int:
    """Everything of this user: entries first, so that no agent is held up by a program that is gone."""
    _refuse_home_itself()
    hooks = [remove_hooks(agent, scope, dry_run=True) for agent in Agent for scope in _OWN_SCOPES]
    plans = [plan for one in hooks for plan in (one.plan, one.server) if plan is not None]
    settings = [plan.before.path for plan in plans if plan.changes]
    files = _everything()
    if not as_json:
        rows = [(f"  {short_path(path)}", "remove Interlock's entries") for path in settings]
        rows += [(f"  {short_path(path)}", "delete") for path in files]
        typer.echo("\n".join(columns(rows)) if rows else "There is nothing of Interlock here.")
    if (settings or files) and not dry_run:
        if not yes:
            _confirm_all()
        for agent in Agent:
            for scope in _OWN_SCOPES:
                remove_hooks(agent, scope, dry_run=False)
        stop(places_of(here()))
        _delete_everything()
        typer.echo(f"Deleted. The package itself stays: `{_uninstall_command()}`.", err=as_json)
        typer.echo("Restart agent sessions that are open: they still call the hook program.", err=as_json)
    if as_json:
        print_json(
            {"settings": list(map(str, settings)), "deleted": list(map(str, files)), "dry_run": dry_run}
        )
    return 0


def _uninstall_command() -> str:
    """How the package is removed, by where it is installed."""
    for tool, parts in {"pipx uninstall": ("pipx", "venvs"), "uv tool uninstall": ("uv", "tools")}.items():
        if f"{os.sep}{os.sep.join(parts)}{os.sep}" in sys.prefix:
            return f"{tool} interlock"
    return "pip uninstall interlock"


def _everything() -> list[Path]:
    """All that is ours, as far as it is there; folders of ours go with what is in them."""
    locations, installed, settings = here(), _installed(), settings_here()
    changed = [*(settings.file(scope) for scope in _OWN_SCOPES), settings.servers]
    ours = [
        *(locations.user_config, locations.state, locations.socket.parent),
        *(installed.shim, installed.program, *installed.launch_files),
        service_of(places_of(locations), home=Path.home()).file,
        *(backup for file in changed for backup in backups(file)),
    ]
    return [path for path in ours if os.path.lexists(path)]


def _delete_everything() -> None:
    for path in _everything():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)  # of a link, not what it leads to
    locations, installed = here(), _installed()
    for path in (locations.user_config, locations.state, installed.folder, settings_here().user / "x"):
        remove_empty(path.parent)
    if installed.folder.is_dir():
        remove_empty(installed.folder)


def remove_empty(folder: Path) -> None:
    """The folder and those above it, as far as nothing is left in them; never the home."""
    for path in (folder, *folder.parents):
        if not path.is_dir() or path == Path.home() or any(path.iterdir()):
            return
        path.rmdir()


def _refuse_home_itself() -> None:
    base = _installed().home
    if base is not None and Path.home().resolve().is_relative_to(base.resolve()):
        raise InterlockError(
            f"INTERLOCK_HOME is `{base}`, which holds more than Interlock; delete `config`, `state`, `run` "
            "and `bin` in it by hand"
        )


def _installed() -> Installation:
    return install_place(os.environ, home=Path.home(), cwd=folder())


def _confirm_all() -> None:
    if not sys.stdin.isatty():
        raise InterlockError("this asks before it deletes, and there is no terminal here; add --yes")
    if typer.prompt("The ledger and your policy cannot be restored. Type yes to delete all of this") != "yes":
        raise InterlockError("nothing was deleted")
