"""`interlock setup`: from nothing to a guarded agent in one command, and back again."""

from __future__ import annotations

import os
import shutil
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
import typer

from interlock.cli.output import columns, print_json, printable, short_path
from interlock.cli.people_only import require_person
from interlock.cli.policy_source import by_rule, folder, here, load
from interlock.cli.setup.hook_variables import keep_variables
from interlock.cli.setup.init import starter_policy
from interlock.cli.setup.install import Agent, DryRun, HookInstallation, Json, plan_installation
from interlock.cli.setup.uninstall import remove_empty, remove_hooks, what_stays
from interlock.daemon.launcher import status, stop
from interlock.daemon.paths import Places, places_of
from interlock.engine.engine import Engine
from interlock.errors import InterlockError
from interlock.events.event import Event
from interlock.events.names import EventName
from interlock.events.tool import ToolCall
from interlock.events.verdict import Vote
from interlock.files.own_files import write_whole
from interlock.hosts.all_hosts import HOSTS
from interlock.hosts.claude_code.settings import Scope, backups, write_settings
from interlock.hosts.host import State
from interlock.hosts.launching import install_place, read_token
from interlock.policy.locations import policy_files

_BAD_CALL: Final = "rm -rf ~"
_STARTING: Final = 2.0  # seconds until a daemon that was started surely listens
_POLL: Final = 0.1
_NOT_FOUND: Final = "not found, but set up because you named it"
_NEXT: Final = (
    ("{program}", "start a session; restart sessions that are open"),
    ("interlock log -f", "watch decisions as they happen"),
    ("interlock ui --open", "see them in your browser, and answer what waits for you"),
)


def setup(
    agent: Annotated[
        list[Agent] | None,
        typer.Option(
            "--agent",
            help="Set up this agent, even if it was not found; may be repeated.",
            show_default=False,
        ),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before writing.")] = False,
    undo: Annotated[
        bool,
        typer.Option("--undo", help="Take the hooks out again, and the starter policy if it is unchanged."),
    ] = False,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> int:
    """Find your agents, install the hooks, and prove that they work.

    It writes a starter policy, too, and sends a call that must be denied.

    It is safe to run again. If it is interrupted or the proof fails, nothing is left half done.
    """
    if not dry_run:
        require_person("setup", passphrase=undo)
    if undo:
        return _undo(agent or list(Agent), yes=yes, dry_run=dry_run, as_json=as_json)
    agents = agent or [Agent(name) for name, where in _found().items() if where]
    if not agents:
        names = " or ".join(HOSTS[one].title for one in Agent)
        anyway = f"set it up anyway with `interlock setup --agent {Agent.CLAUDE_CODE}`"
        raise InterlockError(f"{names} was not found on this machine; install it, or {anyway}")
    plan = Setup(agents=agents, policy=_policy_to_write(), hooks=[plan_installation(one) for one in agents])
    if not as_json:
        _print(plan.steps())
    if dry_run:
        if as_json:
            print_json({"dry_run": True, **plan.document()})
        return 0
    if plan.changes and not _agreed("Set this up?", yes=yes):
        return 1
    proof = _carry_out(plan)
    if as_json:
        print_json({"dry_run": False, **plan.document(), **proof})
    else:
        _tell(plan, **proof)
    return 0


class Setup(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be done."""

    agents: list[Agent]
    policy: Path | None  # the starter policy goes here; None: there is a policy
    hooks: list[HookInstallation]

    @property
    def changes(self) -> bool:
        return self.policy is not None or any(one.changes for one in self.hooks)

    def steps(self) -> list[tuple[str, str]]:
        """One line each, for people."""
        found = _found()
        rows = [
            ("agent", f"{HOSTS[one].title}: {short_path(where) if (where := found[one]) else _NOT_FOUND}")
            for one in self.agents
        ]
        if self.policy is None:
            kept = policy_files(here().user_config)
            rows += [("policy", f"{short_path(file)} stays as it is") for file in kept]
        else:
            rows.append(("policy", f"{short_path(self.policy)}: a starter policy will be written"))
        for one in self.hooks:
            file, count = short_path(one.plan.before.path), one.plan.entries
            state = f"{count} entries will be added" if one.plan.changes else f"{count} entries are in place"
            rows.append(("hooks", f"{file}: {state}"))
        return rows

    def document(self) -> dict[str, Any]:
        """The same for programs."""
        found = _found()
        return {
            "agents": [{"agent": str(one), "found": found[one]} for one in self.agents],
            "policy": str(self.policy) if self.policy else None,
            "settings": [str(one.plan.before.path) for one in self.hooks],
            "changed": self.changes,
        }


def _found() -> dict[str, str | None]:
    """Where each agent is on this machine, if it is."""
    return {name: host.find(os.environ, Path.home()) for name, host in HOSTS.items()}


def _policy_to_write() -> Path | None:
    """The place of the starter policy, unless there is one already, which must load."""
    config = here().user_config
    if not policy_files(config):
        return config / "genesis.key"
    load([])
    return None


def _agreed(question: str, *, yes: bool) -> bool:
    if yes:
        return True
    if not _is_asked():
        raise InterlockError("this asks before it writes, and there is no terminal here; add --yes")
    if typer.confirm(question, default=True, err=True):
        return True
    typer.echo("Nothing was changed.", err=True)
    return False


def _is_asked() -> bool:
    return sys.stdin.isatty()


def _carry_out(plan: Setup) -> dict[str, Any]:
    """Do all of it or nothing; give how many rules are in force and what they say of a bad call."""
    locations = by_rule()
    places = places_of(locations)
    installed = install_place(os.environ, home=Path.home(), cwd=folder())
    folders = (locations.user_config, locations.state, locations.socket.parent, installed.folder)
    new = [one for one in (*folders, *installed.launch_files) if not one.exists()]
    ran = status(places) is not None
    with ExitStack() as undo:
        undo.callback(typer.echo, "Everything was put back as it was.", err=True)
        for one in new:
            undo.callback(_remove, one)
        if plan.policy is not None:
            undo.callback(plan.policy.unlink, missing_ok=True)
            write_whole(plan.policy, starter_policy(), mode=0o600)
        if not ran:
            undo.callback(_stop_started, places)
        for hooks in plan.hooks:
            undo.callback(_restore, hooks, backups(hooks.plan.before.path))
            hooks.write()
        keep_variables(quiet=True)
        command = [str(installed.shim), *installed.arguments("", read_token(locations.state))][:-1]
        for agent in plan.agents:
            check = HOSTS[agent].self_test([*command, agent], folder())
            if check.state is not State.OK:
                raise InterlockError(
                    f"the installed hook did not deny a bad call: {check.detail}; run `interlock doctor`"
                )
        proof = _prove_policy()
        undo.pop_all()
    return proof


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
    remove_empty(path.parent)


def _stop_started(places: Places) -> None:
    """Also a daemon that is only just starting and does not listen yet."""
    end = time.monotonic() + _STARTING
    while not stop(places) and places.start_lock.exists() and time.monotonic() < end:
        time.sleep(_POLL)


def _restore(hooks: HookInstallation, kept: list[Path]) -> None:
    """The settings as they were, and no backup that was only made for this."""
    before = hooks.plan.before
    for new in set(backups(before.path)) - set(kept):
        new.unlink()
    if before.text is not None:
        write_settings(before)
    else:
        before.path.unlink(missing_ok=True)


def _prove_policy() -> dict[str, Any]:
    """What the policy in force says of the worst call there is; nothing where it allows it."""
    policy = load([])
    engine = Engine(policy.pipeline, revision=policy.revision)
    where = str(folder())
    event = Event(
        name=EventName.PRE_TOOL_USE,
        session_id="setup",
        cwd=where,
        actor=policy.actors.main,
        tool=ToolCall(name="Bash", input={"command": _BAD_CALL}),
    )
    decision = engine.decide_sync(event)
    engine.close()
    return {"rules": len(policy.hooks), "denied": decision.reason if decision.vote is Vote.DENY else None}


def _tell(plan: Setup, *, rules: int, denied: str | None) -> None:
    names = " and ".join(HOSTS[one].title for one in plan.agents)
    typer.echo("")
    typer.echo("Done. A test call through the installed hook was denied, as it should be.")
    typer.echo(printable(f"{names} now asks Interlock before every tool call, in all projects of this user."))
    loss = f" `{_BAD_CALL}` is denied: {denied.partition(' Instead: ')[0]}" if denied else ""
    typer.echo(printable(f"{rules} rules are in force.{loss}"))
    typer.echo("\nNext:")
    program = HOSTS[plan.agents[0]].program
    _print([(command.format(program=program), what) for command, what in _NEXT])


def _print(rows: list[tuple[str, str]]) -> None:
    typer.echo("\n".join(f"  {line}" for line in columns(rows)))


def _undo(agents: list[Agent], *, yes: bool, dry_run: bool, as_json: bool) -> int:
    """Take out what setup put in; the ledger stays, and a policy that somebody has changed."""
    policy = here().user_config / "genesis.key"
    is_starter = policy.is_file() and policy.read_bytes() == starter_policy()
    removed = [remove_hooks(one, Scope.USER, dry_run=True) for one in agents]
    rows = [
        ("hooks", f"{short_path(one.plan.before.path)}: remove Interlock's entries")
        for one in removed
        if one.plan.changes
    ]
    rows += [("policy", f"{short_path(policy)}: delete the unchanged starter policy")] if is_starter else []
    rows += [("daemon", "stop it")] if status(places_of(here())) is not None else []
    if not rows and not as_json:
        typer.echo("There is nothing to undo.")
        return 0
    if not as_json:
        _print(rows)
    if dry_run or not _agreed("Undo this?", yes=yes):
        return 0 if dry_run else 1
    for one in agents:
        remove_hooks(one, Scope.USER, dry_run=False)
    if is_starter:
        policy.unlink()
        if not any(policy.parent.iterdir()):
            policy.parent.rmdir()
    stop(places_of(here()))
    if as_json:
        print_json({"undone": [what for what, _ in rows], "kept": [str(file) for file, _ in what_stays()]})
        return 0
    typer.echo("\nUndone. These stay:")
    _print([(short_path(file), about) for file, about in what_stays()])
    typer.echo("`interlock uninstall --all` removes them too.")
    return 0
