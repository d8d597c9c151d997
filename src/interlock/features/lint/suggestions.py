"""Advice that the policy itself would stop: an agent that follows it runs into the next wall."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from interlock.effects.programs.lookup import program_named
from interlock.engine.engine import Engine
from interlock.events.hook import Hook
from interlock.events.tool import ToolCall
from interlock.events.verdict import Vote
from interlock.features.lint.breadth import decided, instant_engine
from interlock.features.lint.finding import Code, Finding, Weight
from interlock.features.lint.written import Written, WrittenFile

_QUOTED: Final = re.compile(r"`(?P<command>[^`\n]+)`")
_PLACEHOLDER: Final = re.compile(r"<[^<>]*>|…|\.\.\.|\b[A-Z][A-Z_]+\b")


class _Advice(NamedTuple):
    file: str
    line: int
    rule: str
    text: str
    actor: str  # who would follow it


def bad_suggestions(policy: Written) -> Iterator[Finding]:
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


def _of_hooks(file: WrittenFile, actor: str) -> Iterator[_Advice]:
    for event, entries in file.record.hooks.items():
        for index, entry in enumerate(entries):
            # A reason names what is bad, in backticks too; only a suggestion is advice.
            text = getattr(entry.config, "suggestion", None)
            if text and entry.enabled:
                path = ("hooks", event, index, "config", "suggestion")
                name = file.prefix + str(entry.name or f"{event}[{index}]")
                yield _Advice(file.document.file, file.line(path), name, text, actor)


def _of_actors(file: WrittenFile) -> Iterator[_Advice]:
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
        decision = decided(judge, ToolCall(name="Bash", input={"command": command}), advice.actor)
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
            message=f"it advises `{command}`, which is itself {word} by `{decision.decided_by}`",
            cure="advise what the policy lets pass",
        )


def _commands(text: str) -> Iterator[str]:
    """What stands in backticks and begins with a program we know; placeholders become plain words."""
    for quoted in _QUOTED.finditer(text):
        command = _PLACEHOLDER.sub("x", quoted["command"]).strip()
        if program_named(command.partition(" ")[0]) is not None:
            yield command
