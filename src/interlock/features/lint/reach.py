"""Finds rules that match no call at all, or far more calls than intended."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from typing import Final, NamedTuple

from interlock.effects.effect import EffectKind
from interlock.effects.programs.lookup import find_program
from interlock.effects.reading import read_script
from interlock.engine.engine import Engine
from interlock.events.decision import Decision
from interlock.events.hook import Hook, Pattern
from interlock.events.names import EventName
from interlock.events.tool import SubjectKind, ToolCall, ToolTable
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.events.verdict import Vote
from interlock.features.lint.policy_files import (
    GRAVE,
    Code,
    Finding,
    LintedPolicy,
    ListedPattern,
    PolicyFile,
    Weight,
    about_hook,
    allows_something,
    argument_of,
    contributes,
    denies_something,
    event_of,
    sample_calls,
)
from interlock.patterns.call_view import LocalCallView
from interlock.patterns.index import PatternIndex
from interlock.patterns.matcher import UNREAD, Everything

# The names of MCP tools are up to whoever runs the server.
_FOREIGN: Final = ("mcp__", "mentu_")
_PREFIX: Final = re.compile(r"(?<![\w(])(?P<name>[A-Za-z_][\w.-]*)\*(?=\||$)")
_EFFECTS: Final = (*(kind.value for kind in EffectKind), UNREAD)
_NEAR: Final = 0.7


def find_dead(policy: LintedPolicy) -> Iterator[Finding]:
    """Matchers and list entries that no call can meet."""
    for hook in policy.policy.hooks:
        yield from _find_dead_matcher(hook)
    for file in policy.files:
        judges = [
            hook
            for hook in policy.policy.hooks
            if hook.handler.kind == "genesis_enforcement" and hook.source.file == file.document.file
        ]
        for entry in file.lists:
            findings = list(_find_dead_entry(entry))
            yield from findings or _find_out_of_reach(entry, judges)


def _find_dead_matcher(hook: Hook) -> Iterator[Finding]:
    chains: list[Pattern] = []
    for pattern in hook.matcher.patterns:
        problem = _find_unknown_tool(pattern) or _find_never_matching(pattern, allow=False)
        if problem:
            yield about_hook(hook, *problem)
        elif _is_chain(pattern):
            chains.append(pattern)
    if chains:
        yield about_hook(hook, *_explain_spelling(*chains))
    if hook.matcher.needs_tool and not hook.matcher.by_patterns_alone and not _meets_known_tool(hook):
        message = f"`{hook.matcher.text}` matches no known tool"
        yield about_hook(hook, Weight.WARNING, Code.UNKNOWN_TOOL, message, "check the spelling of the tool")


def _find_dead_entry(entry: ListedPattern) -> Iterator[Finding]:
    problem = _find_unknown_tool(entry.pattern) or _find_never_matching(
        entry.pattern, allow=entry.side == "allow"
    )
    if problem:
        yield entry.finding(*problem)
    elif entry.side == "deny" and _is_chain(entry.pattern):
        yield entry.finding(*_explain_spelling(entry.pattern))


def _find_out_of_reach(entry: ListedPattern, judges: Sequence[Hook]) -> Iterator[Finding]:
    """An entry about calls that the file's own enforcement is never asked about."""
    calls = list(sample_calls(entry.pattern))
    views = [
        (hook, LocalCallView(event_of(call), PatternIndex(hook.matcher.patterns)))
        for hook in judges
        for call in calls
    ]
    if views and not any(hook.matcher.fires(view, every_part=False) for hook, view in views):
        shown = " or ".join(f"`{hook.matcher.text}`" for hook in judges)
        message = f"`{entry.pattern.text}` is never used: enforcement is only asked about {shown}"
        cure = "widen the matcher of `genesis_enforcement`, for example to `*`"
        yield entry.finding(Weight.ERROR, Code.DEAD, message, cure)


Problem = tuple[Weight, Code, str, str]


def _find_unknown_tool(pattern: Pattern, tools: ToolTable = STANDARD_TOOLS) -> Problem | None:
    """A tool that no host has: a mistake if a known word is similar, else perhaps a tool of your own."""
    if pattern.effect or tools.spec(pattern.tool) or pattern.tool.startswith(_FOREIGN):
        return None
    # A lower-case word is probably an effect, a capitalized one a tool.
    words = (*_EFFECTS, *tools.known) if not pattern.tool.islower() else (*tools.known, *_EFFECTS)
    folded = {name.lower(): name for name in words}
    near = get_close_matches(pattern.tool.lower(), folded, n=1, cutoff=_NEAR)
    message = f"`{pattern.text}` names `{pattern.tool}`, a tool that no known host has"
    if near:
        return Weight.ERROR, Code.DEAD, message, f"did you mean `{folded[near[0]]}`?"
    cure = "check its spelling; a tool of your own agent is fine"
    return Weight.WARNING, Code.UNKNOWN_TOOL, message, cure


def _find_never_matching(pattern: Pattern, *, allow: bool) -> Problem | None:
    if pattern.effect:
        return _find_never_matching_effect(pattern, allow=allow)
    if allow and not allows_something(pattern):
        return _explain_never_allowing(pattern)
    if not allow and not denies_something(pattern):
        message = f"`{pattern.text}` matches none of the calls it describes"
        cure = "try it with `interlock hooks test-pattern`, and write what a call really contains"
        return Weight.ERROR, Code.DEAD, message, cure
    return None


def _find_never_matching_effect(pattern: Pattern, *, allow: bool) -> Problem | None:
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


def _explain_never_allowing(pattern: Pattern) -> Problem:
    """Why an allow never matches: a chain, a wrapper, or text that cannot be read."""
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


def _explain_spelling(first: Pattern, *more: Pattern) -> Problem:
    named = f"`{first.text}`" + (f" and {len(more)} more of its patterns" if more else "")
    message = (
        f"{named}: a deny of a chain only matches it as written, and another blank or command in it escapes"
    )
    cure = "deny what one command or its effect does, or use `unread(…)` for text that reaches a shell"
    return Weight.WARNING, Code.SPELLING, message, cure


def _meets_known_tool(hook: Hook, tools: ToolTable = STANDARD_TOOLS) -> bool:
    """Whether a prefix or expression matches a known tool, or a tool of an MCP server."""
    if any(match["name"].startswith(_FOREIGN) for match in _PREFIX.finditer(hook.matcher.text)):
        return True
    if "mcp" in hook.matcher.text:
        return True
    index = PatternIndex(hook.matcher.patterns, tools)
    views = (LocalCallView(event_of(ToolCall(name=name, input={})), index) for name in tools.known)
    return any(hook.matcher.fires(view, every_part=False) for view in views)


_MOST_SHOWN: Final = 2


def find_too_broad(policy: LintedPolicy) -> Iterator[Finding]:
    """Allows of what cannot be undone, and denies of everything."""
    judge = instant_engine(policy.policy.pipeline)
    for file in policy.files:
        allowed = [entry for entry in file.lists if entry.side == "allow"]
        for entry in allowed:
            others = [other.pattern for other in allowed if other.actor == entry.actor and other is not entry]
            yield from _find_broad_allow(entry, others, judge)
    for hook in policy.policy.hooks:
        always = not (hook.condition or hook.shadow or hook.observe)
        denies = isinstance(hook.matcher, Everything) and hook.handler.kind == "deny"
        if always and denies and EventName.PRE_TOOL_USE in hook.events:
            message = "it denies every tool call, so an agent can do nothing"
            cure = "name the tools or commands it is meant for"
            yield about_hook(hook, Weight.WARNING, Code.BROAD, message, cure)


def instant_engine(hooks: tuple[Hook, ...]) -> Engine:
    """The rules that answer at once: a lint starts no programs and calls nobody."""
    return Engine([hook for hook in hooks if hook.handler.instant])


def decide(engine: Engine, call: ToolCall, actor: str) -> Decision:
    """What the rules say about a call."""
    return engine.decide_sync(event_of(call, actor.replace("*", "main")))


def _find_broad_allow(entry: ListedPattern, others: Sequence[Pattern], judge: Engine) -> Iterator[Finding]:
    spec = STANDARD_TOOLS.spec(entry.pattern.tool)
    shell = spec is not None and spec.kind is SubjectKind.SHELL
    if shell and entry.pattern.glob is None and not entry.pattern.effect:
        message = f"`{entry.pattern.text}` allows every command, even those that Interlock cannot read"
        cure = "name programs, such as `Bash(npm test *)`, or remove the allow list and deny what is bad"
        yield entry.finding(Weight.WARNING, Code.BROAD, message, cure)
        return
    covered = [
        call
        for tool, argument in GRAVE
        if contributes(entry.pattern, others, call := _call(tool, argument))
        and decide(judge, call, entry.actor).outcome == "allow"
    ]
    if covered:
        shown = ", ".join(f"`{argument_of(call)}`" for call in covered[:_MOST_SHOWN])
        message = f"`{entry.pattern.text}` also allows {shown}"
        yield entry.finding(Weight.WARNING, Code.BROAD, message, "narrow it, or deny those calls beside it")


def _call(tool: str, argument: str) -> ToolCall:
    spec = STANDARD_TOOLS.spec(tool)
    return ToolCall(name=tool, input={str(spec.main) if spec else "command": argument})


_QUOTED: Final = re.compile(r"`(?P<command>[^`\n]+)`")
_PLACEHOLDER: Final = re.compile(r"<[^<>]*>|…|\.\.\.|\b[A-Z][A-Z_]+\b")


class _Advice(NamedTuple):
    file: str
    line: int
    rule: str
    text: str
    actor: str  # who would follow it


def find_bad_suggestions(policy: LintedPolicy) -> Iterator[Finding]:
    """Commands in backticks, in a hook's suggestion or an actor's guidance, that would be denied or asked."""
    everyone = instant_engine(policy.policy.pipeline)
    listed = {actor for file in policy.files for actor in file.record.permissions.actors}
    main = policy.policy.actors.main
    # The lists deny everything to an actor they do not name; that says nothing about the advice.
    unlisted = tuple(hook for hook in policy.policy.pipeline if hook.handler.kind != "genesis_enforcement")
    judge = everyone if main in listed else instant_engine(unlisted)
    for file in policy.files:
        for advice in _list_suggestions(file, main):
            yield from _try_advice(advice, judge)
        for advice in _list_guidance(file):
            yield from _try_advice(advice, everyone)


def _list_suggestions(file: PolicyFile, actor: str) -> Iterator[_Advice]:
    for event, entries in file.record.hooks.items():
        for index, entry in enumerate(entries):
            # A reason names what is bad, in backticks too; only a suggestion is advice.
            text = getattr(entry.config, "suggestion", None)
            if text and entry.enabled:
                path = ("hooks", event, index, "config", "suggestion")
                name = file.prefix + str(entry.name or f"{event}[{index}]")
                yield _Advice(file.document.file, file.line(path), name, text, actor)


def _list_guidance(file: PolicyFile) -> Iterator[_Advice]:
    for actor, entry in file.record.permissions.actors.items():
        path = ("permissions", "actors", actor, "guidance")
        texts: dict[tuple[str, ...], str] = {}
        if isinstance(entry.guidance, str):
            texts = {(): entry.guidance}
        elif isinstance(entry.guidance, dict):
            texts = {(key,): text for key, text in entry.guidance.items()}
        for key, text in texts.items():
            yield _Advice(file.document.file, file.line((*path, *key)), f"{actor} guidance", text, actor)


def _try_advice(advice: _Advice, judge: Engine) -> Iterator[Finding]:
    for command in _commands(advice.text):
        decision = decide(judge, ToolCall(name="Bash", input={"command": command}), advice.actor)
        if decision.vote < Vote.ASK:
            continue
        denied = decision.vote is Vote.DENY
        word = "denied" if denied else "asked about"
        weight = Weight.ERROR if denied else Weight.WARNING
        place = (advice.file, advice.line, advice.rule)
        message = f"it suggests `{command}`, which is itself {word} by `{decision.decided_by}`"
        cure = "suggest something that the policy allows"
        yield Finding(weight, Code.SUGGESTION, *place, message, cure)


def _commands(text: str) -> Iterator[str]:
    """The texts in backticks that begin with a known program; placeholders become plain words."""
    for quoted in _QUOTED.finditer(text):
        command = _PLACEHOLDER.sub("x", quoted["command"]).strip()
        if find_program(command.partition(" ")[0]) is not None:
            yield command
