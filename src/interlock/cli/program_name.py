"""How the shell this was typed in reaches our command line, for the commands an error suggests."""

from __future__ import annotations

import os
import shlex
import shutil
from pathlib import Path

from interlock.hosts.launching import PROGRAM, install_place


def as_typed_here(text: str) -> str:
    """The text with our command by its whole path, where the PATH here does not lead to it."""
    if f"`{PROGRAM} " not in text or shutil.which(PROGRAM):
        return text
    program = install_place(os.environ, home=Path.home(), cwd=Path("/")).program
    return text.replace(f"`{PROGRAM} ", f"`{shlex.quote(str(program))} ") if program.exists() else text
