"""The environment of a hook, built fresh so that nothing slips in that changes what a program runs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from interlock.events.event import Event
from interlock.handlers.context import hook_variables
from interlock.handlers.headers import GIVEN

_INHERITED: Final = ("HOME", "USER", "LANG", "TMPDIR")
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

# Each of these makes some loader, shell or interpreter run code that nobody put into the policy.
_REFUSED_PREFIXES: Final = ("LD_", "DYLD_", "PYTHON", "GIT_")
_REFUSED: Final = frozenset({"BASH_ENV", "ENV", "NODE_OPTIONS"})
# Those we set ourselves; passing another value would say something untrue.
_OURS: Final = frozenset({"PATH", *GIVEN})


def check_pass_env(names: Iterable[str]) -> None:
    """Raise ValueError for a `pass_env` name that is none, or that could change what a hook runs."""
    for name in names:
        if not _NAME.fullmatch(name):
            raise ValueError(f"`{name}` in `pass_env` is no variable name; write it without `$` or `=`")
        if name in _REFUSED or name.startswith(_REFUSED_PREFIXES):
            raise ValueError(
                f"`{name}` in `pass_env` would change what a hook runs; set it inside the hook's own command"
            )
        if name in _OURS:
            raise ValueError(f"`{name}` in `pass_env` is set by interlock; remove it from `pass_env`")


def hook_environment(
    base: Mapping[str, str], event: Event, pass_env: tuple[str, ...], path: str
) -> dict[str, str]:
    """What a hook's process sees: the basics, what `pass_env` names, and which event this is."""
    check_pass_env(pass_env)
    names = (*_INHERITED, *pass_env)
    return {
        **{name: base[name] for name in names if name in base},
        "PATH": _absolute(path),
        "PYTHONSAFEPATH": "1",  # a `json.py` in the repository must not run
        **hook_variables(event),
    }


def _absolute(path: str) -> str:
    # A relative entry is looked up in the event's directory: any repository could supply the program.
    return ":".join(entry for entry in path.split(":") if entry.startswith("/"))
