"""Functions that start themselves in processes of their own, over and over: fork bombs, by whatever name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from interlock.effects.shell.syntax import Block, BlockKind, Chain, Node, Pipe, Simple

_MAX_NODES: Final = 200  # of one function, and functions of one text: nobody writes a longer bomb
_LEAVING: Final = frozenset({"return", "exit", "exec", "break", "continue"})
_GOING_ON: Final = frozenset({BlockKind.GROUP, BlockKind.SUBSHELL, BlockKind.BACKGROUND})

Call = tuple[str, bool]  # a name, and whether it runs in a process of its own beside this one


def starts_itself(name: str, functions: Mapping[str, tuple[str, Node]]) -> bool:
    """Whether a function surely comes round to itself, and on the way starts a process of its own."""
    waiting: list[Call] = [(name, False)]
    seen: set[Call] = set()
    while waiting and len(seen) < _MAX_NODES:
        one, apart = waiting.pop()
        for called, beside in _sure_calls(functions[one][1]):
            found = (called, apart or beside)
            if found == (name, True):
                return True
            if called in functions and found not in seen:
                seen.add(found)
                waiting.append(found)
    return False


def _sure_calls(body: Node) -> Iterator[Call]:
    """What a body runs whatever happens: nothing of a branch, a loop, or behind what may leave it."""
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
