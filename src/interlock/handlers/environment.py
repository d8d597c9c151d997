"""What a hook is given: the document about its event, and variables of our environment."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from interlock.events.event import Event
from interlock.events.tool import JsonObject


def context_document(event: Event, env: Mapping[str, str]) -> JsonObject:
    """The event, with the field names of all known hook dialects."""
    known: JsonObject = {
        "event": event.name,
        "hook_event_name": event.name,
        "session_id": event.session_id,
        "cwd": event.cwd,
        "env": dict(env),
        "actor": event.actor,
    }
    known |= {name: value for name, value in _optional(event).items() if value is not None}
    # Our own fields win: a field of the host may add to the document, but not replace them.
    return {**event.extra, **known}


def _optional(event: Event) -> JsonObject:
    tool = event.tool
    return {
        "tool_name": tool.name if tool else None,
        "tool_input": tool.input if tool else None,
        "tool_use_id": tool.use_id if tool else None,
        "tool_output": event.tool_output,
        "tool_response": event.tool_output,
        "error": event.error,
        "user_prompt": event.prompt,
        "prompt": event.prompt,
        "agent_id": event.agent_id,
        "agent_type": event.agent_type,
        "transcript_path": event.transcript_path,
        "permission_mode": event.permission_mode,
        "commitment_id": event.commitment_id,
    }


def encode_context(document: JsonObject) -> bytes:
    """Write the document as JSON; a Python agent's own objects are written as their text."""
    try:
        return msgspec.json.encode(document, enc_hook=str)
    except UnicodeEncodeError:
        # A lone surrogate has no UTF-8 form, but it has an escape.
        return json.dumps(document, default=str).encode()


def hook_variables(event: Event) -> dict[str, str]:
    """The variables that say which event a hook runs for."""
    variables = {"HOOK_EVENT": event.name, "HOOK_SESSION_ID": event.session_id}
    if event.tool is not None:
        variables["HOOK_TOOL_NAME"] = event.tool.name
    return {name: _env_value(value) for name, value in variables.items()}


def _env_value(text: str) -> str:
    # An environment holds neither NUL nor lone surrogates; both would stop the hook from starting.
    return text.replace("\0", "").encode("utf-8", "replace").decode()


_TOKEN: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VARIABLE: Final = re.compile(r"\$\{([^}]*)\}")
GIVEN: Final = frozenset({"HOOK_EVENT", "HOOK_SESSION_ID", "HOOK_TOOL_NAME"})
_BREAKING: Final = str.maketrans("", "", "\r\n\0")

# These define the target of a request, its end and the encoding of the answer; a policy may not set them.
_FRAMING: Final = frozenset({"host", "content-length", "transfer-encoding", "connection", "accept-encoding"})


class UnsetVariableError(LookupError):
    """A `${VAR}` that has no value."""


def check_headers(headers: Mapping[str, str], pass_env: tuple[str, ...]) -> None:
    """Raise ValueError for a header that cannot be sent, or that uses a variable not in `pass_env`."""
    for name, value in headers.items():
        if not _TOKEN.fullmatch(name):
            raise ValueError(f"`{name}` is not a header name; use letters, digits and dashes")
        if name.lower() in _FRAMING:
            raise ValueError(f"Interlock sets the header `{name}` itself; remove it")
        for variable in _VARIABLE.findall(value):
            if variable.startswith("HOOK_") or variable in pass_env:
                continue
            allow = f"add `pass_env: [{variable}]` to this hook, beside its `type`"
            known = _NAME.fullmatch(variable) is not None
            step = allow if known else "write only the name of a variable between the braces"
            raise ValueError(f"the header `{name}` may not use `${{{variable}}}`; {step}")


def variables_of(headers: Mapping[str, str]) -> tuple[str, ...]:
    """The variables that headers use, except those that every hook gets."""
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


_INHERITED: Final = ("HOME", "USER", "LANG", "TMPDIR")
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

# Each of these can make a loader, shell or interpreter run code that is not in the policy.
_REFUSED_PREFIXES: Final = ("LD_", "DYLD_", "PYTHON", "GIT_")
_REFUSED: Final = frozenset({"BASH_ENV", "ENV", "NODE_OPTIONS"})
# Interlock sets these itself; another value would be wrong.
_OURS: Final = frozenset({"PATH", *GIVEN})


def check_pass_env(names: Iterable[str]) -> None:
    """Raise ValueError for a `pass_env` name that is none, or that could change what a hook runs."""
    for name in names:
        if not _NAME.fullmatch(name):
            raise ValueError(f"`{name}` in `pass_env` is not a variable name; write it without `$` or `=`")
        if name in _REFUSED or name.startswith(_REFUSED_PREFIXES):
            raise ValueError(
                f"`{name}` in `pass_env` would change what a hook runs; set it inside the hook's own command"
            )
        if name in _OURS:
            raise ValueError(f"Interlock sets `{name}` itself; remove it from `pass_env`")


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
