"""What a file allows and denies at once: the deny always wins, so the allow is never of use."""

from __future__ import annotations

from collections.abc import Iterator

from interlock.events.hook import Hook, Pattern, PatternList
from interlock.events.names import EventName
from interlock.features.lint.covering import forbids
from interlock.features.lint.finding import Code, Finding, Weight
from interlock.features.lint.samples import described, sight_of
from interlock.features.lint.written import ListedPattern, Written, WrittenFile


def contradictory(policy: Written) -> Iterator[Finding]:
    """Allow entries that a deny in the same file makes unreachable."""
    for file in policy.files:
        by_hooks = [
            (pattern, f"the hook `{hook.name}` on line {hook.source.line}")
            for hook in policy.policy.hooks
            if hook.source.file == file.document.file and _always_denies(hook)
            for pattern in hook.matcher.patterns
        ]
        for one in file.lists:
            if one.side == "allow":
                yield from _contradicted(one, [*_denied_for(one, file), *by_hooks])


def _always_denies(hook: Hook) -> bool:
    kept = hook.handler.kind == "deny" and EventName.PRE_TOOL_USE in hook.events
    return kept and not (hook.condition or hook.once or hook.shadow or hook.observe)


def _denied_for(one: ListedPattern, file: WrittenFile) -> list[tuple[Pattern, str]]:
    denied = [other for other in file.lists if other.side == "deny" and other.actor == one.actor]
    return [(other.pattern, f"`{other.pattern.text}` on line {other.line}") for other in denied]


def _contradicted(one: ListedPattern, denials: list[tuple[Pattern, str]]) -> Iterator[Finding]:
    for pattern, where in denials:
        if forbids(pattern, one.pattern) or _denies_it_exactly(pattern, one.pattern):
            message = f"`{one.pattern.text}` is allowed in vain: {where} denies all of it"
            cure = "remove the allow, or narrow the deny"
            yield one.finding(Weight.ERROR, Code.CONTRADICTORY, message, cure)
            return


def _denies_it_exactly(denied: Pattern, allowed: Pattern) -> bool:
    """An allow without wildcards is one call; whether that is denied can be asked."""
    if allowed.effect or allowed.glob is None or set(allowed.glob) & set("*?"):
        return False
    call = next(described(allowed))
    return sight_of(call, [denied]).denied(PatternList([denied])) is not None
