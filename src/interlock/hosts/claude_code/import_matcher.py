"""A matcher and an `if` of Claude Code, in the words of a policy."""

from __future__ import annotations

import re
from typing import Any, Final

import msgspec

from interlock.errors import ConditionError, InterlockError, PatternError
from interlock.events.names import WITH_TOOL, EventName
from interlock.events.tool import JsonObject, SubjectKind
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.hosts.claude_code.matchers import SUBJECTS, Read, compiled_expression, read_matcher, read_rule
from interlock.patterns.matcher import parse_matcher

# Fields the event itself has; all others are among those nobody has named yet.
_NAMED: Final = frozenset({"agent_type", "error"})
_SPECIAL_PATH: Final = re.compile(r"^[/~!]|[\[\]{}\\]|\.\.")


class NotCarriedError(InterlockError):
    """Why a hook stays behind."""


def where(event: str, matcher: Any, rule: Any) -> JsonObject:
    """The `matcher` and `if` of an entry that applies to the same events."""
    read = read_matcher(matcher, event)
    if event in WITH_TOOL:
        text = _with_rule(read, rule) if rule else _tools(read)
        return {"matcher": text} if text else {}
    if rule:
        raise NotCarriedError(f"a handler with `if` never runs at `{event}`, so it never did anything")
    return _subject(event, read)


def _tools(read: Read) -> str:
    if read.everything:
        return ""
    text = "|".join(read.names) if read.expression is None else f"/{read.expression}/"
    try:
        parse_matcher(text)
    except PatternError as error:
        raise NotCarriedError(f"its matcher cannot be said here: {error}") from error
    return text


def _with_rule(read: Read, rule: str) -> str:
    found = read_rule(rule)
    if found is None:
        raise NotCarriedError(f"`{rule}` is no permission rule, so it never ran")
    tool, spec = found
    if not any(read.meets(name) for name in STANDARD_TOOLS.names(tool)):
        raise NotCarriedError(f"its matcher never meets the tool of its `if` (`{rule}`), so it never ran")
    text = tool if not spec or spec == "*" else _pattern(tool, spec)
    try:
        parse_matcher(text)
    except PatternError as error:
        raise NotCarriedError(f"its `if` cannot be said here: {error}") from error
    return text


def _pattern(tool: str, spec: str) -> str:
    known = STANDARD_TOOLS.spec(tool)
    if tool == "WebFetch" and spec.startswith("domain:"):
        host = spec.removeprefix("domain:")
        return f"WebFetch(*://{host})|WebFetch(*://{host}/*)|WebFetch(*://{host}:*)"
    if known is not None and known.kind is SubjectKind.PATH:
        if _SPECIAL_PATH.search(spec):
            raise NotCarriedError(
                f"the path rule `{tool}({spec})` has no equal here; write a matcher by hand"
            )
        return f"{tool}({re.sub(r'[*]+', '*', spec)})"
    # `git:*` and `git *` are one rule to the client.
    return f"{tool}({spec[:-2]} *)" if spec.endswith(":*") else f"{tool}({spec})"


def _subject(event: str, read: Read) -> JsonObject:
    """Where no tool is named, the matcher becomes a condition on the field it was compared with."""
    field = SUBJECTS.get(event)
    if read.everything or field is None:
        return {}  # the client ignores a matcher at an event that takes none
    if event == EventName.FILE_CHANGED:
        raise NotCarriedError("its matcher is also the list of files to watch, which only the client does")
    path = f"event.{field}" if field in _NAMED else f"event.extra.{field}"
    if read.expression is None:
        return {"if": f"{path} in {_encoded(list(read.names))}"}
    if compiled_expression(read.expression) is None:
        raise NotCarriedError(f"RE2 has no words for its matcher `{read.expression}`")
    condition = f"{path}.matches({_encoded(read.expression)})"
    return {"if": _checked(condition)}


def _encoded(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _checked(condition: str) -> str:
    from interlock.policy.conditions.condition import parse_condition  # noqa: PLC0415 - loads a native module

    try:
        parse_condition(condition)
    except ConditionError as error:
        raise NotCarriedError(f"its matcher cannot be said here: {error}") from error
    return condition
