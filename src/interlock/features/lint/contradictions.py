"""Finds rules that an earlier or stricter rule makes useless."""

from __future__ import annotations

import os.path
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from interlock.effects.effect import EffectKind
from interlock.effects.paths.globs import denied_paths, pattern_path
from interlock.events.hook import Hook, Matcher, Pattern, PatternList
from interlock.events.names import JUDGED, EventName
from interlock.events.tool import SubjectKind, ToolTable
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.features.lint.policy_files import (
    Code,
    Finding,
    LintedPolicy,
    ListedPattern,
    Weight,
    about_hook,
    sample_calls,
    view_of,
)
from interlock.patterns.matcher import Everything

# No glob that a person wrote needs more; beyond this the answer is no.
_MAX_STATES: Final = 5_000
_FRESH: Final = "\0"  # a letter that stands in no glob: only a wildcard matches it

States = frozenset[int]


def glob_covers(wide: str, narrow: str) -> bool:
    """Whether every text that `narrow` matches is matched by `wide`; False also when it takes too long.

    The wide glob is run over the narrow one: a wildcard there stands for letters the wide glob does not
    name, any number of them for `*`, and each number must be matched.
    """
    waiting: list[tuple[int, States]] = [(0, _skip_stars(wide, {0}))]
    seen: set[tuple[int, States]] = set()
    while waiting:
        at, states = waiting.pop()
        if (at, states) in seen:
            continue
        seen.add((at, states))
        if not states or len(seen) > _MAX_STATES:
            return False
        if at == len(narrow):
            if len(wide) not in states:
                return False
        elif narrow[at] == "*":
            waiting += [(at + 1, states), (at, _step(wide, states, _FRESH))]
        else:
            letter = _FRESH if narrow[at] == "?" else narrow[at]
            waiting.append((at + 1, _step(wide, states, letter)))
    return True


def _step(glob: str, states: States, letter: str) -> States:
    after: set[int] = set()
    for at in states:
        if at == len(glob):
            continue
        if glob[at] == "*":
            after.add(at)
        elif glob[at] in {"?", letter}:
            after.add(at + 1)
    return _skip_stars(glob, after)


def _skip_stars(glob: str, states: set[int]) -> States:
    """Add the places that are reached because a `*` may match nothing."""
    closed = set(states)
    for at in states:
        following = at
        while following < len(glob) and glob[following] == "*":
            following += 1
            closed.add(following)
    return frozenset(closed)


# Plain words and a final ` *`: in one form it meets every command that begins with them.
_WORDS: Final = re.compile(r"[\w./+]+(?: [\w./+][\w./+-]*)* \*")
_PATHS: Final = frozenset({EffectKind.READ.value, EffectKind.WRITE.value, EffectKind.DELETE.value})
# What each file tool does to its main field, whatever else it does.
_FILE_EFFECTS: Final = {
    "Read": EffectKind.READ,
    "Write": EffectKind.WRITE,
    "Edit": EffectKind.WRITE,
    "MultiEdit": EffectKind.WRITE,
    "NotebookEdit": EffectKind.WRITE,
}


def matcher_covers(wide: Matcher, narrow: Matcher, tools: ToolTable = STANDARD_TOOLS) -> bool:
    """Whether a deny with the matcher `wide` leaves nothing for `narrow`; False when that is not certain."""
    if isinstance(wide, Everything) or (wide.text == narrow.text and wide.text):
        return True
    if not narrow.by_patterns_alone or not narrow.patterns:
        return False
    return all(any(denial_covers(one, other, tools) for one in wide.patterns) for other in narrow.patterns)


def denial_covers(wide: Pattern, narrow: Pattern, tools: ToolTable = STANDARD_TOOLS) -> bool:
    """Whether a deny by `wide` catches every call that a deny by `narrow` would."""
    if wide.text == narrow.text:
        return True
    if (wide.tool, wide.effect) != (narrow.tool, narrow.effect):
        return False
    if wide.glob is None:
        return True
    if narrow.glob is None or wide.field != narrow.field:
        return False
    if wide.field is None and _kind(wide, tools) is SubjectKind.SHELL:
        return _command_covers(wide.glob, narrow.glob)
    paths = wide.field is None and _kind(wide, tools) is SubjectKind.PATH
    return _covers(wide.glob, narrow.glob, denied_paths if paths else _itself, denied_paths)


def _command_covers(wide: str, narrow: str) -> bool:
    """True only for plain words with a final ` *` that the narrow glob begins with."""
    return _WORDS.fullmatch(wide) is not None and f"{narrow} ".startswith(wide[:-1])


def forbids(denied: Pattern, allowed: Pattern, tools: ToolTable = STANDARD_TOOLS) -> bool:
    """Whether a deny by `denied` stops every call that an allow by `allowed` is about."""
    if denied.effect and not allowed.effect:
        same = _FILE_EFFECTS.get(allowed.tool) == denied.tool and allowed.field is None
    else:
        same = (denied.tool, denied.effect) == (allowed.tool, allowed.effect)
    if not same or denied.glob is None:
        return same
    if allowed.glob is None or denied.field != allowed.field:
        return False
    kind = _kind(denied, tools) if denied.field is None else SubjectKind.TEXT
    if kind is SubjectKind.PATH:
        return _covers(denied.glob, allowed.glob, denied_paths, pattern_path)
    # A denied command is compared as it is written too, and there ` *` may be nothing.
    bare = denied.glob[:-2] if kind is SubjectKind.SHELL and denied.glob.endswith(" *") else denied.glob
    return any(glob_covers(glob, allowed.glob) for glob in (denied.glob, bare))


def _kind(pattern: Pattern, tools: ToolTable) -> SubjectKind:
    if pattern.effect:
        return SubjectKind.PATH if pattern.tool in _PATHS else SubjectKind.TEXT
    spec = tools.spec(pattern.tool)
    return spec.kind if spec else SubjectKind.TEXT


Spelling = Callable[[str, str], Iterable[str]]


def _itself(glob: str, _home: str) -> Iterable[str]:
    return (glob,)


def _covers(wide: str, narrow: str, wide_as: Spelling, narrow_as: Spelling) -> bool:
    """Whether each spelling of the narrow glob is covered by one of the wide."""
    home = os.path.expanduser("~")
    spelt = wide_as is _itself
    narrows = (narrow,) if spelt else narrow_as(narrow, home)
    wides = tuple(wide_as(wide, home))
    return all(any(glob_covers(glob, other) for glob in wides) for other in narrows)


def find_contradictory(policy: LintedPolicy) -> Iterator[Finding]:
    """Allow entries that a deny in the same file makes unreachable."""
    for file in policy.files:
        by_hooks = [
            (pattern, f"the hook `{hook.name}` on line {hook.source.line}")
            for hook in policy.policy.hooks
            if hook.source.file == file.document.file and _always_denies(hook)
            for pattern in hook.matcher.patterns
        ]
        for entry in file.lists:
            if entry.side == "allow":
                denied = [
                    (other.pattern, f"`{other.pattern.text}` on line {other.line}")
                    for other in file.lists
                    if other.side == "deny" and other.actor == entry.actor
                ]
                yield from _find_contradiction(entry, [*denied, *by_hooks])


def _always_denies(hook: Hook) -> bool:
    kept = hook.handler.kind == "deny" and EventName.PRE_TOOL_USE in hook.events
    return kept and not (hook.condition or hook.once or hook.shadow or hook.observe)


def _find_contradiction(entry: ListedPattern, denials: list[tuple[Pattern, str]]) -> Iterator[Finding]:
    for pattern, where in denials:
        if forbids(pattern, entry.pattern) or _denies_it_exactly(pattern, entry.pattern):
            message = f"`{entry.pattern.text}` is allowed, but has no effect: {where} denies all of it"
            cure = "remove the allow, or narrow the deny"
            yield entry.finding(Weight.ERROR, Code.CONTRADICTORY, message, cure)
            return


def _denies_it_exactly(denied: Pattern, allowed: Pattern) -> bool:
    """An allow without wildcards is a single call, so it can be tried whether that is denied."""
    if allowed.effect or allowed.glob is None or set(allowed.glob) & set("*?"):
        return False
    call = next(sample_calls(allowed))
    return view_of(call, [denied]).denied(PatternList([denied])) is not None


def find_shadowed(policy: LintedPolicy) -> Iterator[Finding]:
    """Hooks behind a deny of the same calls, and denied patterns behind a wider one."""
    hooks = policy.policy.hooks
    for place, hook in enumerate(hooks):
        earlier = next((entry for entry in hooks[:place] if _ends_before(entry, hook)), None)
        if earlier is not None:
            message = (
                f"it never decides: `{earlier.name}` ({earlier.source}) denies all of "
                f"`{hook.matcher.text}` first"
            )
            cure = "move it before that rule, narrow that rule, or remove this one"
            yield about_hook(hook, Weight.ERROR, Code.SHADOWED, message, cure)
    for file in policy.files:
        yield from _find_shadowed_entries([entry for entry in file.lists if entry.side == "deny"])


def _ends_before(earlier: Hook, later: Hook) -> bool:
    """Whether a deny always ends the chain before a later hook is asked."""
    always = not (earlier.condition or earlier.once or earlier.shadow or earlier.observe)
    if earlier.handler.kind != "deny" or not always:
        return False
    if not set(later.events) <= set(earlier.events) & JUDGED:
        return False
    return matcher_covers(earlier.matcher, later.matcher)


def _find_shadowed_entries(denied: Sequence[ListedPattern]) -> Iterator[Finding]:
    for place, entry in enumerate(denied):
        before = [other for other in denied if other.actor == entry.actor and other is not entry]
        # Of two equal entries the later is reported.
        wider = (
            other
            for other in before
            if other.pattern.text != entry.pattern.text or denied.index(other) < place
        )
        cover = next((other for other in wider if denial_covers(other.pattern, entry.pattern)), None)
        if cover is not None:
            message = (
                f"`{entry.pattern.text}` adds nothing: `{cover.pattern.text}` on line {cover.line} covers it"
            )
            yield entry.finding(Weight.WARNING, Code.SHADOWED, message, "remove one of the two")
