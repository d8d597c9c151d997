"""Rules that never get their turn, because an earlier one has always decided."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from interlock.events.hook import Hook
from interlock.events.names import JUDGED
from interlock.features.lint.covering import denial_covers, matcher_covers
from interlock.features.lint.finding import Code, Finding, Weight
from interlock.features.lint.written import ListedPattern, Written, about_hook


def shadowed(policy: Written) -> Iterator[Finding]:
    """Hooks behind a deny of the same calls, and denied patterns behind a wider one."""
    hooks = policy.policy.hooks
    for place, hook in enumerate(hooks):
        earlier = next((one for one in hooks[:place] if _ends_before(one, hook)), None)
        if earlier is not None:
            message = (
                f"it is never asked: `{earlier.name}` ({earlier.source}) denies all of `{hook.matcher.text}`"
            )
            cure = "move it before that rule, narrow that one, or remove this"
            yield about_hook(hook, Weight.ERROR, Code.SHADOWED, message, cure)
    for file in policy.files:
        yield from _in_lists([one for one in file.lists if one.side == "deny"])


def _ends_before(earlier: Hook, later: Hook) -> bool:
    """Whether a deny always ends the chain before a later hook is asked."""
    always = not (earlier.condition or earlier.once or earlier.shadow or earlier.observe)
    if earlier.handler.kind != "deny" or not always:
        return False
    if not set(later.events) <= set(earlier.events) & JUDGED:
        return False
    return matcher_covers(earlier.matcher, later.matcher)


def _in_lists(denied: Sequence[ListedPattern]) -> Iterator[Finding]:
    for place, one in enumerate(denied):
        before = [other for other in denied if other.actor == one.actor and other is not one]
        # Of two equal entries the later is the one too many.
        wider = (o for o in before if o.pattern.text != one.pattern.text or denied.index(o) < place)
        found = next((other for other in wider if denial_covers(other.pattern, one.pattern)), None)
        if found is not None:
            message = (
                f"`{one.pattern.text}` adds nothing: `{found.pattern.text}` on line {found.line} covers it"
            )
            yield one.finding(Weight.WARNING, Code.SHADOWED, message, "remove one of the two")
