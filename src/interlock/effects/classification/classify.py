"""What a call changes: by the policy's table, by what is known of the tool, by the words of its name."""

from __future__ import annotations

from typing import Final

from interlock.effects.classification.classes import Classified, SideEffect, replay_of
from interlock.effects.classification.known import KNOWN, by_words, known_replay
from interlock.effects.classification.naming import HOST, split_name
from interlock.effects.classification.rules import NO_RULES, ToolRules
from interlock.effects.classification.shell import class_of_shell
from interlock.events.hook import CallView
from interlock.events.tool import SubjectKind, ToolCall
from interlock.events.tool_table import STANDARD_TOOLS


class Classifier:
    """Says what calls change under one table of rules; what nobody knows is external."""

    def __init__(self, rules: ToolRules = NO_RULES) -> None:
        self._rules: Final = rules

    def of(self, tool: ToolCall, view: CallView) -> Classified:
        """The class of a call."""
        namespace, name = split_name(tool.name)
        found = self._rules.find(namespace, name)
        if found is not None:
            return found
        effect, matched, rule = _told(namespace, name, view)
        replay = (known_replay(name, effect) if namespace == HOST else None) or replay_of(effect)
        return Classified(
            effect=effect, replay=replay, namespace=namespace, tool=name, matched=matched, rule=rule
        )


def is_shell(name: str) -> bool:
    """Whether a tool's text is read as a shell's."""
    spec = STANDARD_TOOLS.spec(name)
    return spec is not None and spec.kind is SubjectKind.SHELL


def _told(namespace: str, name: str, view: CallView) -> tuple[SideEffect, str, str]:
    if namespace == HOST and is_shell(name):
        effect, word = class_of_shell(view)
        return effect, "reading", word
    if namespace == HOST and name in KNOWN:
        return KNOWN[name], "known", name
    found = by_words(namespace, name)
    return (found[0], "verb", found[1]) if found else (SideEffect.EXTERNAL, "default", "")
