"""From the shape of a text to the commands it would run: scopes, branches, pipes, substitutions."""

from __future__ import annotations

import re
from typing import Final

from interlock.reading.command import GapKind
from interlock.reading.effect import Effect
from interlock.reading.shell.arithmetic import names_counted
from interlock.reading.shell.assigned import assign, assigned_all
from interlock.reading.shell.builtins import BUILTINS
from interlock.reading.shell.counting import count_names, count_words, looped_values, set_aside
from interlock.reading.shell.expand import expand_all, single, text_of
from interlock.reading.shell.feed import NO_FEED, PASSING_ON, SEVERAL, Feed, FeedKind, several
from interlock.reading.shell.findings import Findings, Printed
from interlock.reading.shell.grammar import Grammar
from interlock.reading.shell.place import Place
from interlock.reading.shell.plain import plain_chain, run_plain
from interlock.reading.shell.redirects import follow_redirects, make_file, note_block
from interlock.reading.shell.run import FEW, run
from interlock.reading.shell.scope import Scope, moves_in, names_in
from interlock.reading.shell.setting import Setting
from interlock.reading.shell.syntax import (
    Block,
    BlockKind,
    Chain,
    Expansion,
    Function,
    Node,
    Pipe,
    Simple,
    Substitution,
)
from interlock.reading.word import Word

_UNSET: Final = object()
_COUNTING: Final = re.compile(r"(?:for|select)\s*\(\((.*?)\)\)", re.DOTALL)
_MAX_CALLS: Final = 6
_MAX_TEXTS: Final = 12
_CHARACTERS: Final = 8  # of a text to read, names of a scope to copy: as much work as one word
# Names of the module are found sooner than members of a class.
_NONE, _TEXT, _OPEN = FeedKind.NONE, FeedKind.TEXT, FeedKind.OPEN
_TEST, _GROUP, _LOOP, _BRANCH = BlockKind.TEST, BlockKind.GROUP, BlockKind.LOOP, BlockKind.BRANCH


class Walker:
    """Walks one text; texts inside it (`sh -c`) get a walker of their own with the same findings."""

    def __init__(self, text: str, found: Findings, via: tuple[str, ...] = (), depth: int = 0) -> None:
        self.text = text  # of the commands being read: backticks and functions may stand in another
        self.found: Final = found
        self._via = via
        self._depth: Final = depth
        self._calls = 0
        self._turning = False  # whether a loop is read for one of its values
        self._asked, self._last = "", False  # whether this text may run the last part of a pipe itself
        self._uncalled: dict[int, tuple[str, Node, Scope]] = {}  # functions, by the identity of their body
        self._names: dict[int, frozenset[str]] = {}  # that blocks may set, by the identity of the block
        self._deep: set[int] = set()  # those that call themselves further than anyone follows

    def read(self, scope: Scope) -> None:
        """Read the whole text in this scope."""
        plain = plain_chain(self.text)
        if plain is not None:
            self._items((plain,), scope, NO_FEED)
            return  # it defines no function
        grammar = Grammar(self.text)
        nodes, stuck = grammar.read()
        self._items(tuple(nodes), scope, NO_FEED)
        self._read_uncalled()
        if stuck is not None:
            start = self._end_of(nodes)
            kind = GapKind.LIMIT if stuck.limit else GapKind.SYNTAX
            self.found.gap(kind, stuck.why, self.text[start:], stuck.position)
            return
        for why, start, end in grammar.doubts:
            self.found.gap(GapKind.SYNTAX, why, self.text[start:end], start)

    def read_text(self, text: str, scope: Scope, via: tuple[str, ...]) -> None:
        """Read a text that this one hands to a shell."""
        if self._depth >= _MAX_TEXTS:
            self.found.gap(GapKind.LIMIT, "nested too deep", text)
            return
        self.found.spend(len(text) // _CHARACTERS)
        Walker(text, self.found, via, self._depth + 1).read(scope)

    @staticmethod
    def _end_of(nodes: list[Node]) -> int:
        """Where the last command that was read in full ends, as far as it says so."""
        last = nodes[-1] if nodes else None
        # A chain or pipe does not say where it ends; the gap is then the whole text.
        return last.end if isinstance(last, Simple | Block | Function) else 0

    # --- nodes -------------------------------------------------------------------------------------

    def _items(self, items: tuple[Node, ...], scope: Scope, feed: Feed) -> Feed:
        decoded, network, before = False, False, scope.folders
        for node in items:
            if type(node) is Simple:
                printed = self._simple(node, scope, feed)
            else:
                printed = self._node(node, scope, feed)
            if scope.folders is not before:
                if scope.folders != before:
                    scope.perhaps(before)
                before = scope.folders
            if len(items) == 1:
                return printed
            if printed.decoded:
                decoded = True
            if printed.network:
                network = True
        return several(decoded, network) if decoded or network else SEVERAL

    def _node(self, node: Node, scope: Scope, feed: Feed) -> Feed:
        if type(node) is Block:
            return self._block(node, scope, feed)
        if type(node) is Chain:
            return self._chain(node, scope, feed)
        if type(node) is Simple:
            return self._simple(node, scope, feed)
        if type(node) is Pipe:
            return self._pipe(node, scope, feed)
        if type(node) is Function:
            self._function(node, scope)
        return NO_FEED

    def _chain(self, node: Chain, scope: Scope, feed: Feed) -> Feed:
        start = scope.folders
        first = node.first
        printed = (
            self._simple(first, scope, feed) if type(first) is Simple else self._node(first, scope, feed)
        )
        decoded, network = printed.decoded, printed.network
        sure, defined = scope.lend(), len(scope.functions)
        for operator, part in node.rest:
            before = scope.folders
            if operator == "||":
                scope.doubt_after(defined)
                if before is not start and before != start:
                    scope.perhaps(start)
            printed = (
                self._simple(part, scope, feed) if type(part) is Simple else self._node(part, scope, feed)
            )
            decoded, network = decoded or printed.decoded, network or printed.network
            if operator == "||" and scope.folders is not before and scope.folders != before:
                scope.perhaps(before)
        if scope.variables is not sure and scope.variables != sure:
            unsure = (name for name, value in scope.variables.items() if sure.get(name, _UNSET) != value)
            scope.forget(set(unsure))
        scope.doubt_after(defined)
        return several(decoded, network) if decoded or network else SEVERAL

    def _pipe(self, node: Pipe, scope: Scope, feed: Feed) -> Feed:
        for part in node.parts:
            apart = self._apart(scope)
            feed = self._simple(part, apart, feed) if type(part) is Simple else self._node(part, apart, feed)
            if feed.kind is _NONE:
                feed = Feed(_OPEN, "another program")
        if self._asked is not self.text:  # the whole text is looked through once, not for every pipe
            self._asked, self._last = self.text, "lastpipe" in self.text
        if self._last:
            scope.lost = True
            scope.enter(None)
        return feed

    def _apart(self, scope: Scope) -> Scope:
        """The scope of a process of its own."""
        names = len(scope.variables) + len(scope.functions)
        if names >= _CHARACTERS:
            self.found.spend(names // _CHARACTERS)
        return scope.copy()

    def _block(self, node: Block, scope: Scope, feed: Feed) -> Feed:
        away = False
        if node.redirects:
            written = self.text[node.start : node.end]
            feed, writes, away = follow_redirects(node.redirects, feed, scope, self, written)
            place = Place(self.text, node.redirects[0].start, node.end, (), node.redirects)
            note_block(place, scope, self._via, writes, self.found)
        kind = node.kind
        if kind is _TEST:
            self._test(node, scope)
        elif kind is _BRANCH or kind is _LOOP:
            self._perhaps(node, scope, feed)
        else:
            inside = scope if kind is _GROUP else self._apart(scope)
            printed = self._items(node.bodies[0].items, inside, feed)
            if not away:
                return printed
        return SEVERAL

    def _perhaps(self, node: Block, scope: Scope, feed: Feed) -> None:
        """Branches and loops: what they set is known neither before nor after them."""
        text, kind, variable = self.text[node.start : node.end], node.kind, node.variable
        values = looped_values(node, scope, self, self._via, text) if node.words else ()
        if kind is _LOOP and (counting := _COUNTING.match(text)):
            names = names_counted(counting[1])
            count_names(names, scope, self.found, self._via, counting.group())
        assigned = self._names.get(id(node))
        if assigned is None:
            assigned = self._names[id(node)] = names_in(text)
        scope.forget_any(assigned)
        if variable:
            scope.assign(variable, None)
            set_aside((variable,), scope, self.found, self._via, text)
        if kind is _LOOP and moves_in(text):
            scope.enter(None)
        if values and not self._turning:  # loops in loops would take too many turns
            self._turning = True
            for name, value in values:
                inside = self._apart(scope)
                inside.assign(name, value)
                self._items(node.bodies[-1].items, inside, feed)
            self._turning = False
        defined = len(scope.functions)
        for body in node.bodies:
            before = scope.folders
            self._items(body.items, scope, feed)
            if scope.folders is not before:
                scope.perhaps(before)
            scope.doubt_after(defined)
        scope.forget_any(assigned)
        if variable:
            scope.assign(variable, None)

    def _test(self, node: Block, scope: Scope) -> None:
        if node.parts:
            text_of(node.parts, scope, self)
        text = self.text[node.start : node.end]
        if text.startswith("(("):
            count_names(names_counted(text), scope, self.found, self._via, text)
            return
        for word in node.words:
            value = single(word, scope, self)
            meant = Word(scope.variables.get(value.text) or "")
            count_words([value, meant], scope, self.found, self._via, text)

    def _function(self, node: Function, scope: Scope) -> None:
        scope.define(node.name, self.text, node.body)
        self._uncalled[id(node.body)] = (self.text, node.body, self._apart(scope))

    def _read_uncalled(self) -> None:
        """A function that is never called here, or too deep, is read as if anything could be."""
        here = self.text
        while self._uncalled:
            _, (self.text, body, scope) = self._uncalled.popitem()
            scope.forget(set(scope.variables))
            scope.folders, scope.parameters = (), None
            self._node(body, scope, NO_FEED)
        self.text = here

    def call(self, name: str, words: tuple[Word, ...], scope: Scope, feed: Feed) -> None:
        """Read the body of a function with the words it is given."""
        if self._calls >= _MAX_CALLS:
            self._deepest(name, scope)
            return
        outer = scope.parameters
        settled = all(word.fixed for word in words)
        count_words(words[1:], scope, self.found, self._via, scope.functions[name][0])
        scope.parameters = tuple(word.text for word in words) if settled else None
        here = self.text
        self.text, body = scope.functions[name]
        if id(body) not in self._deep:
            self._uncalled.pop(id(body), None)
        self._calls, before, defined = self._calls + 1, scope.lend(), len(scope.functions)
        self._node(body, scope, feed)
        scope.doubt_after(defined)  # it may have returned before
        scope.leave(before, self.text)
        self._calls -= 1
        self.text = here
        scope.parameters = outer

    def _deepest(self, name: str, scope: Scope) -> None:
        """A call that is not followed any more: its words are not known."""
        text, body = scope.functions[name]
        if id(body) not in self._deep:
            self._deep.add(id(body))
            self._uncalled[id(body)] = (text, body, self._apart(scope))

    # --- simple commands ---------------------------------------------------------------------------

    def _simple(self, node: Simple, scope: Scope, feed: Feed) -> Feed:
        words = node.plain
        if words is None:
            return self._spelled(node, scope, feed)
        if feed is NO_FEED and len(self.found.commands) < FEW:
            printed = run_plain(node, self.text, scope, self._via, self.found)
            if printed is not None:
                return printed
        text, start, end = self.text, node.start, node.end
        written = text[start:end]
        if "\\\n" in written:
            written = written.replace("\\\n", "")
        return self._program(node, words, written, scope, feed)

    def _spelled(self, node: Simple, scope: Scope, feed: Feed) -> Feed:
        """Follow a command whose words take more than to be told apart, or that has more than words."""
        words = expand_all(node.words, scope, self)
        arrays: dict[str, tuple[str, ...]] = {}
        environment: tuple[tuple[str, Word], ...] = ()
        if node.assignments:
            environment = assigned_all(node.assignments, self.text, scope, arrays, self, keep=not words)
        redirects = node.redirects
        writes: tuple[Effect, ...] = ()
        away = False
        written = self.text[node.start : node.end]
        if "\\\n" in written:
            written = written.replace("\\\n", "")
        if redirects:
            feed, writes, away = follow_redirects(redirects, feed, scope, self, written)
        if not words:
            place = Place(self.text, node.start, node.end, (), redirects)
            assign(environment, scope, place, writes, self.found, via=self._via)
            if arrays:
                scope.keep_arrays(arrays)
            return NO_FEED
        if words[0].text == "set":  # what it makes parameters may be counted with
            count_words(words, scope, self.found, self._via, written)
        printed = self._program(
            node, tuple(words), written, scope, feed, environment=environment, writes=writes
        )
        for effect in writes:
            make_file(effect, redirects, printed, scope)
        return Feed(_OPEN, written) if away else printed

    def _program(
        self,
        node: Simple,
        words: tuple[Word, ...],
        written: str,
        scope: Scope,
        feed: Feed,
        *,
        environment: tuple[tuple[str, Word], ...] = (),
        writes: tuple[Effect, ...] = (),
    ) -> Feed:
        """Follow a program with its words, unless the same was followed before."""
        found, via, name = self.found, self._via, words[0].text
        key: object = None
        if len(found.commands) >= FEW and not (environment or scope.shadowed or name in scope.functions):
            # All that follows from the words and the input alone follows from the same ones over again.
            if feed.kind is _TEXT or name in PASSING_ON:
                key = (written, scope.folders, via, feed)
            else:  # of its input it is only told whether that is suspicious
                key = (written, scope.folders, via, feed.decoded, feed.network)
            known = found.printed.get(key)
            if (
                known is not None
                and known.words == words
                and known.writes == writes
                and (not known.inner or scope.functions.keys().isdisjoint(known.inner))
            ):
                found.spend(known.effort)
                if name in BUILTINS:
                    BUILTINS[name](scope, words)
                return known.printed
        spans = node.words if len(node.words) == len(words) else None
        place = Place(self.text, node.start, node.end, spans, node.redirects, node.plain is not None)
        unsettled, effort, inner = found.unsettled, found.effort, len(found.inner)
        printed = run(words, Setting(place, scope, via, feed, environment, writes), found, self, written)
        if key is not None and found.unsettled == unsettled:
            found.printed[key] = Printed(
                words, writes, printed, found.effort - effort, tuple(found.inner[inner:])
            )
        return printed

    def run(self, words: tuple[Word, ...], setting: Setting) -> Feed:
        """Follow one command."""
        name = words[0].text
        if name in BUILTINS or name in setting.scope.functions:  # does more than to be noted
            self.found.unsettled += 1
        self.found.inner.append(name)
        return run(words, setting, self.found, self, setting.place.written)

    # --- inside words ------------------------------------------------------------------------------

    def substitution(self, part: Substitution, scope: Scope) -> str | None:
        """Read the commands of a substitution; what it prints, when that is settled."""
        here, via = self.text, self._via
        self.text, self._via = part.source, (*via, "<(…)" if part.process else "$(…)")
        # What is written to a pipe may come from anywhere in the text.
        feed = Feed(_OPEN, here) if part.process and part.written[0] == ">" else NO_FEED
        printed = self._items(part.body.items, self._apart(scope), feed)
        self.text, self._via = here, via
        if printed.decoded or printed.network:
            self.found.sources[part.written] = printed.source
        return printed.text.rstrip("\n") if printed.kind is _TEXT else None

    def expansion(self, part: Expansion, scope: Scope) -> None:
        """Take note of what an expansion may set, run or hide."""
        if part.parts:
            text_of(part.parts, scope, self)
        if part.assigns:
            scope.assign(part.assigns, None)
            set_aside((part.assigns,), scope, self.found, self._via, part.written)
        if part.hides:
            self.found.gap(GapKind.OPEN, part.hides, part.written)
        if part.counts:
            count_names(part.counts, scope, self.found, self._via, part.written)
