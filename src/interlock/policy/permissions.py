"""From the `permissions` of a genesis key to the table its enforcement judges by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from interlock.events.hook import Pattern
from interlock.patterns.matcher import UNREAD, parse_pattern
from interlock.permissions.judge import ActorEntry, PermissionTable
from interlock.policy.extensions import genesis_key
from interlock.policy.files.document import Findings, Path
from interlock.policy.files.validate import shaped_in_part
from interlock.policy.files.words import hint
from interlock.policy.format.entry import HooksToml
from interlock.policy.format.genesis_key import ActorPermissions, GenesisKey
from interlock.policy.settings.people import check_actor

# Hooks that do nothing, in the places of those with mistakes.
_NO_HOOK: Final = {"type": "command", "enabled": False, "config": {"command": "true"}}
_NO_TOML_HOOK: Final = {"event": "Stop", "enabled": False, "shell": {"command": "true"}}
_ACTORS: Final[Path] = ("permissions", "actors")


def genesis_record(findings: Findings) -> GenesisKey:
    """What a genesis key describes; its mistakes are noted, and what only other systems read in it."""
    keep = findings.unused if findings.foreign else None
    record, problems = shaped_in_part(findings.document, genesis_key(), _NO_HOOK, keep)
    findings.problems.extend(problems)
    return record


def toml_record(findings: Findings) -> HooksToml:
    """The same of a `hooks.toml`."""
    record, problems = shaped_in_part(findings.document, HooksToml, _NO_TOML_HOOK)
    findings.problems.extend(problems)
    return record


def permission_table(key: GenesisKey, findings: Findings) -> PermissionTable:
    """Read every list of every actor."""
    return PermissionTable(
        _entry(actor, lists, findings)
        for actor, lists in key.permissions.actors.items()
        if lists.of_tools  # operations on commitments are judged elsewhere
    )


def _entry(actor: str, lists: ActorPermissions, findings: Findings) -> ActorEntry:
    path = (*_ACTORS, actor)
    check_actor(actor, path, findings, patterns=True)
    allow = lists.allow if isinstance(lists.allow, list) else None
    for index, text in enumerate(allow or ()):
        if text.partition("(")[0] == UNREAD:
            message = f"`{text}` cannot be allowed: its effect is not known; name a tool to allow all of it"
            findings.problem((*path, "allow", index), message)
    return ActorEntry(
        actor=actor,
        allow=None if allow is None else tuple(_patterns(allow, (*path, "allow"), findings)),
        deny=tuple(_patterns(lists.deny, (*path, "deny"), findings)),
        guidance=_guidance(lists, (*path, "guidance"), findings),
    )


def _patterns(texts: list[str], path: Path, findings: Findings) -> Iterator[Pattern]:
    for index, text in enumerate(texts):
        pattern = findings.attempt((*path, index), parse_pattern, text)
        if pattern is not None:
            yield pattern


def _guidance(lists: ActorPermissions, path: Path, findings: Findings) -> Mapping[str, str]:
    if isinstance(lists.guidance, str):
        return {"*": lists.guidance}
    if not isinstance(lists.guidance, dict):
        return {}
    for text in [] if findings.full else lists.guidance:
        # Advice for a pattern nobody denies by would never be given.
        if text != "*" and text not in lists.deny:
            findings.problem(
                (*path, text), f"`{text}` is not in a deny list here; {hint(text, ['*', *lists.deny])}"
            )
    return lists.guidance
