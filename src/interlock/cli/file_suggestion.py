"""`interlock file-suggestion`: paths that complete what a person types, for hosts that run a command."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from interlock.events.names import EventName
from interlock.files.system_programs import QUIET, git, git_environment
from interlock.hosts.launching import locate_installed

SECONDS: Final = 5
SUGGESTED: Final = 15  # more than a host shows
_MOST: Final = 1 << 16
_FILES: Final = 100_000
_GIT: Final = ("ls-files", "--cached", "--others", "--exclude-standard", "-z")
_SKIPPED: Final = frozenset({"node_modules", "__pycache__", "target", "dist", "build", "venv"})


def file_suggestion() -> int:
    """Print paths of this project that match the `query` in the JSON on standard input, or nothing."""
    from interlock.cli.status_line import hook_words

    signal.signal(signal.SIGALRM, lambda *_: os._exit(0))
    signal.alarm(SECONDS)
    try:
        told: Any = json.loads(sys.stdin.buffer.read(_MOST) or b"{}")
        query = told.get("query") if isinstance(told, dict) else None
        folder = Path(os.environ.get("CLAUDE_PROJECT_DIR") or Path.cwd())
        places = locate_installed(os.environ, home=Path.home(), cwd=Path.cwd(), uid=os.getuid())
        named = hook_words(EventName.FILE_SUGGESTION, told if isinstance(told, dict) else {}, places)
        found = suggested(query if isinstance(query, str) else "", files_of(folder), SUGGESTED)
        for path in list(dict.fromkeys([*named, *found]))[:SUGGESTED]:
            sys.stdout.write(f"{path}\n")
        sys.stdout.flush()
    except (OSError, ValueError, RecursionError):
        return 0  # no suggestion is better than an error
    finally:
        signal.alarm(0)
    return 0


def files_of(folder: Path) -> Iterator[str]:
    """The files of a project that git does not ignore; without git, all of them."""
    env = git_environment(os.environ)
    program = git()
    if program is not None:
        argv = [program, *QUIET, "-C", str(folder), *_GIT]
        done = subprocess.run(argv, env=env, capture_output=True, check=False, timeout=SECONDS)  # noqa: S603 - our own words
        if done.returncode == 0:
            return (path.decode("utf-8", "replace") for path in done.stdout.split(b"\0")[:_FILES] if path)
    return _walked(folder)


def _walked(folder: Path) -> Iterator[str]:
    left = _FILES
    for parent, folders, files in os.walk(folder):
        folders[:] = sorted(one for one in folders if one not in _SKIPPED and not one.startswith("."))
        for name in sorted(files):
            yield os.path.relpath(Path(parent, name), folder)
            left -= 1
            if not left:
                return


def suggested(query: str, files: Iterable[str], limit: int) -> list[str]:
    """The best matches first: see `_rank`."""
    wanted = query.strip().lower().removeprefix("./")
    ranked = ((_rank(wanted, path.lower()), len(path), path) for path in files if path.isprintable())
    return [path for _, _, path in sorted(one for one in ranked if one[0] is not None)[:limit]]


def _rank(wanted: str, path: str) -> int | None:
    """0: the name begins with it; 1: the path does; 2 and 3: they contain it; 4: its letters, in order."""
    name = path.rpartition("/")[2]
    if not wanted or name.startswith(wanted):
        return 0
    if path.startswith(wanted):
        return 1
    if wanted in name:
        return 2
    if wanted in path:
        return 3
    letters = iter(path)
    return 4 if all(letter in letters for letter in wanted) else None
