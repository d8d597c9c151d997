"""What the doctor looks at: hook program, launch files, daemon, policy, and the agent's program and PATH."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import sqlite3
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import msgspec

from interlock.cli.ledger import connected
from interlock.cli.output import short
from interlock.cli.policy_source import here, load
from interlock.cli.setup.shim_files import launch_of, our_program, our_shim
from interlock.daemon.launcher import status
from interlock.daemon.paths import Places
from interlock.errors import ConfigError, InterlockError, StoreError
from interlock.events.hook import Layer
from interlock.files.system_programs import git, search_faults, without_faults
from interlock.hosts.claude_code.guarded_start import find_program
from interlock.hosts.claude_code.import_hooks import doubled_hooks
from interlock.hosts.claude_code.settings import Scope, Settings, SettingsPlaces
from interlock.hosts.host import Check, Host, fail, ok, warn
from interlock.hosts.launching import PROGRAM, SHIM, Installation, Launch, not_ours_alone, read_launch
from interlock.permissions.judge import GenesisEnforcement
from interlock.policy.compile.hook_catalog import plugin_kinds
from interlock.policy.load import load_policy
from interlock.policy.locations import policy_files
from interlock.policy.policy import Policy
from interlock.search.counts import HookFailures, RecentCalls, recent_calls
from interlock.store.clock import timestamp
from interlock.store.errors import explain
from interlock.version import __version__

_INSTALL: Final = "interlock install claude-code"
_RESTART: Final = "interlock daemon restart"
_UPDATE: Final = "claude update"
_GET_CLIENT: Final = "npm install -g @anthropic-ai/claude-code"
_HOME: Final = {
    "state": "state folder is",
    "config": "policies are in",
    "managed": "machine's policies are in",
}
_SECONDS: Final = 10.0
_TESTED: Final = (2, 1, 197)
_VERSION: Final = re.compile(r"(\d+)\.(\d+)\.(\d+)")


def check_shim(installed: Installation) -> Iterator[Check]:
    """The hook program is there, of our version, and the very one that came with this package."""
    said = _output_of([str(installed.shim), "--version"])
    if said is None:
        yield fail("hook program", f"the hook program `{installed.shim}` does not run", _INSTALL)
    elif said != f"{SHIM} {__version__}":
        yield fail(
            "hook program", f"the hook program is `{said}`, and this is interlock {__version__}", _INSTALL
        )
    elif our_shim(installed).stale:
        yield fail("hook program", f"`{installed.shim}` differs from the one in this package", _INSTALL)
    else:
        yield ok("hook program", said)


def check_program(installed: Installation, places: Places) -> Iterator[Check]:
    """The command that agents are told to run works in their shell, and uses this home."""
    what, program = "agent command", str(installed.program)
    # What an agent's shell has at least: no PATH of ours, no INTERLOCK_HOME.
    bare = {"PATH": os.defpath, "HOME": str(Path.home())}
    said = _output_of([program, "paths", "--json"], bare)
    if said is None or our_program(installed).stale:
        wrong = "does not run in an agent's shell" if said is None else "differs from the one in this package"
        yield fail(what, f"`{program}` {wrong}", _INSTALL)
    elif os.path.realpath(json.loads(said)["state"]) != os.path.realpath(places.state):
        yield fail(what, f"`{program}` uses another Interlock home", _INSTALL)
    else:
        yield ok(what, program)


def check_launch(installed: Installation, places: Places) -> Iterator[Check]:
    """The files that tell the hook program how to start the daemon are right."""
    for file in installed.launch_files:
        wrong = _launch_fault(file, places)
        yield fail("launch file", f"`{file}` {wrong}", _INSTALL) if wrong else ok("launch file", str(file))


def _launch_fault(file: Path, places: Places) -> str:
    try:
        found = file.stat()
        launch = read_launch(file.read_text("utf-8", "surrogateescape"))
    except FileNotFoundError:
        return "is missing"
    except OSError as error:
        return f"cannot be read ({error.strerror})"
    except ValueError as error:
        return str(error)
    if not_ours_alone(found, os.getuid()):
        return "can be changed by other users, so it is not used"
    return _stray(launch, launch_of(places))


def _stray(launch: Launch, wanted: Launch) -> str:
    if not os.access(launch.argv[0], os.X_OK):
        return f"starts `{launch.argv[0]}`, which does not exist"
    if (launch.socket, launch.state) != (wanted.socket, wanted.state):
        return f"points to another daemon, at `{launch.socket}`"
    return "" if launch.argv == wanted.argv else "starts another installation of Interlock"


def check_daemon(places: Places, installed: Installation) -> Iterator[Check]:
    """It answers, is of our version, and uses the policies of this home as they are now."""
    found = status(places)
    if found is None:
        yield fail(
            "daemon",
            f"it does not answer at `{places.socket}`, so every tool call is denied (log: {places.log})",
            "interlock daemon start",
        )
    elif found["version"] != __version__:
        yield fail(
            "daemon", f"the daemon is {found['version']}, and this is interlock {__version__}", _RESTART
        )
    elif found.get("closed"):
        yield fail("daemon", f"it denies every tool call: {found['closed']}", "interlock ledger repair")
    elif fault := _foreign(places, found) or _stale_policy(places, found):
        yield fail("daemon", f"the one at `{places.socket}` {fault}", _RESTART)
    else:
        yield ok("daemon", f"answers at {places.socket}, {found['version']}")
        yield from _check_programs(found.get("path", ""), installed)


def _check_programs(search: str, installed: Installation) -> Iterator[Check]:
    """Where the daemon gets programs from: its own from the system, those of hooks from its PATH."""
    found = git()
    if found is None:
        yield warn(
            "git", "it is not installed for all users", "sudo apt install git, or as your system does it"
        )
    else:
        yield ok("git", str(found))
    faults = list(search_faults(search))
    clean, again = shlex.quote(without_faults(search)), shlex.quote(str(installed.program))
    if faults:
        more = f", and so are {len(faults) - 1} more folders" if len(faults) > 1 else ""
        yield warn(
            "search path",
            f"{faults[0]}{more}: an agent could put a program there, and your hooks would run it",
            f"(PATH={clean}; {again} install claude-code && {again} daemon restart)",
        )


def _foreign(places: Places, found: dict[str, Any]) -> str:
    home = found["home"]
    for what, own in zip(_HOME, places.home, strict=True):
        if os.path.realpath(home[what]) != os.path.realpath(own):
            return f"serves another home: its {_HOME[what]} is `{home[what]}`, this one is `{own}`"
    return ""


def _stale_policy(places: Places, found: dict[str, Any]) -> str:
    layers = ((Layer.MANAGED, places.managed_config), (Layer.USER, places.user_config))
    files = [(layer, path) for layer, folder in layers for path in policy_files(folder)]
    try:
        own = load_policy(files, environ=os.environ).revision
    except ConfigError:
        return ""  # the check of the policy reports it
    theirs = found["home_revision"]
    return (
        f"uses revision `{theirs}` of your policies, and the files are now `{own}`" if theirs != own else ""
    )


def check_policy(config: Sequence[str]) -> Iterator[Check]:
    """Managed and user policies load, and those named."""
    try:
        policy = load(config, notes=True)
    except InterlockError as error:
        first = str(error).split("\n", maxsplit=1)[0]
        file = error.problems[0].file if isinstance(error, ConfigError) else "FILE"
        yield fail("policy", first, f"correct it, then run `interlock check {shlex.quote(file)}`")
        return
    if not policy.hooks:
        yield warn("policy", "it has no rules, so nothing is ever denied", "interlock init")
    else:
        yield ok("policy", f"{len(policy.hooks)} rules, revision {policy.revision}")
    yield from _check_actors(policy)


def _check_actors(policy: Policy) -> Iterator[Check]:
    """Whoever acts has an entry where there are permissions, or each of their calls would be denied."""
    for actor in dict.fromkeys((policy.actors.main, *policy.actors.subagents.values())):
        yield from actor_checks(policy, actor, "")


def actor_checks(policy: Policy, actor: str, seen: str) -> Iterator[Check]:
    """A warning for each file whose permissions have no entry for an actor."""
    for hook in policy.hooks:
        cure = hook.handler.cure_for(actor) if isinstance(hook.handler, GenesisEnforcement) else None
        if cure is not None:
            detail = f"{hook.source.file} has no entry for {actor}{seen}: all its calls are denied"
            yield warn("permissions", detail, cure)


def check_client(environ: Mapping[str, str]) -> Iterator[Check]:
    """The agent's program is installed, and of a version that was tested."""
    program = find_program(environ, Path.home())
    if program is None:
        yield warn("client", "`claude` is not installed, or not on your PATH", _GET_CLIENT)
        return
    said = _output_of([program, "--version"])
    version = _VERSION.search(said or "")
    if version is None:
        yield warn("client", f"`{program} --version` prints no version", _GET_CLIENT)
    elif tuple(map(int, version.groups())) < _TESTED:
        tested = ".".join(map(str, _TESTED))
        yield warn("client", f"{said} is older than {tested}, the oldest version we test", _UPDATE)
    else:
        yield ok("client", said or "")


def check_path(environ: Mapping[str, str], installed: Installation) -> Iterator[Check]:
    """An agent that is started in this shell finds `interlock`."""
    found = shutil.which(PROGRAM, path=environ.get("PATH", os.defpath))
    if found is None:
        link = Path.home() / ".local" / "bin" / PROGRAM
        on_path = str(link.parent) in environ.get("PATH", "").split(os.pathsep)
        fix = (
            f"ln -s {shlex.quote(str(installed.program))} {shlex.quote(str(link))}"
            if on_path
            else f'export PATH="$PATH:{installed.folder}"'
        )
        yield warn("PATH", f"an agent started in this shell does not find `{PROGRAM}`", fix)
    else:
        yield ok("PATH", f"agents find {found}")


def _output_of(command: list[str], env: Mapping[str, str] | None = None) -> str | None:
    try:
        done = subprocess.run(  # noqa: S603 - asks a program for its version
            command,
            env=env,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


class DoctorContext(msgspec.Struct, frozen=True, kw_only=True):
    """The installation that is looked at; a feature's `doctor=` is a function of it."""

    places: Places
    settings: SettingsPlaces
    installed: Installation


_SHOWN: Final = 5
_DAY: Final = 24 * 60 * 60
_VERIFY: Final = "interlock ledger verify"


def check_plugins() -> Iterator[Check]:
    """Installed plugins can be imported, and their names are their own."""
    for kind in plugin_kinds():
        if kind.problem:
            yield warn("plugin", kind.problem, "correct the plugin, or uninstall it with pip")
        else:
            yield ok("plugin", f"{kind.type} of {kind.origin}")


def find_doubles(settings: Mapping[Scope, Settings], project: Path) -> dict[Scope, list[str]]:
    """The hooks that stand in an agent's settings and, after an import, in the policy too."""
    try:
        hooks = load([]).hooks
    except InterlockError:
        return {}  # the check of the policy reports it
    return {scope: doubled_hooks(one, scope, project, hooks) for scope, one in settings.items()}


def check_doubles(settings: Mapping[Scope, Settings], doubles: Mapping[Scope, list[str]]) -> Iterator[Check]:
    """No hook runs twice."""
    for scope, names in doubles.items():
        if names:
            run = "run twice, because your policy runs them, too"
            detail = f"hooks in {settings[scope].path} {run}: {', '.join(names)}"
            yield warn("double hooks", detail, f"interlock import claude-code --scope {scope} --remove-old")


def check_history(host: Host, *, installed: bool) -> Iterator[Check]:
    """What the ledger tells: agents do call us, no hook failed lately, and whoever acts has permissions."""
    found = RecentCalls()
    try:
        if here().database.exists():
            with connected() as connection:
                found = recent_calls(connection, since=timestamp(time.time() - _DAY))
    except (StoreError, sqlite3.Error) as error:
        said = str(error) if isinstance(error, StoreError) else f"it cannot be read: {explain(error)}"
        yield warn("ledger", said, _VERIFY)
        return
    if installed and found.last is None:
        detail = f"the hooks have never fired: no {host.title} session has called Interlock yet"
        yield warn("calls", detail, f"start `{host.program}`; restart sessions that are open")
    elif found.last is not None:
        yield ok("calls", f"the last one was at {_local(found.last)}")
    if not found.failures:
        yield ok("hooks", "no failures in the last 24 hours")
    for one in found.failures[:_SHOWN]:
        yield warn(
            "hooks", _describe(one), f"interlock ledger list --rule {one.hook}, then fix or disable it"
        )
    yield from _check_actors_seen(found)


def _describe(one: HookFailures) -> str:
    times = "once" if one.count == 1 else f"{one.count} times"
    when = f"{times} in the last 24 hours, last at {_local(one.last)}"
    return f"`{one.hook}` ({one.type}) failed {when}: {short(one.reason)}"


def _local(moment: str) -> str:
    return f"{datetime.fromisoformat(moment).astimezone():%Y-%m-%d %H:%M:%S}"


def _check_actors_seen(found: RecentCalls) -> Iterator[Check]:
    try:
        policy = load([])
    except InterlockError:
        return  # the check of the policy reports it
    known = {policy.actors.main, *policy.actors.subagents.values()}
    for actor in sorted(found.actors - known):
        yield from actor_checks(policy, actor, ", which acted in the last 24 hours")
