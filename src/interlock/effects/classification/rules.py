"""A table of rules that say what tools do, by regular expressions in linear time."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import msgspec
import re2

from interlock.effects.classification.classes import Classified, Replay, SideEffect, replay_of

_REMEMBERED: Final = 1_024  # names, so that made-up ones cannot fill the memory


class ToolRule(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a table."""

    id: str
    tools: str  # an RE2 expression for the whole name, without its namespace
    effect: SideEffect
    namespace: str = ".*"  # an RE2 expression for the whole namespace
    replay: Replay | None = None  # None: as the class has it
    same_by: tuple[str, ...] = ()


def compiled(expression: str) -> Any:
    """An expression ready to match whole names in any case; raise ValueError when it is none."""
    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    options.never_nl = False
    try:
        return re2.compile(expression, options)
    except re2.error as error:
        words = error.args[0].decode("utf-8", "replace") if isinstance(error.args[0], bytes) else error
        raise ValueError(f"`{expression}` is not an RE2 expression: {words}; correct it") from error


class ToolRules:
    """Rules in order, those of overlays first; the first that fits stands."""

    def __init__(self, rules: Iterable[ToolRule] = ()) -> None:
        self.rules: Final = tuple(rules)
        self._compiled: Final = [(compiled(one.namespace), compiled(one.tools), one) for one in self.rules]
        self._known: Final[dict[tuple[str, str], Classified | None]] = {}

    def find(self, namespace: str, tool: str) -> Classified | None:
        """What the first fitting rule says of a tool."""
        name = (namespace, tool)
        if name not in self._known:
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            self._known[name] = self._find(namespace, tool)
        return self._known[name]

    def _find(self, namespace: str, tool: str) -> Classified | None:
        for spaces, tools, rule in self._compiled:
            if spaces.fullmatch(namespace) and tools.fullmatch(tool):
                return Classified(
                    effect=rule.effect,
                    replay=rule.replay or replay_of(rule.effect),
                    namespace=namespace,
                    tool=tool,
                    matched="policy",
                    rule=rule.id,
                    same_by=rule.same_by,
                )
        return None


NO_RULES: Final = ToolRules()
