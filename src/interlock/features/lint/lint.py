"""Everything there is to say about a policy, in the order of its files."""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Final

import msgspec

from interlock.engine.failure import can_fail_open
from interlock.events.source import PACK_SOURCE
from interlock.features.lint.breadth import bad_suggestions, too_broad
from interlock.features.lint.contradictions import contradictory, shadowed
from interlock.features.lint.dead import dead
from interlock.features.lint.policy_files import Code, Finding, LintedPolicy, PolicyFile, Weight, about_hook
from interlock.ledger.reader import LedgerReader
from interlock.policy.files.document import Path as NodePath
from interlock.store.database import open_to_read

# Names we gave ourselves, by place and type; nobody chose them.
_GIVEN: Final = re.compile(r"\w+\[\d+\]:\w*|genesis_enforcement")


class HookCounts(msgspec.Struct, frozen=True, kw_only=True):
    """How often hooks were asked, as far as it was recorded."""

    days: int
    by_hook: Mapping[tuple[str, str], int]  # by name and file
    by_event: Mapping[str, int]


def fail_open(policy: LintedPolicy) -> Iterator[Finding]:
    """Judges whose failure allows a call."""
    for hook in policy.policy.hooks:
        if can_fail_open(hook):
            message = "some of this hook's failures allow the call"
            cure = "write `on_failure: closed`, or `ask`"
            yield about_hook(hook, Weight.WARNING, Code.FAILS_OPEN, message, cure)


def duplicate_names(policy: LintedPolicy) -> Iterator[Finding]:
    """Hooks that traces and tests cannot tell apart."""
    first: dict[str, str] = {}
    for hook in policy.policy.hooks:
        if _GIVEN.fullmatch(hook.name):
            continue
        if hook.name in first:
            message = f"the name `{hook.name}` is already used by {first[hook.name]}"
            yield about_hook(hook, Weight.WARNING, Code.DUPLICATE, message, "give each rule its own name")
        first.setdefault(hook.name, str(hook.source))


def lone_approvers(policy: LintedPolicy) -> Iterator[Finding]:
    """Questions that one actor alone may answer, who works under the same policy."""
    workers = set(policy.policy.actors.names)
    for file in policy.files:
        workers |= set(file.record.permissions.actors)
    for file in policy.files:
        for path, approver in _lone_approvers(file):
            if approver in workers:
                message = (
                    f"{approver} is the only approver and also works here; nobody may approve their own work"
                )
                yield Finding(
                    weight=Weight.WARNING,
                    code=Code.LONE_APPROVER,
                    file=file.document.file,
                    line=file.line(path),
                    rule=approver,
                    message=message,
                    cure="name a second approver",
                )


def _lone_approvers(file: PolicyFile) -> Iterator[tuple[NodePath, str]]:
    """Where a file names exactly one approver, and whom."""
    document = file.document.root.plain()
    scopes = document.get("settings", {}).get("approval", {}).get("approvers", {})
    if len(scopes) == 1:
        yield ("settings", "approval", "approvers"), next(iter(scopes))
    for event, entries in document.get("hooks", {}).items():
        for index, entry in enumerate(entries):
            named = entry.get("config", {}).get("approvers", [])
            named = named.get("of", []) if isinstance(named, dict) else named
            if len(named) == 1:
                yield ("hooks", event, index, "config", "approvers"), named[0]


def never_matched(policy: LintedPolicy, asked: HookCounts) -> Iterator[Finding]:
    """Hooks that no recorded call has met."""
    for hook in policy.policy.hooks:
        if asked.by_hook.get((hook.name, hook.source.file), 0):
            continue
        seen = sum(asked.by_event.get(event, 0) for event in hook.events)
        where = f"{seen} recorded events of its kind" if seen else "no event of its kind was recorded"
        message = f"not matched in {asked.days} days ({where})"
        cure = "try it with `interlock hooks simulate`; remove it if it is no longer needed"
        yield about_hook(hook, Weight.WARNING, Code.UNMATCHED, message, cure)


_PAGE: Final = 2_000


class _Row(msgspec.Struct):
    hook: str = ""
    source: str = ""


class _Body(msgspec.Struct):
    event: str = ""
    trace: list[_Row] = []


class _Entry(msgspec.Struct):
    body: _Body


_decode: Final = msgspec.json.Decoder(_Entry).decode


def count_in_ledger(database: Path, days: int, now: dt.datetime | None = None) -> HookCounts:
    """Count the decisions of the last days, newest first, until one is older."""
    since = (now or dt.datetime.now(dt.UTC)) - dt.timedelta(days=days)
    hooks: Counter[tuple[str, str]] = Counter()
    events: Counter[str] = Counter()
    before = None
    with closing(open_to_read(database)) as connection:
        reader = LedgerReader(connection)
        while entries := reader.page(limit=_PAGE, before=before):
            for entry in entries:
                if dt.datetime.fromisoformat(entry.ts) < since:
                    return _to_counts(days, hooks, events)
                if entry.event is None:
                    continue
                body = _decode(entry.payload).body
                events[body.event] += 1
                hooks.update((row.hook, row.source.rpartition(":")[0] or row.source) for row in body.trace)
            before = entries[-1].seq
    return _to_counts(days, hooks, events)


def _to_counts(days: int, hooks: Counter[tuple[str, str]], events: Counter[str]) -> HookCounts:
    return HookCounts(days=days, by_hook=dict(hooks), by_event=dict(events))


_CHECKS: Final[tuple[Callable[[LintedPolicy], Iterator[Finding]], ...]] = (
    dead,
    shadowed,
    contradictory,
    too_broad,
    bad_suggestions,
    fail_open,
    duplicate_names,
    lone_approvers,
)


def lint(policy: LintedPolicy, asked: HookCounts | None = None) -> list[Finding]:
    """All findings, by file and line; those of the ledger only where it was read."""
    found = [finding for check in _CHECKS for finding in check(policy)]
    if asked is not None:
        found += never_matched(policy, asked)
    order = {file.document.file: place for place, file in enumerate(policy.files)}
    # A hook bound to two moments is one rule.
    unique = dict.fromkeys(one for one in found if not _beyond_reach(one))
    return sorted(unique, key=lambda one: (order.get(one.file, len(order)), one.file, one.line, one.weight))


def _beyond_reach(finding: Finding) -> bool:
    """Advice about the rules of a pack is ours to follow; only what does not work is told to its users."""
    ours = finding.file.startswith(PACK_SOURCE)
    return ours and (finding.weight is Weight.WARNING or finding.code is Code.SHADOWED)
