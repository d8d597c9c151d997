"""Walks through a parsed text and notes the commands it would run."""

from __future__ import annotations

from typing import Final

import msgspec

from interlock.effects.command import GapKind
from interlock.effects.effect import Effect, Word
from interlock.effects.shell.arithmetic import (
    count_expansion,
    count_header,
    count_test,
    count_words,
    set_aside,
)
from interlock.effects.shell.builtins import BUILTINS
from interlock.effects.shell.context import CommandContext, TextSpan
from interlock.effects.shell.control_flow import (
    NOTHING,
    follow_filter,
    join,
    join_values,
    note_loop,
    read_loop_words,
)
from interlock.effects.shell.expand import expand_all
from interlock.effects.shell.feed import NO_FEED, SEVERAL, Feed, FeedKind, join_feeds
from interlock.effects.shell.findings import Findings, PastCommand
from interlock.effects.shell.functions import Functions
from interlock.effects.shell.grammar import Grammar, plain_commands
from interlock.effects.shell.names import holds_name, moves_in, names_in
from interlock.effects.shell.redirects import (
    assign,
    copy_if_unsure,
    expand_assignments,
    follow_redirects,
    make_file,
    note_block,
)
from interlock.effects.shell.run import FEW, run
from interlock.effects.shell.scope import Scope
from interlock.effects.shell.syntax import (
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

_MAX_TURNS: Final = 4  # times a loop is read, until everything it changes counts as unknown
_MAX_TEXTS: Final = 12
_WAYS: Final = 3  # results remembered for one text; its words may differ with the values of variables
_CHARACTERS: Final = 8  # to read, or names of a scope to copy, count as much work as one word
# Names of the module are found sooner than members of a class.
_NONE, _TEXT, _OPEN = FeedKind.NONE, FeedKind.TEXT, FeedKind.OPEN
_TEST, _GROUP, _LOOP, _BRANCH = BlockKind.TEST, BlockKind.GROUP, BlockKind.LOOP, BlockKind.BRANCH


class Walker(msgspec.Struct):
    """Walks through one text; a text inside it (`sh -c`) gets its own walker with the same findings."""

    text: str  # of the commands being read; backticks and functions have their own
    findings: Findings
    whole: str | None  # the whole text; None if it is part of another
    via: tuple[str, ...] = ()
    _depth: int = 0
    _in_loop_turn: bool = False  # whether a loop is being read for one of its values
    _searched: str = ""  # the text that was searched for `lastpipe`
    _lastpipe: bool = False  # whether this shell may run the last part of a pipe itself
    given: Feed = NO_FEED  # the standard input of substitutions in the words of a command
    _functions: Functions | None = None  # created when the text defines or calls one
    _names: dict[int, frozenset[str]] = {}  # the variables a block may set, by the identity of the block

    def read(self, scope: Scope) -> None:
        """Read the whole text in this scope."""
        plain = plain_commands(self.text)
        if plain is not None:
            before = scope.folders
            self.node(plain, scope, NO_FEED)
            if scope.folders != before:
                scope.perhaps(before)
            return
        grammar = Grammar(self.text)
        nodes, stuck = grammar.read()
        self._items(tuple(nodes), scope, NO_FEED)
        if self._functions is not None:
            self._functions.read_uncalled(self)
        if stuck is not None:
            start = self._end_of(nodes)
            kind = GapKind.LIMIT if stuck.limit else GapKind.SYNTAX
            self.findings.gap(kind, stuck.why, self.text[start:], stuck.position)
            return
        for why, start, end in grammar.doubts:
            self.findings.gap(GapKind.SYNTAX, why, self.text[start:end], start)

    def read_text(self, text: str, scope: Scope, via: tuple[str, ...]) -> None:
        """Read a text that this one hands to a shell."""
        if self._depth >= _MAX_TEXTS:
            self.findings.gap(GapKind.LIMIT, "nested too deep", text)
            return
        self.findings.spend(len(text) // _CHARACTERS)
        Walker(text, self.findings, None, via, self._depth + 1).read(scope)

    @staticmethod
    def _end_of(nodes: list[Node]) -> int:
        """Return where the last complete command ends, or 0: chains and pipes do not know their end."""
        last = nodes[-1] if nodes else None
        return last.end if isinstance(last, Simple | Block | Function) else 0

    # --- nodes -------------------------------------------------------------------------------------

    def _items(self, items: tuple[Node, ...], scope: Scope, feed: Feed) -> Feed:
        before = scope.folders
        decoded = network = False
        for node in items:
            printed = self.node(node, scope, feed)
            if scope.folders is not before:
                if scope.folders != before:
                    scope.perhaps(before)
                before = scope.folders
            if len(items) == 1:
                return printed
            decoded, network = decoded or printed.decoded, network or printed.network
        return join_feeds(decoded, network) if decoded or network else SEVERAL

    def node(self, node: Node, scope: Scope, feed: Feed) -> Feed:
        """Follow one command of any shape; return what it prints."""
        if type(node) is Simple:
            return self._simple(node, scope, feed)
        if type(node) is Chain:
            return self._chain(node, scope, feed)
        if type(node) is Block:
            before = copy_if_unsure(node.redirects, scope) if node.redirects else None
            printed = self._block(node, scope, feed)
            if before is not None:  # it may not run at all
                join_values(scope, before)
            return printed
        if type(node) is Pipe:
            return self._pipe(node, scope, feed)
        if type(node) is Function:
            self._all_functions().define(node, scope, self)
        return NO_FEED

    def _chain(self, node: Chain, scope: Scope, feed: Feed) -> Feed:
        start = scope.folders
        first = node.first
        printed = self.node(first, scope, feed)
        decoded, network = printed.decoded, printed.network
        states: list[Scope] = []  # the scopes before the parts that may not run and would change something
        last = node.rest[0][0]
        for operator, part in node.rest:
            before = scope.folders
            if operator != last:  # the parts before it may not have run
                last = operator
                while states:
                    join_values(scope, states.pop())
            if operator == "||" and before is not start and before != start:
                scope.perhaps(start)
            state = scope.remember()
            printed = self.node(part, scope, feed)
            decoded, network = decoded or printed.decoded, network or printed.network
            if not scope.is_as(state):
                states.append(state)
            if operator == "||" and scope.folders is not before and scope.folders != before:
                scope.perhaps(before)
        while states:
            join_values(scope, states.pop())
        return join_feeds(decoded, network) if decoded or network else SEVERAL

    def _pipe(self, node: Pipe, scope: Scope, feed: Feed) -> Feed:
        for part in node.parts:
            apart, given = self.apart(scope), feed
            feed = self.node(part, apart, feed)
            if given.kind is _OPEN and type(part) is Simple:
                feed = follow_filter(part.name, given, feed)
            if feed.kind is _NONE:
                feed = Feed(_OPEN, "another program")
        if self._searched is not self.text:  # search a text once, not for every pipe
            self._searched, self._lastpipe = self.text, "lastpipe" in self.text
        if self._lastpipe:
            scope.lost = True
            scope.enter(None)
        return feed

    def apart(self, scope: Scope) -> Scope:
        """Return a scope for a process of its own."""
        names = len(scope.variables) + len(scope.functions)
        if names >= _CHARACTERS:
            self.findings.spend(names // _CHARACTERS)
        return scope.copy()

    def _block(self, node: Block, scope: Scope, feed: Feed) -> Feed:
        away, self.given = False, feed
        if node.redirects:
            written = self.text[node.start : node.end]
            feed, writes, away = follow_redirects(node.redirects, feed, scope, self, written)
            place = TextSpan(self.text, node.redirects[0].start, node.end, (), node.redirects)
            note_block(place, scope, writes, self)
        kind = node.kind
        if kind is _TEST:
            count_test(node, scope, self)
        elif kind is _BRANCH or kind is _LOOP:
            self._perhaps(node, scope, feed)
        else:
            inside = scope if kind is _GROUP else self.apart(scope)
            printed = self._items(node.bodies[0].items, inside, feed)
            if not away:
                return printed
        return SEVERAL

    def _perhaps(self, node: Block, scope: Scope, feed: Feed) -> None:
        """Follow a branch or loop: what it sets is unknown before and after it."""
        kind, variable = node.kind, node.variable
        text = self.text[node.start : node.end] if kind is _LOOP or variable else ""
        looped = read_loop_words(node, scope, self, text, feed) if node.words or text else NOTHING
        if kind is _LOOP:
            self._enter_loop(node, scope, text)
        if variable:
            scope.assign(variable, None)
            set_aside((variable,), scope, self.findings, self.via, text)
        read = None
        if looped.values and not self._in_loop_turn:  # loops in loops would take too many turns
            self._in_loop_turn = True
            for value in looped.values:
                inside = self.apart(scope)
                inside.assign(looped.name, value)
                self._items(node.bodies[-1].items, inside, feed)
            self._in_loop_turn = False
            read = len(self.findings.commands)
        for turn in range(_MAX_TURNS):
            if not self._bodies(node, scope, feed) or kind is not _LOOP:
                break
            scope.lost = scope.lost or turn == _MAX_TURNS - 2  # the last turn is read with nothing known
        note_loop(looped, self.findings, text, read)
        if variable:
            scope.assign(variable, None)

    def _enter_loop(self, node: Block, scope: Scope, text: str) -> None:
        """Forget what the loop may set: at its start, an earlier turn may have set it."""
        count_header(text, scope, self.findings, self.via)
        if scope.knows_any_in(text):
            assigned = self._names.get(id(node))
            if assigned is None:
                assigned = self._names[id(node)] = names_in(text)
            scope.forget_any(assigned)
        if moves_in(text):
            scope.enter(None)

    def _bodies(self, node: Block, scope: Scope, feed: Feed) -> bool:
        """Read the parts that may or may not run; return whether anything known became unknown."""
        shaken, bodies = False, node.bodies
        if node.kind is _BRANCH and not node.words:  # the condition of an `if` always runs
            self._items(bodies[0].items, scope, feed)
            bodies = bodies[1:]
        for body in bodies:
            before = scope.remember()
            self._items(body.items, scope, feed)
            shaken = join(scope, before) or shaken
        return shaken

    def _all_functions(self) -> Functions:
        if self._functions is None:
            self._functions = Functions()
        return self._functions

    def call(self, name: str, words: tuple[Word, ...], scope: Scope, feed: Feed) -> None:
        """Read the body of a function with its arguments."""
        count_words(words[1:], scope, self.findings, self.via, scope.functions[name][0])
        self._all_functions().call(name, words, scope, feed, self)

    # --- simple commands ---------------------------------------------------------------------------

    def _simple(self, node: Simple, scope: Scope, feed: Feed) -> Feed:
        """Follow a simple command; most have only plain words."""
        written = self.text[node.start : node.end].replace("\\\n", "")
        if node.words is None:
            return self._program(node, node.plain, written, scope, feed)
        self.given = feed
        words = tuple(expand_all(node.words, scope, self))
        if not (node.redirects or node.assignments) and words:
            return self._program(node, words, written, scope, feed)
        before = (
            copy_if_unsure(node.redirects, scope, words[0] if words else None) if node.redirects else None
        )
        printed = self._with_redirects(node, words, written, scope, feed)
        if before is not None:  # it may not run at all
            join_values(scope, before)
        return printed

    def _with_redirects(
        self, node: Simple, words: tuple[Word, ...], written: str, scope: Scope, feed: Feed
    ) -> Feed:
        """Follow a command that has redirects or assignments, or is nothing else."""
        arrays: dict[str, tuple[Word, ...]] = {}
        environment: tuple[tuple[str, Word], ...] = ()
        if node.assignments:
            environment = expand_assignments(node.assignments, scope, arrays, self, keep=not words)
        redirects = node.redirects
        writes: tuple[Effect, ...] = ()
        away = False
        if redirects:
            feed, writes, away = follow_redirects(redirects, feed, scope, self, written)
            if environment and self.given is not NO_FEED:  # some shells open it before they assign
                expand_assignments(node.assignments, scope, {}, self, keep=False)
        if not words:
            place = TextSpan(self.text, node.start, node.end, (), redirects)
            assign(environment, scope, place, writes, self)
            if arrays:
                scope.keep_arrays(arrays)
            return NO_FEED
        printed = self._program(node, words, written, scope, feed, environment, writes)
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
        environment: tuple[tuple[str, Word], ...] = (),
        writes: tuple[Effect, ...] = (),
    ) -> Feed:
        """Follow a program with its words, or repeat the result of the same command."""
        findings, via, name, spelled = self.findings, self.via, words[0].text, node.words
        if spelled is None:
            place = TextSpan(self.text, node.start, node.end, (), (), len(words))
        else:
            exact = spelled if len(spelled) == len(words) else None
            place = TextSpan(self.text, node.start, node.end, exact, node.redirects)
        context = CommandContext(place, scope, via, feed, environment, writes)
        if len(findings.commands) < FEW or scope.shadowed or name in scope.functions:
            return run(words, context, self, written)
        folders = scope.folders
        for known in findings.printed.get(written, ()):
            if known.is_as(words, context):
                findings.spend(known.effort)
                if name in BUILTINS:
                    BUILTINS[name](scope, words)
                return known.printed
        unsettled, effort, inner = findings.unsettled, findings.effort, len(findings.inner)
        printed = run(words, context, self, written)
        if findings.unsettled == unsettled:
            spent, inside = findings.effort - effort, tuple(findings.inner[inner:])
            new = PastCommand(words, folders, context, printed, spent, inside)
            findings.printed[written] = (new, *findings.printed.get(written, ())[: _WAYS - 1])
        return printed

    def run(self, words: tuple[Word, ...], context: CommandContext) -> Feed:
        """Follow one command."""
        name = words[0].text
        if name in BUILTINS or name in context.scope.functions:  # it does more than run a program
            self.findings.unsettled += 1
        self.findings.inner.append(name)
        return run(words, context, self, context.place.written)

    def substitution(self, part: Substitution, scope: Scope) -> str | None:
        """Read the commands of a substitution; return what it prints, if known."""
        here, via, given = self.text, self.via, self.given
        self.text, self.via = part.source, (*via, "<(…)" if part.process else "$(…)")
        # Anything in the text may write to this pipe.
        feed = Feed(_OPEN, here) if part.process and part.written[0] == ">" else given
        printed = self._items(part.body.items, self.apart(scope), feed)
        self.text, self.via, self.given = here, via, given
        if printed.decoded or printed.network:
            self.findings.sources[part.written] = printed.source
        return printed.text.rstrip("\n") if printed.kind is _TEXT else None

    def expansion(self, part: Expansion, scope: Scope) -> None:
        """Note what an expansion may set, run or hide."""
        if part.parts or part.counts:
            count_expansion(part, scope, self)
        if part.assigns:
            scope.assign(part.assigns, None)
            set_aside((part.assigns,), scope, self.findings, self.via, part.written)
        if part.hides and not holds_name(part.refers, scope, self.whole):
            self.findings.gap(GapKind.OPEN, part.hides, part.written)
