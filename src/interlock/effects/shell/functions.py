"""The functions of a text: read where they are called, and those that nobody calls by themselves."""

from __future__ import annotations

from typing import Final, Protocol

from interlock.effects.command import GapKind
from interlock.effects.shell.endless import starts_itself
from interlock.effects.shell.feed import NO_FEED, Feed
from interlock.effects.shell.findings import Findings
from interlock.effects.shell.joining import join
from interlock.effects.shell.scope import Scope
from interlock.effects.shell.syntax import Function, Node
from interlock.effects.word import Word

_MAX_CALLS: Final = 6
_SHELL: Final = Word("$0", fixed=False)


class Reader(Protocol):
    """Who reads the bodies."""

    text: str  # in which the places of what is read count

    @property
    def found(self) -> Findings:
        """What is found on the way."""

    def node(self, node: Node, scope: Scope, feed: Feed) -> Feed:
        """Follow one command."""

    def apart(self, scope: Scope) -> Scope:
        """The scope of a process of its own."""


class Functions:
    """Those of one text."""

    # They do not hold their reader, who holds them: both are freed without a collector.
    __slots__ = ("_called", "_calls", "_deep", "_uncalled")

    def __init__(self) -> None:
        self._calls = 0  # that are being followed
        self._uncalled: dict[int, tuple[str, Node, Scope]] = {}  # by the identity of their body
        self._called: set[int] = set()  # whatever they are called with
        self._deep: set[int] = set()  # those that call themselves further than anyone follows

    def define(self, node: Function, scope: Scope, reader: Reader) -> None:
        """A name stands for a body from here on."""
        scope.define(node.name, reader.text, node.body)
        self._uncalled[id(node.body)] = (reader.text, node.body, reader.apart(scope))

    def call(self, name: str, words: tuple[Word, ...], scope: Scope, feed: Feed, reader: Reader) -> None:
        """Read the body of a function with the words it is given."""
        text, body = scope.functions[name]
        if id(body) not in self._called:
            self._called.add(id(body))
            if starts_itself(name, scope.functions):
                reader.found.gap(GapKind.ENDLESS, f"`{name}` starts itself over and over", text)
        if self._calls >= _MAX_CALLS:  # not followed any more: its words are not known
            if id(body) not in self._deep:
                self._deep.add(id(body))
                self._uncalled[id(body)] = (text, body, reader.apart(scope))
            return
        if id(body) not in self._deep:
            self._uncalled.pop(id(body), None)
        before, here = scope.remember(), reader.text
        # `$0` is not the name of a function, but of the shell.
        scope.parameters = ((before.parameters or (_SHELL,))[0], *words[1:])
        scope.early, scope.own, reader.text = False, frozenset(), text
        self._calls += 1
        reader.node(body, scope, feed)
        self._calls -= 1
        reader.text = here
        scope.parameters = before.parameters
        if scope.early:  # what it may not have set
            join(scope, before)
        if scope.own:  # may have been set for all before it became its own
            scope.forget(scope.own)
        scope.early, scope.own = before.early, before.own

    def read_uncalled(self, reader: Reader) -> None:
        """A function that is never called here, or too deep, is read as if anything could be."""
        here = reader.text
        while self._uncalled:
            _, (reader.text, body, scope) = self._uncalled.popitem()
            scope.forget(set(scope.variables))
            scope.folders, scope.parameters = (), None
            reader.node(body, scope, NO_FEED)
        reader.text = here
