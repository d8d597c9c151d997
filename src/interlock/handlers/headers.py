"""The headers of a webhook: checked when the policy loads, filled in when it is called."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

_TOKEN: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VARIABLE: Final = re.compile(r"\$\{([^}]*)\}")
GIVEN: Final = frozenset({"HOOK_EVENT", "HOOK_SESSION_ID", "HOOK_TOOL_NAME"})
_BREAKING: Final = str.maketrans("", "", "\r\n\0")

# These say whom a request is for, where it ends and how the answer is packed: not the policy's to say.
_FRAMING: Final = frozenset({"host", "content-length", "transfer-encoding", "connection", "accept-encoding"})


class UnsetVariableError(LookupError):
    """A `${VAR}` that has no value."""


def check_headers(headers: Mapping[str, str], pass_env: tuple[str, ...]) -> None:
    """Raise ValueError for a header that cannot be sent, or that names a variable nobody released."""
    for name, value in headers.items():
        if not _TOKEN.fullmatch(name):
            raise ValueError(f"`{name}` is no header name; use letters, digits and dashes")
        if name.lower() in _FRAMING:
            raise ValueError(f"the header `{name}` is set by interlock; remove it")
        for variable in _VARIABLE.findall(value):
            if not variable.startswith("HOOK_") and variable not in pass_env:
                raise ValueError(
                    f"the header `{name}` uses `${{{variable}}}`; name it in `pass_env` to allow that"
                )


def variables_of(headers: Mapping[str, str]) -> tuple[str, ...]:
    """The variables that headers use, but for those that every hook is given."""
    used = (name for value in headers.values() for name in _VARIABLE.findall(value))
    return tuple(dict.fromkeys(name for name in used if name not in GIVEN))


def expand_headers(headers: Mapping[str, str], env: Mapping[str, str]) -> dict[str, str]:
    """Fill in `${VAR}` and take out what would end the header line; raise UnsetVariableError."""

    def value_of(match: re.Match[str]) -> str:
        if match[1] not in env:
            raise UnsetVariableError(f"`${{{match[1]}}}` is not set")
        return env[match[1]]

    # Cleaned after filling in: a line break in a variable would start a header of its own.
    return {
        name: _VARIABLE.sub(value_of, value).translate(_BREAKING).strip() for name, value in headers.items()
    }
