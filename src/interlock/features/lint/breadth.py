"""Rules that let pass, or stop, more than anyone means."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from interlock.engine.engine import Engine
from interlock.events.decision import Decision
from interlock.events.hook import Hook, Pattern
from interlock.events.names import EventName
from interlock.events.tool import SubjectKind, ToolCall
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.features.lint.finding import Code, Finding, Weight
from interlock.features.lint.samples import GRAVE, argument_of, contributes, event_of
from interlock.features.lint.written import ListedPattern, Written, about_hook
from interlock.patterns.matcher import Everything

_SHOWN: Final = 2


def too_broad(policy: Written) -> Iterator[Finding]:
    """Allows that cover what cannot be taken back, and denies that stop everything."""
    judge = instant_engine(policy.policy.pipeline)
    for file in policy.files:
        allowed = [one for one in file.lists if one.side == "allow"]
        for one in allowed:
            others = [other.pattern for other in allowed if other.actor == one.actor and other is not one]
            yield from _broad_allow(one, others, judge)
    for hook in policy.policy.hooks:
        if _denies_everything(hook):
            message = "it denies every tool call, so an agent can do nothing at all"
            cure = "name the tools or commands it is meant for"
            yield about_hook(hook, Weight.WARNING, Code.BROAD, message, cure)


def instant_engine(hooks: tuple[Hook, ...]) -> Engine:
    """The rules that answer at once: a lint starts no programs and calls nobody."""
    return Engine([hook for hook in hooks if hook.handler.instant])


def decided(engine: Engine, call: ToolCall, actor: str) -> Decision:
    """What the rules say about a call."""
    return engine.decide_sync(event_of(call, actor.replace("*", "main")))


def _broad_allow(one: ListedPattern, others: Sequence[Pattern], judge: Engine) -> Iterator[Finding]:
    spec = STANDARD_TOOLS.spec(one.pattern.tool)
    shell = spec is not None and spec.kind is SubjectKind.SHELL
    if shell and one.pattern.glob is None and not one.pattern.effect:
        message = f"`{one.pattern.text}` allows every command, also what cannot be read"
        cure = "name programs, as in `Bash(npm test *)`, or leave out the allow list and deny what is bad"
        yield one.finding(Weight.WARNING, Code.BROAD, message, cure)
        return
    covered = [
        call
        for call in _grave_calls()
        if contributes(one.pattern, others, call) and _passes(judge, call, one.actor)
    ]
    if covered:
        shown = ", ".join(f"`{argument_of(call)}`" for call in covered[:_SHOWN])
        message = f"`{one.pattern.text}` also allows {shown}"
        yield one.finding(Weight.WARNING, Code.BROAD, message, "narrow it, or deny those calls beside it")


def _grave_calls() -> Iterator[ToolCall]:
    for tool, argument in GRAVE:
        spec = STANDARD_TOOLS.spec(tool)
        yield ToolCall(name=tool, input={str(spec.main) if spec else "command": argument})


def _passes(judge: Engine, call: ToolCall, actor: str) -> bool:
    return decided(judge, call, actor).outcome == "allow"


def _denies_everything(hook: Hook) -> bool:
    bare = not (hook.condition or hook.shadow or hook.observe)
    everything = isinstance(hook.matcher, Everything) and hook.handler.kind == "deny"
    return bare and everything and EventName.PRE_TOOL_USE in hook.events
