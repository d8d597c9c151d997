"""Rules that allow, or stop, more than anyone means."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from interlock.effects.programs.lookup import find_program
from interlock.engine.engine import Engine
from interlock.events.decision import Decision
from interlock.events.hook import Hook, Pattern
from interlock.events.names import EventName
from interlock.events.tool import SubjectKind, ToolCall
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.events.verdict import Vote
from interlock.features.lint.policy_files import (
    Code,
    Finding,
    LintedPolicy,
    ListedPattern,
    PolicyFile,
    Weight,
    about_hook,
)
from interlock.features.lint.samples import GRAVE, argument_of, contributes, event_of
from interlock.patterns.matcher import Everything

_SHOWN: Final = 2


def too_broad(policy: LintedPolicy) -> Iterator[Finding]:
    """Allows that cover what cannot be taken back, and denies that stop everything."""
    judge = instant_engine(policy.policy.pipeline)
    for file in policy.files:
        allowed = [one for one in file.lists if one.side == "allow"]
        for one in allowed:
            others = [other.pattern for other in allowed if other.actor == one.actor and other is not one]
            yield from _broad_allow(one, others, judge)
    for hook in policy.policy.hooks:
        if _denies_everything(hook):
            message = "it denies every tool call, so an agent can do nothing"
            cure = "name the tools or commands it is meant for"
            yield about_hook(hook, Weight.WARNING, Code.BROAD, message, cure)


def instant_engine(hooks: tuple[Hook, ...]) -> Engine:
    """The rules that answer at once: a lint starts no programs and calls nobody."""
    return Engine([hook for hook in hooks if hook.handler.instant])


def decide(engine: Engine, call: ToolCall, actor: str) -> Decision:
    """What the rules say about a call."""
    return engine.decide_sync(event_of(call, actor.replace("*", "main")))


def _broad_allow(one: ListedPattern, others: Sequence[Pattern], judge: Engine) -> Iterator[Finding]:
    spec = STANDARD_TOOLS.spec(one.pattern.tool)
    shell = spec is not None and spec.kind is SubjectKind.SHELL
    if shell and one.pattern.glob is None and not one.pattern.effect:
        message = f"`{one.pattern.text}` allows every command, even those that Interlock cannot read"
        cure = "name programs, such as `Bash(npm test *)`, or remove the allow list and deny what is bad"
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
    return decide(judge, call, actor).outcome == "allow"


def _denies_everything(hook: Hook) -> bool:
    bare = not (hook.condition or hook.shadow or hook.observe)
    everything = isinstance(hook.matcher, Everything) and hook.handler.kind == "deny"
    return bare and everything and EventName.PRE_TOOL_USE in hook.events


_QUOTED: Final = re.compile(r"`(?P<command>[^`\n]+)`")
_PLACEHOLDER: Final = re.compile(r"<[^<>]*>|…|\.\.\.|\b[A-Z][A-Z_]+\b")


class _Advice(NamedTuple):
    file: str
    line: int
    rule: str
    text: str
    actor: str  # who would follow it


def bad_suggestions(policy: LintedPolicy) -> Iterator[Finding]:
    """Commands in backticks, in a hook's suggestion or an actor's guidance, that would be denied or asked."""
    everyone = instant_engine(policy.policy.pipeline)
    listed = {actor for file in policy.files for actor in file.record.permissions.actors}
    main = policy.policy.actors.main
    # Whom no list names is denied everything by the lists; that says nothing about the advice.
    judge = everyone if main in listed else instant_engine(_without_lists(policy.policy.pipeline))
    for file in policy.files:
        for advice in _of_hooks(file, main):
            yield from _tried(advice, judge)
        for advice in _of_actors(file):
            yield from _tried(advice, everyone)


def _without_lists(hooks: tuple[Hook, ...]) -> tuple[Hook, ...]:
    return tuple(hook for hook in hooks if hook.handler.kind != "genesis_enforcement")


def _of_hooks(file: PolicyFile, actor: str) -> Iterator[_Advice]:
    for event, entries in file.record.hooks.items():
        for index, entry in enumerate(entries):
            # A reason names what is bad, in backticks too; only a suggestion is advice.
            text = getattr(entry.config, "suggestion", None)
            if text and entry.enabled:
                path = ("hooks", event, index, "config", "suggestion")
                name = file.prefix + str(entry.name or f"{event}[{index}]")
                yield _Advice(file.document.file, file.line(path), name, text, actor)


def _of_actors(file: PolicyFile) -> Iterator[_Advice]:
    for actor, entry in file.record.permissions.actors.items():
        path = ("permissions", "actors", actor, "guidance")
        said: dict[tuple[str, ...], str] = {}
        if isinstance(entry.guidance, str):
            said = {(): entry.guidance}
        elif isinstance(entry.guidance, dict):
            said = {(key,): text for key, text in entry.guidance.items()}
        for key, text in said.items():
            yield _Advice(file.document.file, file.line((*path, *key)), f"{actor} guidance", text, actor)


def _tried(advice: _Advice, judge: Engine) -> Iterator[Finding]:
    for command in _commands(advice.text):
        decision = decide(judge, ToolCall(name="Bash", input={"command": command}), advice.actor)
        if decision.vote < Vote.ASK:
            continue
        denied = decision.vote is Vote.DENY
        word = "denied" if denied else "asked about"
        yield Finding(
            weight=Weight.ERROR if denied else Weight.WARNING,
            code=Code.SUGGESTION,
            file=advice.file,
            line=advice.line,
            rule=advice.rule,
            message=f"it suggests `{command}`, which is itself {word} by `{decision.decided_by}`",
            cure="suggest something that the policy allows",
        )


def _commands(text: str) -> Iterator[str]:
    """What stands in backticks and begins with a program we know; placeholders become plain words."""
    for quoted in _QUOTED.finditer(text):
        command = _PLACEHOLDER.sub("x", quoted["command"]).strip()
        if find_program(command.partition(" ")[0]) is not None:
            yield command
