"""Rules that can never match, however they are called upon."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from typing import Final

from interlock.effects.effect import EffectKind
from interlock.effects.reading import read_script
from interlock.events.hook import Hook, Pattern
from interlock.events.tool import SubjectKind, ToolCall, ToolTable
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.features.lint.policy_files import (
    Code,
    Finding,
    LintedPolicy,
    ListedPattern,
    Weight,
    about_hook,
)
from interlock.features.lint.samples import (
    allows_something,
    argument_of,
    denies_something,
    event_of,
    sample_calls,
)
from interlock.patterns.call_view import LocalCallView
from interlock.patterns.index import PatternIndex
from interlock.patterns.matcher import UNREAD

# Tools of servers are named by whoever runs them.
_FOREIGN: Final = ("mcp__", "mentu_")
_PREFIX: Final = re.compile(r"(?<![\w(])(?P<name>[A-Za-z_][\w.-]*)\*(?=\||$)")
_EFFECTS: Final = (*(kind.value for kind in EffectKind), UNREAD)
_NEAR: Final = 0.7


def dead(policy: LintedPolicy) -> Iterator[Finding]:
    """Matchers and list entries that no call can meet."""
    for hook in policy.policy.hooks:
        yield from _dead_matcher(hook)
    for file in policy.files:
        judges = [hook for hook in policy.policy.hooks if _enforces(hook, file.document.file)]
        for one in file.lists:
            found = list(_dead_entry(one))
            yield from found or _unasked(one, judges)


def _dead_matcher(hook: Hook) -> Iterator[Finding]:
    chains: list[Pattern] = []
    for pattern in hook.matcher.patterns:
        found = _unknown(pattern) or _lifeless(pattern, allow=False)
        if found:
            yield about_hook(hook, *found)
        elif _is_chain(pattern):
            chains.append(pattern)
    if chains:
        yield about_hook(hook, *_one_spelling(*chains))
    if hook.matcher.needs_tool and not hook.matcher.by_patterns_alone and not _meets_known_tool(hook):
        message = f"`{hook.matcher.text}` matches no known tool"
        yield about_hook(hook, Weight.WARNING, Code.UNKNOWN_TOOL, message, "check the spelling of the tool")


def _dead_entry(one: ListedPattern) -> Iterator[Finding]:
    found = _unknown(one.pattern) or _lifeless(one.pattern, allow=one.side == "allow")
    if found:
        yield one.finding(*found)
    elif one.side == "deny" and _is_chain(one.pattern):
        yield one.finding(*_one_spelling(one.pattern))


def _enforces(hook: Hook, file: str) -> bool:
    return hook.handler.kind == "genesis_enforcement" and hook.source.file == file


def _unasked(one: ListedPattern, judges: Sequence[Hook]) -> Iterator[Finding]:
    """An entry about calls that the file's own enforcement is never asked about."""
    calls = list(sample_calls(one.pattern))
    views = [
        (hook, LocalCallView(event_of(call), PatternIndex(hook.matcher.patterns)))
        for hook in judges
        for call in calls
    ]
    if views and not any(hook.matcher.fires(view, every_part=False) for hook, view in views):
        shown = " or ".join(f"`{hook.matcher.text}`" for hook in judges)
        message = f"`{one.pattern.text}` is never used: enforcement is only asked about {shown}"
        cure = "widen the matcher of `genesis_enforcement`, for example to `*`"
        yield one.finding(Weight.ERROR, Code.DEAD, message, cure)


Said = tuple[Weight, Code, str, str]


def _unknown(pattern: Pattern, tools: ToolTable = STANDARD_TOOLS) -> Said | None:
    """A tool that no host has: a mistake when a known word is near, else perhaps a tool of yours."""
    if pattern.effect or tools.spec(pattern.tool) or pattern.tool.startswith(_FOREIGN):
        return None
    # A word in small letters is rather an effect, one with a capital a tool.
    words = (*_EFFECTS, *tools.known) if not pattern.tool.islower() else (*tools.known, *_EFFECTS)
    folded = {name.lower(): name for name in words}
    near = get_close_matches(pattern.tool.lower(), folded, n=1, cutoff=_NEAR)
    message = f"`{pattern.text}` names `{pattern.tool}`, a tool that no known host has"
    if near:
        return Weight.ERROR, Code.DEAD, message, f"did you mean `{folded[near[0]]}`?"
    cure = "check its spelling; a tool of your own agent is fine"
    return Weight.WARNING, Code.UNKNOWN_TOOL, message, cure


def _lifeless(pattern: Pattern, *, allow: bool) -> Said | None:
    if pattern.effect:
        return _lifeless_effect(pattern, allow=allow)
    if allow and not allows_something(pattern):
        return _never_allows(pattern)
    if not allow and not denies_something(pattern):
        message = f"`{pattern.text}` matches none of the calls it describes"
        cure = "try it with `interlock hooks test-pattern`, and write what a call really contains"
        return Weight.ERROR, Code.DEAD, message, cure
    return None


def _lifeless_effect(pattern: Pattern, *, allow: bool) -> Said | None:
    glob = pattern.glob or "*"
    if pattern.tool == EffectKind.RUN and re.search(r"\s", glob):
        message = (
            f"`{pattern.text}` never matches: `run` is compared with a program's name, without arguments"
        )
        return Weight.ERROR, Code.DEAD, message, f"write `Bash({glob})`"
    if pattern.tool == EffectKind.NETWORK and "/" in glob:
        message = f"`{pattern.text}` never matches: `network` is compared with a host's name, without a path"
        host = glob.partition("://")[2] or glob
        return Weight.ERROR, Code.DEAD, message, f"write `network({host.partition('/')[0] or '*'})`"
    if allow and pattern.tool == EffectKind.ENV and "=" in glob:
        message = (
            f"`{pattern.text}` never matches: an allow is compared with a variable's name, without its value"
        )
        return Weight.ERROR, Code.DEAD, message, f"write `env({glob.partition('=')[0]})`"
    return None


def _never_allows(pattern: Pattern) -> Said:
    """Why: a chain is not one command, a wrapper counts as what it runs, unread text is never allowed."""
    if _is_chain(pattern):
        message = f"`{pattern.text}` never matches: an allow is compared with each simple command on its own"
        return Weight.ERROR, Code.DEAD, message, "write one entry for each command of the chain"
    script = read_script(argument_of(next(sample_calls(pattern))))
    if script.gaps:
        message = (
            f"`{pattern.text}` never matches: an allow covers no command that Interlock cannot read "
            f"({script.gaps[0].why})"
        )
        return Weight.ERROR, Code.DEAD, message, "remove it, or allow a script by its own name"
    if any(command.transparent for command in script.commands):
        message = f"`{pattern.text}` never matches: an allow is compared with what the wrapper runs"
        return Weight.ERROR, Code.DEAD, message, "write the command it runs, without the wrapper"
    message = f"`{pattern.text}` allows none of the calls it describes"
    return Weight.ERROR, Code.DEAD, message, "try it with `interlock hooks test-pattern --as allow`"


def _is_chain(pattern: Pattern, tools: ToolTable = STANDARD_TOOLS) -> bool:
    """Whether a pattern of shell commands is written as several of them."""
    spec = tools.spec(pattern.tool)
    if pattern.effect or pattern.field or not pattern.glob or not spec or spec.kind is not SubjectKind.SHELL:
        return False
    commands = read_script(argument_of(next(sample_calls(pattern)))).commands
    return sum(not command.via for command in commands) > 1


def _one_spelling(first: Pattern, *more: Pattern) -> Said:
    named = f"`{first.text}`" + (f" and {len(more)} more of its patterns" if more else "")
    message = (
        f"{named}: a deny of a chain only matches it as written, and another blank or command in it escapes"
    )
    cure = "deny what one command or its effect does, or use `unread(…)` for text that reaches a shell"
    return Weight.WARNING, Code.SPELLING, message, cure


def _meets_known_tool(hook: Hook, tools: ToolTable = STANDARD_TOOLS) -> bool:
    """Whether a prefix or expression means a known tool, or one of a server."""
    if any(one["name"].startswith(_FOREIGN) for one in _PREFIX.finditer(hook.matcher.text)):
        return True
    if "mcp" in hook.matcher.text:
        return True
    book = PatternIndex(hook.matcher.patterns, tools)
    views = (LocalCallView(event_of(ToolCall(name=name, input={})), book) for name in tools.known)
    return any(hook.matcher.fires(view, every_part=False) for view in views)
