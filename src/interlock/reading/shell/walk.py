"""From the shape of a text to the commands it would run: scopes, branches, pipes, substitutions."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from interlock.reading.command import Command, GapKind
from interlock.reading.effect import Effect
from interlock.reading.shell.arithmetic import runs_in, set_in
from interlock.reading.shell.expand import expand, single, text_of
from interlock.reading.shell.feed import NO_FEED, Feed, FeedKind, together
from interlock.reading.shell.findings import Findings, TooMuchError, env_effect
from interlock.reading.shell.grammar import Grammar
from interlock.reading.shell.place import Place
from interlock.reading.shell.plain import plain_chain, run_plain
from interlock.reading.shell.redirects import follow_redirects, leads_away, make_file
from interlock.reading.shell.run import run
from interlock.reading.shell.scope import Scope, moves_in, names_in
from interlock.reading.shell.sensitive import is_run_later, is_sensitive
from interlock.reading.shell.setting import Setting
from interlock.reading.shell.syntax import (
    Assignment,
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
_PROCESSES: Final = frozenset({BlockKind.SUBSHELL, BlockKind.BACKGROUND})
_COUNTING: Final = re.compile(r"(?:for|select)\s*\(\((.*?)\)\)", re.DOTALL)
_NAMES: Final = re.compile(r"[A-Za-z_]\w*")
_COUNTED: Final = re.compile(r"-?\d+")
_MAX_CALLS: Final = 6
_MAX_TEXTS: Final = 12
_MAX_ARGUMENTS: Final = 20_000  # that braces, arrays and parameters make of the words of one command
_CHARACTERS: Final = 8  # of a text to read, names of a scope to copy: as much work as one word
# Names of the module are found sooner than members of a class.
_NONE, _TEXT, _OPEN = FeedKind.NONE, FeedKind.TEXT, FeedKind.OPEN
_TEST, _GROUP, _LOOP = BlockKind.TEST, BlockKind.GROUP, BlockKind.LOOP


class Walker:
    """Walks one text; texts inside it (`sh -c`) get a walker of their own with the same findings."""

    def __init__(self, text: str, found: Findings, via: tuple[str, ...] = (), depth: int = 0) -> None:
        self.text = text  # of the commands being read: backticks and functions may stand in another
        self._found: Final = found
        self._via = via
        self._depth: Final = depth
        self._calls = 0
        self._uncalled: dict[int, tuple[str, Node, Scope]] = {}  # functions, by the identity of their body
        self._names: dict[int, frozenset[str]] = {}  # that blocks may set, by the identity of the block
        self._deep: set[int] = set()  # those that call themselves further than anyone follows

    def read(self, scope: Scope) -> Feed:
        """Read the whole text in this scope; what it prints, if that is settled."""
        plain = plain_chain(self.text)
        if plain is not None:
            return self._all((plain,), scope)
        grammar = Grammar(self.text)
        nodes, stuck = grammar.read()
        printed = self._all(tuple(nodes), scope)
        if stuck is not None:
            start = self._end_of(nodes)
            kind = GapKind.LIMIT if stuck.limit else GapKind.SYNTAX
            self._found.gap(kind, stuck.why, self.text[start:], stuck.position)
            return Feed(_OPEN, self.text)
        for why, start, end in grammar.doubts:
            self._found.gap(GapKind.SYNTAX, why, self.text[start:end], start)
        return printed

    def _all(self, nodes: tuple[Node, ...], scope: Scope) -> Feed:
        printed = self._items(nodes, scope, NO_FEED)
        self._read_uncalled()
        return printed

    def read_text(self, text: str, scope: Scope, via: tuple[str, ...]) -> None:
        """Read a text that this one hands to a shell."""
        if self._depth >= _MAX_TEXTS:
            self._found.gap(GapKind.LIMIT, "nested too deep", text)
            return
        self._found.spend(len(text) // _CHARACTERS)
        Walker(text, self._found, via, self._depth + 1).read(scope)

    @staticmethod
    def _end_of(nodes: list[Node]) -> int:
        """Where the last command that was read in full ends, as far as it says so."""
        last = nodes[-1] if nodes else None
        # A chain or pipe does not say where it ends; the gap is then the whole text.
        return last.end if isinstance(last, Simple | Block | Function) else 0

    # --- nodes -------------------------------------------------------------------------------------

    def _items(self, items: tuple[Node, ...], scope: Scope, feed: Feed) -> Feed:
        printed: list[Feed] = []
        for node in items:
            before = scope.folders
            if type(node) is Simple:
                printed.append(self._simple(node, scope, feed))
            else:
                printed.append(self._node(node, scope, feed))
            if scope.folders is not before and scope.folders != before:
                scope.perhaps(before)
        return together(printed)

    def _node(self, node: Node, scope: Scope, feed: Feed) -> Feed:
        if type(node) is Simple:
            return self._simple(node, scope, feed)
        if type(node) is Chain:
            return self._chain(node, scope, feed)
        if type(node) is Pipe:
            return self._pipe(node, scope, feed)
        if type(node) is Block:
            return self._block(node, scope, feed)
        if type(node) is Function:
            self._function(node, scope)
        return NO_FEED

    def _chain(self, node: Chain, scope: Scope, feed: Feed) -> Feed:
        start = scope.folders
        printed = [self._node(node.first, scope, feed)]
        sure = dict(scope.variables)
        for operator, part in node.rest:
            before = scope.folders
            if operator == "||" and before != start:
                scope.perhaps(start)
            printed.append(self._node(part, scope, feed))
            if operator == "||" and scope.folders != before:
                scope.perhaps(before)
        if scope.variables != sure:
            unsure = (name for name, value in scope.variables.items() if sure.get(name, _UNSET) != value)
            scope.forget(set(unsure))
        return together(printed)

    def _pipe(self, node: Pipe, scope: Scope, feed: Feed) -> Feed:
        for part in node.parts:
            feed = self._node(part, self._apart(scope), feed)
            if feed.kind is _NONE:
                feed = Feed(_OPEN, "another program")
        if "lastpipe" in self.text:
            scope.lost = True
        return feed

    def _apart(self, scope: Scope) -> Scope:
        """The scope of a process of its own."""
        self._found.spend((len(scope.variables) + len(scope.functions)) // _CHARACTERS)
        return scope.copy()

    def _block(self, node: Block, scope: Scope, feed: Feed) -> Feed:
        if node.redirects:
            written = self.text[node.start : node.end]
            feed, writes = follow_redirects(
                node.redirects, feed, scope=scope, inner=self, found=self._found, by=written
            )
            self._note_block(node, scope, writes)
        if node.kind is _TEST:
            self._test(node, scope)
        elif node.kind in _PROCESSES or node.kind is _GROUP:
            inside = scope if node.kind is _GROUP else self._apart(scope)
            printed = self._items(node.bodies[0].items, inside, feed)
            if not leads_away(node.redirects):
                return printed
        else:
            self._perhaps(node, scope, feed)
        return Feed(_OPEN, "several commands")

    def _note_block(self, node: Block, scope: Scope, writes: tuple[Effect, ...]) -> None:
        """A block whose output goes to a file needs an allow of its own for that."""
        first = node.redirects[0].start
        place = Place(self.text, first, node.end, (), node.redirects)
        marked, bare = place.marked([])
        self._found.command(
            Command(
                (), place.written, marked, bare, writes, cwd=scope.folder, via=self._via,
                transparent=not writes,
            )
        )  # fmt: skip

    def _perhaps(self, node: Block, scope: Scope, feed: Feed) -> None:
        """Branches and loops: what they set is known neither before nor after them."""
        text = self.text[node.start : node.end]
        for word in node.words:
            held = expand(word, scope, self) if word.parts is not None else [Word(word.text)]
            if node.variable:  # nobody follows what is counted with it
                self._counted(held, scope, text)
        if counting := _COUNTING.match(text):
            self._count(tuple(_NAMES.findall(counting[1])), scope, counting.group())
        assigned = self._names.get(id(node))
        if assigned is None:
            assigned = self._names[id(node)] = names_in(text)
        scope.forget_any(assigned)
        if node.variable:
            scope.assign(node.variable, None)
            self._set_aside((node.variable,), scope, text)
        if node.kind is _LOOP and moves_in(text):
            scope.enter(None)
        for body in node.bodies:
            before = scope.folders
            self._items(body.items, scope, feed)
            scope.perhaps(before)
        scope.forget_any(assigned)
        if node.variable:
            scope.assign(node.variable, None)

    def _test(self, node: Block, scope: Scope) -> None:
        text_of(node.parts, scope, self)
        text = self.text[node.start : node.end]
        if text.startswith("(("):
            self._count(tuple(re.findall(r"[A-Za-z_]\w*", text)), scope, text)
            scope.forget_any(names_in(text))
            return
        for word in node.words:
            value = single(word, scope, self)
            self._counted([value, Word(scope.variables.get(value.text) or "")], scope, text)

    def _function(self, node: Function, scope: Scope) -> None:
        scope.functions[node.name] = (self.text, node.body)
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
        self._counted(words[1:], scope, scope.functions[name][0])
        scope.parameters = tuple(word.text for word in words) if settled else None
        here = self.text
        self.text, body = scope.functions[name]
        if id(body) not in self._deep:
            self._uncalled.pop(id(body), None)
        self._calls += 1
        self._node(body, scope, feed)
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

    def _words(self, node: Simple, scope: Scope) -> list[Word]:
        """The program and its arguments, as far as they are known."""
        words: list[Word] = []
        for spelled in node.words:
            if spelled.parts is None:
                words.append(Word(spelled.text))
            else:
                words += expand(spelled, scope, self)
                if len(words) > _MAX_ARGUMENTS:
                    raise TooMuchError
        return words

    def _simple(self, node: Simple, scope: Scope, feed: Feed) -> Feed:
        if node.plain is not None:
            printed = run_plain(node, self.text, scope, self._via, self._found) if feed is NO_FEED else None
            if printed is not None:
                return printed
            place = Place(self.text, node.start, node.end, None, (), True)
            return run(node.plain, Setting(place, scope, self._via, feed), self._found, self)
        words = self._words(node, scope)
        arrays: dict[str, tuple[str, ...]] = {}
        environment: tuple[tuple[str, Word], ...] = ()
        if node.assignments:
            environment = tuple([self._assigned(a, scope, arrays) for a in node.assignments])
        spans = node.words if len(words) == len(node.words) else None
        place = Place(self.text, node.start, node.end, spans, node.redirects)
        writes: tuple[Effect, ...] = ()
        written = ""
        if node.redirects:
            written = place.written
            feed, writes = follow_redirects(
                node.redirects, feed, scope=scope, inner=self, found=self._found, by=written
            )
        if not words:
            self._assign(environment, scope, place, writes)
            scope.arrays.update(arrays)
            return NO_FEED
        if words[0].text == "set":  # what it makes parameters may be counted with
            self._counted(words, scope, place.written)
        setting = Setting(place, scope, self._via, feed, environment, writes)
        printed = run(tuple(words), setting, self._found, self)
        if not node.redirects:
            return printed
        for effect in writes:
            make_file(effect, node.redirects, printed, scope)
        return Feed(_OPEN, written) if leads_away(node.redirects) else printed

    def run(self, words: tuple[Word, ...], setting: Setting) -> Feed:
        """Follow one command."""
        return run(words, setting, self._found, self)

    def _assigned(
        self, assignment: Assignment, scope: Scope, arrays: dict[str, tuple[str, ...]]
    ) -> tuple[str, Word]:
        if assignment.value is None:
            words = [word for element in assignment.elements for word in expand(element, scope, self)]
            keyed = any(self.text.startswith("[", element.start) for element in assignment.elements)
            if not keyed and not assignment.adds and all(word.fixed for word in words):
                arrays[assignment.name] = tuple(word.text for word in words)
            return assignment.name, Word("(…)", fixed=False)
        value = single(assignment.value, scope, self)
        if is_run_later(assignment.name, value.text, fixed=value.fixed):
            why = f"a shell runs what `{assignment.name}` holds"
            self._found.gap(GapKind.OPEN, why, value.text, assignment.value.start)
        return assignment.name, value if assignment.plain else Word(value.text, fixed=False)

    def _assign(
        self,
        environment: tuple[tuple[str, Word], ...],
        scope: Scope,
        place: Place,
        writes: tuple[Effect, ...],
    ) -> None:
        """Assignments that stand alone change this shell; redirects that stand alone make files."""
        for name, value in environment:
            scope.assign(name, value.text if value.fixed else None)
            self._found.effects.append(env_effect(name, value, place.written))
        sensitive = any(is_sensitive(name) for name, _ in environment)
        marked, bare = place.marked([])
        self._found.command(
            Command(
                (), place.written, marked, bare, writes, environment=environment, cwd=scope.folder,
                via=self._via, transparent=not sensitive and not writes,
            )
        )  # fmt: skip

    # --- inside words ------------------------------------------------------------------------------

    def substitution(self, part: Substitution, scope: Scope) -> str | None:
        """Read the commands of a substitution; what it prints, when that is settled."""
        here, via = self.text, self._via
        self.text, self._via = part.source, (*via, "<(…)" if part.process else "$(…)")
        printed = self._items(part.body.items, self._apart(scope), NO_FEED)
        self.text, self._via = here, via
        if printed.decoded or printed.network:
            self._found.sources[part.written] = printed.source
        return printed.text.rstrip("\n") if printed.kind is _TEXT else None

    def expansion(self, part: Expansion, scope: Scope) -> None:
        """Take note of what an expansion may set, run or hide."""
        text_of(part.parts, scope, self)
        if part.assigns:
            scope.assign(part.assigns, None)
            self._set_aside((part.assigns,), scope, part.written)
        if part.hides:
            self._found.gap(GapKind.OPEN, part.hides, part.written)
        if part.counts:
            self._count(part.counts, scope, part.written)

    def _count(self, names: tuple[str, ...], scope: Scope, written: str) -> None:
        """Arithmetic evaluates the values of its names, and a value may hold a substitution."""
        self._set_aside(names, scope, written)
        for name in names:
            if name not in scope.variables:
                continue
            value = scope.variables[name]
            if value is not None and not _COUNTED.fullmatch(value.strip() or "0"):
                self._found.gap(GapKind.OPEN, f"arithmetic evaluates what `{name}` holds", written)

    def _counted(self, words: Iterable[Word], scope: Scope, written: str) -> None:
        """Words that arithmetic may be given."""
        for word in words:
            if word.fixed and runs_in(word.text):
                self._found.gap(GapKind.OPEN, "a test that evaluates its words", word.text)
            self._set_aside(set_in(word.text), scope, written)

    def _set_aside(self, names: tuple[str, ...], scope: Scope, written: str) -> None:
        """A loop or arithmetic that may set a variable others obey needs an allow, as an assignment does."""
        value = Word("", fixed=False)
        for name in filter(is_sensitive, names):
            self._found.effects.append(env_effect(name, value, written))
            self._found.command(
                Command((), written, written, written, (), None, ((name, value),), scope.folder, self._via)
            )
