"""Rules that work, and that a person should look at all the same."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

import msgspec

from interlock.engine.failure import can_fail_open
from interlock.features.lint.finding import Code, Finding, Weight
from interlock.features.lint.written import Written, about_hook

# Names we gave ourselves, by place and type; nobody chose them.
_GIVEN: Final = re.compile(r"\w+\[\d+\]:\w*|genesis_enforcement")


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """How often hooks were asked, as far as it was recorded."""

    days: int
    by_hook: Mapping[tuple[str, str], int]  # by name and file
    by_event: Mapping[str, int]


def fail_open(policy: Written) -> Iterator[Finding]:
    """Judges whose failure lets a call pass."""
    for hook in policy.policy.hooks:
        if can_fail_open(hook):
            message = "some failure of this judge lets the call pass"
            cure = "write `on_failure: closed`, or `ask`"
            yield about_hook(hook, Weight.WARNING, Code.FAILS_OPEN, message, cure)


def duplicate_names(policy: Written) -> Iterator[Finding]:
    """Hooks that traces and tests cannot tell apart."""
    first: dict[str, str] = {}
    for hook in policy.policy.hooks:
        if _GIVEN.fullmatch(hook.name):
            continue
        if hook.name in first:
            message = f"the name `{hook.name}` is already that of {first[hook.name]}"
            yield about_hook(
                hook, Weight.WARNING, Code.DUPLICATE, message, "give each rule a name of its own"
            )
        first.setdefault(hook.name, str(hook.source))


def never_matched(policy: Written, asked: Asked) -> Iterator[Finding]:
    """Hooks that no recorded call has met."""
    for hook in policy.policy.hooks:
        if asked.by_hook.get((hook.name, hook.source.file), 0):
            continue
        seen = sum(asked.by_event.get(event, 0) for event in hook.events)
        where = f"{seen} recorded moments of its kind" if seen else "no moment of its kind was recorded"
        message = f"not matched in {asked.days} days ({where})"
        cure = "try it with `interlock hooks simulate`; remove it if its time is over"
        yield about_hook(hook, Weight.WARNING, Code.UNMATCHED, message, cure)
