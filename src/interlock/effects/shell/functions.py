"""The functions of a text: read where they are called; uncalled ones are read at the end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

import msgspec

from interlock.effects.command import GapKind
from interlock.effects.effect import Word
from interlock.effects.shell.control_flow import join
from interlock.effects.shell.feed import NO_FEED, Feed
from interlock.effects.shell.scope import Scope
from interlock.effects.shell.syntax import Block, BlockKind, Chain, Function, Node, Pipe, Simple

if TYPE_CHECKING:
    from interlock.effects.shell.walk import Walker

_MAX_NODES: Final = 200  # of one function, and functions of one text; fork bombs are short
_LEAVING: Final = frozenset({"return", "exit", "exec", "break", "continue"})
_GOING_ON: Final = frozenset({BlockKind.GROUP, BlockKind.SUBSHELL, BlockKind.BACKGROUND})

Call = tuple[str, bool]  # a name, and whether it runs in another process at the same time


def starts_itself(name: str, functions: Mapping[str, tuple[str, Node]]) -> bool:
    """Return whether a function certainly calls itself again in another process: a fork bomb."""
    waiting: list[Call] = [(name, False)]
    followed: set[Call] = set()
    while waiting and len(followed) < _MAX_NODES:
        caller, apart = waiting.pop()
        for called, beside in _sure_calls(functions[caller][1]):
            call = (called, apart or beside)
            if call == (name, True):
                return True
            if called in functions and call not in followed:
                followed.add(call)
                waiting.append(call)
    return False


def _sure_calls(body: Node) -> Iterator[Call]:
    """Yield the calls a body always makes: none in a branch or loop, or after a command that may leave it."""
    waiting: list[tuple[Node, bool]] = [(body, False)]
    for _ in range(_MAX_NODES):
        if not waiting:
            return
        node, beside = waiting.pop()
        if isinstance(node, Simple) and node.name not in _LEAVING:
            yield node.name, beside
        elif isinstance(node, Pipe):
            waiting += [(part, True) for part in reversed(node.parts)]
        elif isinstance(node, Chain):
            if _may_leave(node):
                return
            waiting.append((node.first, beside))
        elif isinstance(node, Block) and node.kind in _GOING_ON:
            beside = beside or node.kind is BlockKind.BACKGROUND
            waiting += [(item, beside) for item in reversed(node.bodies[0].items)]
        elif _may_leave(node):
            return


def _may_leave(node: Node) -> bool:
    if isinstance(node, Chain):
        return any(_may_leave(part) for part in (node.first, *(part for _, part in node.rest)))
    if isinstance(node, Block):
        return any(_may_leave(item) for body in node.bodies for item in body.items)
    return isinstance(node, Simple) and node.name in _LEAVING


_MAX_CALLS: Final = 6
_SHELL: Final = Word("$0", fixed=False)


class Functions(msgspec.Struct):
    """The functions of one text; without a reference to the walker, both need no garbage collector."""

    _depth: int = 0  # of calls that are being followed
    _uncalled: dict[int, tuple[str, Node, Scope]] = {}  # by the identity of their body
    _called: set[int] = set()  # the bodies that were called
    _deep: set[int] = set()  # the bodies that were called at the greatest depth

    def define(self, node: Function, scope: Scope, walker: Walker) -> None:
        """Define a function."""
        scope.define(node.name, walker.text, node.body)
        self._uncalled[id(node.body)] = (walker.text, node.body, walker.apart(scope))

    def call(self, name: str, words: tuple[Word, ...], scope: Scope, feed: Feed, walker: Walker) -> None:
        """Read the body of a function with its arguments."""
        text, body = scope.functions[name]
        if id(body) not in self._called:
            self._called.add(id(body))
            if starts_itself(name, scope.functions):
                walker.findings.gap(GapKind.ENDLESS, f"`{name}` calls itself without end", text)
        if self._depth >= _MAX_CALLS:  # read later, with unknown arguments
            if id(body) not in self._deep:
                self._deep.add(id(body))
                self._uncalled[id(body)] = (text, body, walker.apart(scope))
            return
        if id(body) not in self._deep:
            self._uncalled.pop(id(body), None)
        before, here = scope.remember(), walker.text
        # In a function, `$0` is still the name of the shell.
        scope.parameters = ((before.parameters or (_SHELL,))[0], *words[1:])
        scope.early, scope.own, walker.text = False, frozenset(), text
        self._depth += 1
        walker.node(body, scope, feed)
        self._depth -= 1
        walker.text = here
        scope.parameters = before.parameters
        if scope.early:  # it may not have set everything
            join(scope, before)
        if scope.own:  # it may have set these globally before it made them local
            scope.forget(scope.own)
        scope.early, scope.own = before.early, before.own

    def read_uncalled(self, walker: Walker) -> None:
        """Read functions that are never called, or called too deep, with everything unknown."""
        here = walker.text
        while self._uncalled:
            _, (walker.text, body, scope) = self._uncalled.popitem()
            scope.forget(set(scope.variables))
            scope.folders, scope.parameters = (), None
            walker.node(body, scope, NO_FEED)
        walker.text = here
