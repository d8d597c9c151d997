"""Our command line as an agent reaches it: by its bare name, or by the whole path `install` gave it."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path
from typing import Final, final

from interlock.daemon.process_tree import environment
from interlock.hosts.launching import PROGRAM
from interlock.policy.locations import locate


@final
class OwnProgram:
    """Asked when a text for an agent names a command, and when an agent has typed a path."""

    def __init__(self, installed: Path, state: Path) -> None:
        self._installed: Final = installed
        self._state: Final = state  # of the home it speaks for

    def typed(self, host: int | None) -> str:
        """What the agent of a host types; the whole path always works, the name only on its PATH."""
        if not os.access(self._installed, os.X_OK) or self._on_path(host):
            return PROGRAM
        return shlex.quote(str(self._installed))

    def is_at(self, path: str) -> bool:
        """Whether a path leads to our command line."""
        ours = (self._installed, Path(sys.executable).with_name(PROGRAM))
        return os.path.realpath(path) in {os.path.realpath(one) for one in ours}

    def _on_path(self, host: int | None) -> bool:
        """Whether the bare name leads an agent to this home; not where nobody knows its environment."""
        environ = environment(host) if host is not None else None
        if environ is None:
            return False
        search = [one for one in environ.get("PATH", "").split(os.pathsep) if one.startswith(os.sep)]
        found = shutil.which(PROGRAM, path=os.pathsep.join(search))
        if found is None or not self.is_at(found):
            return False
        home = Path(environ.get("HOME") or Path.home())
        places = locate(environ, home=home, cwd=Path("/"), uid=os.getuid())
        return os.path.realpath(places.state) == os.path.realpath(self._state)
