"""The `permissions` of a settings file as rules of a policy; what they allow stays with Claude Code."""

from __future__ import annotations

import re
from typing import Any, Final

from interlock.events.tool import JsonObject, SubjectKind
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.hosts.claude_code.lint import find_voids
from interlock.hosts.claude_code.matchers import patterns_of_rule, read_rule
from interlock.policy.imported import ImportResult, NotCarriedError, SkippedPart, rule

# A rule about one tool that reads or edits files holds for all of them.
_EFFECTS: Final = {
    "Read": "read",
    "Edit": "write",
    "Write": "write",
    "MultiEdit": "write",
    "NotebookEdit": "write",
}
_SPECIAL: Final = re.compile(r"^!|[\[\]{}\\]|\.\.")
_DEEPER: Final = re.compile(r"/[^/]*(?<!\*)\*(?!\*)")
_SERVER: Final = re.compile(r"mcp__((?!__).)+")
_STAYS: Final = (
    "allow rules stay in the settings, where Claude Code goes on reading them; Interlock asks nothing more"
)
_SETTINGS: Final = "it says how Claude Code itself asks; leave it in the settings"


def import_permissions(document: JsonObject) -> ImportResult:
    """Carry over what the settings deny and ask about."""
    permissions = document.get("permissions")
    if not isinstance(permissions, dict) or find_voids(document):
        return ImportResult(hooks={}, left=())
    skipped: list[SkippedPart] = []
    entries: list[JsonObject] = []
    for kind in ("deny", "ask"):
        patterns: list[str] = []
        for index, text in enumerate(permissions.get(kind, [])):
            place = f"permissions.{kind}[{index}]"
            try:
                rule_patterns = patterns_of(text)
                rule(kind, "checked", rule_patterns, "")
            except NotCarriedError as error:
                skipped.append(SkippedPart(path=place, message=f"`{text}`: {error}"))
                continue
            patterns += rule_patterns
            if _is_wider(text):
                wider = f"`{text}` also matches in folders below here: `*` has no end at a slash"
                skipped.append(SkippedPart(path=place, message=wider, carried=True))
        if patterns:
            reason = (
                "Your Claude Code settings deny this."
                if kind == "deny"
                else "Your Claude Code settings ask first."
            )
            entries.append(rule(kind, f"claude-code-{kind}", list(dict.fromkeys(patterns)), reason))
    for key in permissions:
        if key not in {"deny", "ask"} and permissions[key]:
            message = _STAYS if key == "allow" else _SETTINGS
            skipped.append(SkippedPart(path=f"permissions.{key}", message=message))
    return ImportResult(hooks={"pre_tool_use": entries} if entries else {}, left=tuple(skipped))


def patterns_of(text: Any) -> list[str]:
    """The patterns that together match what a permission rule matches."""
    tool_and_spec = read_rule(text) if isinstance(text, str) else None
    if tool_and_spec is None:
        raise NotCarriedError("this is not a permission rule, so Claude Code ignores it")
    tool, spec = tool_and_spec
    if not spec or spec in {"*", "**"}:
        # `mcp__server` means all tools of the server.
        return [f"{tool}__*"] if _SERVER.fullmatch(tool) else [tool]
    tool_spec = STANDARD_TOOLS.spec(tool)
    if tool in _EFFECTS or (tool_spec is not None and tool_spec.kind is SubjectKind.PATH):
        return [f"{_EFFECTS.get(tool, tool)}({_path(spec)})"]
    return patterns_of_rule(tool, spec)


def _path(spec: str) -> str:
    """A path as a pattern has it; the client's are those of `.gitignore`, with `//` for the root."""
    if _SPECIAL.search(spec):
        raise NotCarriedError("its path has no equivalent here; write a matcher yourself")
    path = spec.removeprefix("./")
    path = path.removeprefix("/")  # `//x` is `/x`, and `/x` is x of the project
    path = re.sub(r"[*]+", "*", re.sub(r"[*][*]/[*]+$", "*", path))
    return f"{path}*" if path.endswith("/") else path


def _is_wider(text: str) -> bool:
    tool, spec = read_rule(text) or ("", None)
    return tool in _EFFECTS and bool(spec and _DEEPER.search(spec))
