"""What the doctor looks at on our own side: shim, launch file, daemon, policy; and which client there is."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from interlock.cli.policy_source import load
from interlock.cli.setup.shim_files import launch_of, our_program, our_shim
from interlock.daemon.launcher import status
from interlock.daemon.paths import Places
from interlock.errors import ConfigError, InterlockError
from interlock.events.source import Layer
from interlock.files.system_programs import git, search_faults, without_faults
from interlock.hosts.check import Check, fail, ok, warn
from interlock.hosts.launching import SHIM, Installation, Launch, not_ours_alone, read_launch
from interlock.permissions.hook import GenesisEnforcement
from interlock.policy.load import load_policy
from interlock.policy.locations import policy_files
from interlock.policy.policy import Policy
from interlock.version import __version__

_INSTALL: Final = "interlock install claude-code"
_RESTART: Final = "interlock daemon restart"
_HOME: Final = {
    "state": "state folder is",
    "config": "policies are in",
    "managed": "machine's policies are in",
}
_SECONDS: Final = 10.0
_TESTED: Final = (2, 1, 197)
_VERSION: Final = re.compile(r"(\d+)\.(\d+)\.(\d+)")


def check_shim(installed: Installation) -> Iterator[Check]:
    """The program is there, of our version, and to the byte the one that came with it."""
    said = _said([str(installed.shim), "--version"])
    if said is None:
        yield fail("shim", f"`{installed.shim}` does not run", _INSTALL)
    elif said != f"{SHIM} {__version__}":
        yield fail("shim", f"it is `{said}`, and this is interlock {__version__}", _INSTALL)
    elif our_shim(installed).stale:
        yield fail("shim", f"`{installed.shim}` is not the one of this installation", _INSTALL)
    else:
        yield ok("shim", said)


def check_program(installed: Installation, places: Places) -> Iterator[Check]:
    """The command line that agents are told of runs where an agent runs it, and speaks for this home."""
    what, program = "agent command", str(installed.program)
    # What an agent's shell has at least: no PATH of ours, no INTERLOCK_HOME.
    bare = {"PATH": os.defpath, "HOME": str(Path.home())}
    said = _said([program, "paths", "--json"], bare)
    if said is None or our_program(installed).stale:
        wrong = "does not run in an agent's shell" if said is None else "is not the one of this installation"
        yield fail(what, f"`{program}` {wrong}", _INSTALL)
    elif os.path.realpath(json.loads(said)["state"]) != os.path.realpath(places.state):
        yield fail(what, f"`{program}` speaks for another home", _INSTALL)
    else:
        yield ok(what, program)


def check_launch(installed: Installation, places: Places) -> Iterator[Check]:
    """The files the shim starts the daemon by name what is there and ours."""
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
        return "can be written by others, so the shim refuses it"
    return _stray(launch, launch_of(places))


def _stray(launch: Launch, wanted: Launch) -> str:
    if not os.access(launch.argv[0], os.X_OK):
        return f"starts `{launch.argv[0]}`, which is not there"
    if (launch.socket, launch.state) != (wanted.socket, wanted.state):
        return f"leads to another daemon, at `{launch.socket}`"
    return "" if launch.argv == wanted.argv else "starts another installation of Interlock"


def check_daemon(places: Places) -> Iterator[Check]:
    """It answers, is of our version, and decides for this home by this home's policies."""
    found = status(places)
    if found is None:
        yield fail(
            "daemon",
            f"none answers at `{places.socket}`",
            f"interlock daemon start, or see {places.log}; `interlock pause 15m` lets calls pass meanwhile",
        )
    elif found["version"] != __version__:
        yield fail("daemon", f"it is {found['version']}, this is {__version__}", _RESTART)
    elif found.get("closed"):
        yield fail("daemon", f"it denies every tool call: {found['closed']}", "interlock ledger repair")
    elif fault := _foreign(places, found) or _stale_policy(places, found):
        yield fail("daemon", f"the one at `{places.socket}` {fault}", _RESTART)
    else:
        yield ok("daemon", f"answers at {places.socket}, {found['version']}")
        yield from _check_programs(found.get("path", ""))


def _check_programs(search: str) -> Iterator[Check]:
    """Where the daemon gets programs from: its own from the system, those of hooks from its PATH."""
    program = git()
    if program is None:
        yield warn("programs", "there is no git in the system's folders", "install git for all users")
    else:
        yield ok("programs", f"Interlock asks {program}")
    for fault in search_faults(search):
        yield warn(
            "search path",
            f"{fault}; your hooks may run what an agent put there",
            "run `interlock daemon restart` and `interlock install` in a shell without it in PATH",
        )


def _foreign(places: Places, found: dict[str, Any]) -> str:
    home = found["home"]
    for what, own in zip(_HOME, places.home, strict=True):
        if os.path.realpath(home[what]) != os.path.realpath(own):
            return f"serves another home: its {_HOME[what]} `{home[what]}`, and ours `{own}`"
    return ""


def _stale_policy(places: Places, found: dict[str, Any]) -> str:
    layers = ((Layer.MANAGED, places.managed_config), (Layer.USER, places.user_config))
    files = [(layer, path) for layer, folder in layers for path in policy_files(folder)]
    try:
        own = load_policy(files, environ=os.environ).revision
    except ConfigError:
        return ""  # the check of the policy tells it
    theirs = found["home_revision"]
    return (
        f"decides by revision `{theirs}` of the policies, and the files are `{own}`" if theirs != own else ""
    )


def check_policy(config: Sequence[str]) -> Iterator[Check]:
    """Managed and user policies load, and those named."""
    try:
        policy = load(config)
    except InterlockError as error:
        yield fail("policy", str(error).split("\n", maxsplit=1)[0], "interlock genesis validate FILE")
        return
    if not policy.hooks:
        yield warn("policy", "there are no hooks, so nothing is ever denied", "interlock init")
    else:
        yield ok("policy", f"{len(policy.hooks)} hooks, revision {policy.revision}")
    yield from _check_actors(policy)


def _check_actors(policy: Policy) -> Iterator[Check]:
    """Whoever acts has an entry where there are permissions, or each of their calls would be denied."""
    for hook in policy.hooks:
        for actor in dict.fromkeys((policy.actors.main, *policy.actors.subagents.values())):
            handler = hook.handler
            cure = handler.cure_for(actor) if isinstance(handler, GenesisEnforcement) else None
            if cure is not None:
                yield warn(
                    "permissions",
                    f"{hook.source.file} has no entry for {actor}: all its calls are denied",
                    cure,
                )


def check_client(environ: Mapping[str, str]) -> Iterator[Check]:
    """The version of the client on the path; none is not a fault."""
    program = shutil.which("claude", path=without_faults(environ.get("PATH", os.defpath)))
    if program is None:
        yield ok("client", "no `claude` on the path")
        return
    said = _said([program, "--version"])
    version = _VERSION.search(said or "")
    if version is None:
        yield warn("client", f"`{program} --version` says no version", "check that it runs")
    elif tuple(map(int, version.groups())) < _TESTED:
        tested = ".".join(map(str, _TESTED))
        yield warn("client", f"{said} is older than {tested}, the oldest that was tried", "update it")
    else:
        yield ok("client", said or "")


def _said(command: list[str], env: Mapping[str, str] | None = None) -> str | None:
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
