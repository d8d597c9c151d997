"""How Claude Code reads the `matcher` of a group and the `if` of a handler."""

from __future__ import annotations

import re
from typing import Final

import msgspec
import re2

from interlock.events.names import EventName

_EXACT: Final = re.compile(r"[A-Za-z0-9_|, -]*")
_NARROW: Final = re.compile(r"[A-Za-z0-9_|]*")
_NARROW_EVENTS: Final = frozenset({EventName.FILE_CHANGED, EventName.STOP_FAILURE})
_DOMAIN: Final = "domain:"
_RULE: Final = re.compile(r"(?P<tool>[A-Za-z_][\w.-]*)(?:\((?P<spec>.*)\))?", re.DOTALL)
_LOOKS_LIKE_RULE: Final = re.compile(r"[A-Za-z_]\w*\([^|]*\)(\|[A-Za-z_]\w*(\([^|]*\))?)*")

# What a matcher is compared with, where that is not a tool; events that are not here take none.
SUBJECTS: Final[dict[str, str]] = {
    EventName.SESSION_START: "source",
    EventName.SETUP: "trigger",
    EventName.INSTRUCTIONS_LOADED: "load_reason",
    EventName.USER_PROMPT_EXPANSION: "command_name",
    EventName.NOTIFICATION: "notification_type",
    EventName.SUBAGENT_START: "agent_type",
    EventName.SUBAGENT_STOP: "agent_type",
    EventName.STOP_FAILURE: "error",
    EventName.PRE_COMPACT: "trigger",
    EventName.POST_COMPACT: "trigger",
    EventName.SESSION_END: "reason",
    EventName.CONFIG_CHANGE: "source",
    EventName.FILE_CHANGED: "file_path",
    EventName.DIRECTORY_ADDED: "source",
    EventName.ELICITATION: "mcp_server_name",
    EventName.ELICITATION_RESULT: "mcp_server_name",
}


class Read(msgspec.Struct, frozen=True, kw_only=True):
    """A matcher as the client understands it; neither names nor expression means everything."""

    names: tuple[str, ...] = ()
    expression: str | None = None

    @property
    def everything(self) -> bool:
        return not self.names and self.expression is None

    def meets(self, name: str) -> bool:
        """Whether a value is meant; an expression we cannot run is taken to mean it."""
        if self.expression is None:
            return self.everything or name in self.names
        compiled = compiled_expression(self.expression)
        return compiled is None or compiled.search(name) is not None


def read_matcher(text: str | None, event: str) -> Read:
    """Names when only letters and separators stand there, else a JavaScript regular expression."""
    if text is None or text in {"", "*"}:
        return Read()
    narrow = event in _NARROW_EVENTS
    if not (_NARROW if narrow else _EXACT).fullmatch(text):
        return Read(expression=text)
    parts = text.split("|") if narrow else re.split(r"[|,]", text)
    return Read(names=tuple(part.strip() for part in parts if part.strip()))


def compiled_expression(text: str) -> re2._Regexp | None:
    """The expression for RE2, or None where only JavaScript has words for it."""
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(text, options)
    except re2.error:
        return None


def is_rule(text: str) -> bool:
    """Whether a matcher is written in the form that belongs in `if`: `Bash(git *)`."""
    return _LOOKS_LIKE_RULE.fullmatch(text) is not None


def read_rule(text: str) -> tuple[str, str | None] | None:
    """A permission rule as its tool and what stands in parentheses."""
    match = _RULE.fullmatch(text.strip())
    return (match["tool"], match["spec"]) if match else None


def patterns_of_rule(tool: str, spec: str) -> list[str]:
    """Our patterns for a permission rule about something else than paths."""
    if tool == "WebFetch" and spec.startswith(_DOMAIN):
        host = spec.removeprefix(_DOMAIN)
        return [f"WebFetch(*://{host}{end})" for end in ("", "/*", ":*")]
    # `git:*` and `git *` are one rule to the client.
    return [f"{tool}({spec[:-2]} *)" if spec.endswith(":*") else f"{tool}({spec})"]


# Constructs a JavaScript engine compiles and RE2 does not.
_JAVASCRIPT_ONLY: Final = re.compile(r"\(\?<?[=!]|\\[1-9]|\(\?<(?![=!])|\\k<|\\c[A-Za-z]|\[\]|\[\^\]")


def is_bad_expression(text: str) -> bool:
    """Whether JavaScript would refuse it too, so that it never matches anything."""
    return compiled_expression(text) is None and not _JAVASCRIPT_ONLY.search(text)
