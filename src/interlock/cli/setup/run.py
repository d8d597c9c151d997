"""`interlock run -- claude`: an agent whose hooks no project can switch off."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Annotated

import typer

from interlock.cli.policy_source import folder, here
from interlock.cli.setup.install import asked_hooks
from interlock.cli.setup.shim_files import our_shim, token_file
from interlock.errors import InterlockError
from interlock.hosts.claude_code.entries import our_handlers
from interlock.hosts.claude_code.guarded_start import PROGRAM, guarded_arguments
from interlock.hosts.claude_code.read import HOST
from interlock.hosts.host_notes import VERSIONS_FILE, newest_version, read_versions
from interlock.hosts.launching import install_place, token_for


def run(
    command: Annotated[
        list[str] | None, typer.Argument(metavar="-- COMMAND...", help="The agent and its arguments.")
    ] = None,
) -> int:
    """Start an agent whose hooks no project can switch off.

    The agent takes the place of this command: terminal, signals and exit code are its own. Settings given to
    it with `--settings` are kept, and our hooks are added to them.
    """
    if not command:
        raise InterlockError(f"say what to start: interlock run -- {PROGRAM}")
    program = _program(command[0])
    arguments = guarded_arguments(command[1:], _handlers(), environ=os.environ, cwd=folder())
    sys.stdout.flush()
    os.execv(program, [command[0], *arguments])  # noqa: S606 - what the person asked for, without a shell


def _program(word: str) -> str:
    if Path(word).name != PROGRAM:
        raise InterlockError(
            f"`interlock run` cannot start `{word}`; it knows `{PROGRAM}`: interlock run -- {PROGRAM}"
        )
    found = shutil.which(word)
    if found is None:
        raise InterlockError(
            f"`{word}` does not exist or cannot be run; install Claude Code, or give its full path: "
            f"interlock run -- /path/to/{PROGRAM}"
        )
    return found


def _handlers() -> dict[str, dict[str, object]]:
    """Our entries as `install` would write them; what they run must be in its place."""
    locations = here()
    installed = install_place(os.environ, home=Path.home(), cwd=folder())
    token = token_for(locations.state)
    placed = (our_shim(installed), token_file(locations.state, token))
    if any(file.stale for file in placed) or not all(file.is_file() for file in installed.launch_files):
        raise InterlockError(f"the hook program is missing; run: interlock install {HOST}")
    version = newest_version(read_versions(locations.state / VERSIONS_FILE), HOST)
    return our_handlers(
        str(installed.shim), installed.arguments(HOST, token), asked_hooks(locations), version
    )
