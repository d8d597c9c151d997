"""The variables that a person gave to hooks: one private file that the daemon reads.

The daemon inherits next to nothing, so that nothing reaches a hook by accident. What hooks ask for by name,
in `pass_env` or in a header, comes from the shell of the person who runs `interlock install`, `interlock
daemon start` or `interlock trust`, and from nowhere else.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

import msgspec

from interlock.errors import InterlockError
from interlock.events.hook import Hook, Source
from interlock.files.own_files import write_whole
from interlock.handlers.environment import variables_of

FILE: Final = "hook-environment.json"  # below the state folder
_MOST: Final = 1 << 20  # bytes
_SHORTEST_SECRET: Final = 8  # a shorter value would take ordinary words out of records


def names_used(hooks: Iterable[Hook]) -> dict[str, Source]:
    """The variables that hooks ask for, each with the first place that does."""
    places: dict[str, Source] = {}
    for hook in hooks:
        released: Iterable[str] = getattr(hook.handler, "pass_env", ())
        headers: Mapping[str, str] = getattr(hook.handler, "headers", {})
        for name in (*released, *variables_of(headers)):
            places.setdefault(name, hook.source)
    return places


def read_hook_environment(file: Path) -> dict[str, str]:
    """The variables of the file, if there is one; raise InterlockError when it is not private."""
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise _unusable(file, f"cannot be read ({error.strerror})") from error
    with os.fdopen(descriptor, "rb") as stream:
        status = os.fstat(stream.fileno())
        if not stat.S_ISREG(status.st_mode) or status.st_uid != os.getuid() or status.st_mode & 0o077:
            raise _unusable(file, "can be read by other users")
        content = stream.read(_MOST)
    try:
        return msgspec.json.decode(content, type=dict[str, str])
    except msgspec.MsgspecError as error:
        raise _unusable(file, "is damaged") from error


def save_hook_environment(file: Path, names: Iterable[str], environ: Mapping[str, str]) -> tuple[str, ...]:
    """Store these variables, those set now before those stored earlier; give the names that are missing."""
    wanted = sorted(set(names))
    try:
        stored = read_hook_environment(file)
    except InterlockError:
        stored = {}
    values = {name: value for name in wanted if (value := environ.get(name) or stored.get(name))}
    if values != stored or (values and not file.is_file()):
        write_whole(file, msgspec.json.encode(values), mode=0o600)
    return tuple(name for name in wanted if name not in values)


def secret_patterns(values: Mapping[str, str]) -> tuple[str, ...]:
    """Regular expressions that find the values, so that they are taken out of whatever is recorded."""
    return tuple(re.escape(value) for value in values.values() if len(value) >= _SHORTEST_SECRET)


def _unusable(file: Path, why: str) -> InterlockError:
    again = "run `interlock daemon start` in a shell that has the variables of your hooks"
    return InterlockError(f"`{file}` {why}; delete it and {again}")
