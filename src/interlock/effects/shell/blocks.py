"""Compound commands: groups, subshells, branches, loops, tests and functions."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from interlock.effects.shell.syntax import (
    Block,
    BlockKind,
    Function,
    Node,
    Part,
    Pipe,
    Sequence,
    ShellWord,
    Simple,
    StuckError,
)

if TYPE_CHECKING:
    from interlock.effects.shell.grammar import Grammar

_NAME: Final = re.compile(r"[A-Za-z_]\w*(?=[\s;]|\Z)")
_FUNCTION_NAME: Final = re.compile(r"[A-Za-z_][\w:.-]*")
PARENTHESES: Final = re.compile(r"[ \t]*\([ \t]*\)")
_TEST_OPERATOR: Final = re.compile(r"&&|\|\||[()]|[<>](?!\()|!(?=\s)")
_PATTERN_FOLLOWS: Final = frozenset({"=~", "==", "=", "!="})
_COUNTING_HEADER: Final = re.compile(r"(?:[\w\s+\-*/%<>=!&|;,$]|\$\{#?\w+(?:\[[@*]\])?\}|\$\{\w+:-[0-9]+\})*")
_END_OF_CASE: Final = re.compile(r";;&|;;|;&")
_IN_COPROC: Final = frozenset({"{", "(", "while", "until", "for", "if", "case", "[["})
_NAMED_COPROC: Final = re.compile(
    r"(?!(?:if|while|until|for|case|select|function|time|then|do|else)\b)([A-Za-z_]\w*)[ \t]+(?=\{\s|\()"
)
_UNTIL_THEN, _UNTIL_FI = frozenset({"then"}), frozenset({"fi"})
_UNTIL_ELSE = frozenset({"elif", "else", "fi"})
_UNTIL_DO, _UNTIL_DONE, _UNTIL_ESAC = frozenset({"do"}), frozenset({"done"}), frozenset({"esac"})
_UNTIL_BRACE, _UNTIL_PARENTHESIS = frozenset({"}"}), frozenset[str]()
# Names of the module are found sooner than members of a class.
_GROUP, _TEST, _SUBSHELL = BlockKind.GROUP, BlockKind.TEST, BlockKind.SUBSHELL
_BRANCH, _LOOP = BlockKind.BRANCH, BlockKind.LOOP


def _group(grammar: Grammar) -> Node:
    start = grammar.scan.position
    grammar.scan.position += 1
    body = grammar.sequence(_UNTIL_BRACE)
    _needs(grammar, body)
    grammar.expect("}")
    return _block(grammar, _GROUP, (body,), start)


def _block(
    grammar: Grammar,
    kind: BlockKind,
    bodies: tuple[Sequence, ...],
    start: int,
    *,
    words: tuple[ShellWord, ...] = (),
    parts: tuple[Part, ...] = (),
    variable: str | None = None,
) -> Block:
    redirects = grammar.redirects()
    return Block(kind, bodies, words, parts, variable, redirects, start, grammar.scan.position)


def _needs(grammar: Grammar, body: Sequence) -> None:
    if not body.items:
        raise StuckError("block without a command", grammar.scan.position)


def _parenthesis(grammar: Grammar) -> Node:
    """`((…))` is a sum where it can be one, else `(…)` is a subshell."""
    start = grammar.scan.position
    if grammar.text.startswith("((", start):
        if grammar.documents.awaited:  # which lines are its, a shell decides before it knows what this is
            raise StuckError("a here-document before `((`", start)
        parts: list[Part] = []
        grammar.scan.position += 2
        if grammar.scan.arithmetic_body(parts):
            return _block(grammar, _TEST, (), start, parts=tuple(parts))
        grammar.scan.position = start
    grammar.scan.position += 1
    body = grammar.sequence(_UNTIL_PARENTHESIS)
    _needs(grammar, body)
    if not grammar.text.startswith(")", grammar.scan.position):
        raise StuckError("unclosed subshell", start)
    grammar.scan.position += 1
    return _block(grammar, _SUBSHELL, (body,), start)


def _if(grammar: Grammar) -> Node:
    start = grammar.scan.position
    bodies: list[Sequence] = []
    grammar.scan.position += 2
    while True:
        bodies.append(grammar.sequence(_UNTIL_THEN))
        grammar.expect("then")
        bodies.append(grammar.sequence(_UNTIL_ELSE))
        if grammar.met != "elif":
            break
        grammar.expect("elif")
    if grammar.met == "else":
        grammar.expect("else")
        bodies.append(grammar.sequence(_UNTIL_FI))
    for body in bodies:
        _needs(grammar, body)
    grammar.expect("fi")
    return _block(grammar, _BRANCH, tuple(bodies), start)


def _while(grammar: Grammar) -> Node:
    start = grammar.scan.position
    grammar.scan.position += len(grammar.keyword())
    condition = grammar.sequence(_UNTIL_DO)
    _needs(grammar, condition)
    return _block(grammar, _LOOP, (condition, _do(grammar)), start)


def _do(grammar: Grammar) -> Sequence:
    if grammar.met != "do":
        grammar.skip_lines()
        if grammar.keyword() == "{":  # an old spelling of `do … done`
            grammar.scan.position += 1
            return _body(grammar, _UNTIL_BRACE, "}")
    grammar.expect("do")
    return _body(grammar, _UNTIL_DONE, "done")


def _body(grammar: Grammar, until: frozenset[str], closing: str) -> Sequence:
    body = grammar.sequence(until)
    _needs(grammar, body)
    grammar.expect(closing)
    return body


def _for(grammar: Grammar) -> Node:
    start = grammar.scan.position
    grammar.scan.position += len(grammar.keyword())
    grammar.skip_space()
    if grammar.text.startswith("((", grammar.scan.position):
        return _counting_for(grammar, start)
    name = _NAME.match(grammar.text, grammar.scan.position)
    if name is None:
        raise StuckError("loop without a name", start)
    grammar.scan.position = name.end()
    grammar.skip_lines()
    words: list[ShellWord] = []
    if grammar.keyword() == "in":
        grammar.scan.position += 2
        grammar.skip_space()
        while (word := grammar.scan.word()) is not None:
            words.append(word)
            grammar.skip_space()
    if grammar.text.startswith(";", grammar.scan.position):
        grammar.scan.position += 1
    return _block(grammar, _LOOP, (_do(grammar),), start, words=tuple(words), variable=name.group())


def _counting_for(grammar: Grammar, start: int) -> Node:
    end = grammar.text.find("))", grammar.scan.position)
    header = grammar.text[grammar.scan.position + 2 : end]
    if end < 0 or not _COUNTING_HEADER.fullmatch(header):
        raise StuckError("loop header that Interlock cannot read", start)
    grammar.scan.position = end + 2
    grammar.skip_space()
    if grammar.text.startswith(";", grammar.scan.position):
        grammar.scan.position += 1
    return _block(grammar, _LOOP, (_do(grammar),), start)


def _case(grammar: Grammar) -> Node:
    start = grammar.scan.position
    grammar.expect("case")
    grammar.skip_space()
    subject = grammar.scan.word()
    if subject is None:
        raise StuckError("`case` without a word", start)
    grammar.expect("in")
    words, bodies = [subject], []
    while True:
        grammar.skip_lines()
        if grammar.keyword() == "esac":
            break
        words += _case_patterns(grammar)
        bodies.append(grammar.sequence(_UNTIL_ESAC))
        if ended := _END_OF_CASE.match(grammar.text, grammar.scan.position):
            grammar.scan.position = ended.end()
        elif grammar.met != "esac":
            raise StuckError("`case` that Interlock cannot read", start)
    grammar.expect("esac")
    return _block(grammar, _BRANCH, tuple(bodies), start, words=tuple(words))


def _case_patterns(grammar: Grammar) -> list[ShellWord]:
    if grammar.text.startswith("(", grammar.scan.position):
        grammar.scan.position += 1
    words: list[ShellWord] = []
    while True:
        grammar.skip_space()
        word = grammar.scan.word()
        if word is None:
            raise StuckError("`case` pattern that Interlock cannot read", grammar.scan.position)
        words.append(word)
        grammar.skip_space()
        following = grammar.text[grammar.scan.position : grammar.scan.position + 1]
        grammar.scan.position += 1
        if following == ")":
            return words
        if following != "|":
            raise StuckError("`case` pattern that Interlock cannot read", grammar.scan.position - 1)


def _test(grammar: Grammar) -> Node:
    start = grammar.scan.position
    grammar.scan.position += 2
    words: list[ShellWord] = []
    while True:
        grammar.skip_lines()
        if grammar.keyword() == "]]":
            grammar.scan.position += 2
            return _block(grammar, _TEST, (), start, words=tuple(words))
        if operator := _TEST_OPERATOR.match(grammar.text, grammar.scan.position):
            grammar.scan.position = operator.end()
            continue
        word = grammar.scan.word()
        if word is None:
            raise StuckError("test that Interlock cannot read", start)
        words.append(word)
        if grammar.text[word.start : word.end] in _PATTERN_FOLLOWS:
            grammar.skip_space()
            words.append(grammar.scan.regex())


def _function(grammar: Grammar) -> Function:
    start = grammar.scan.position
    grammar.expect("function")
    grammar.skip_space()
    name = _FUNCTION_NAME.match(grammar.text, grammar.scan.position)
    if name is None:
        raise StuckError("function name that is not plain", start)
    grammar.scan.position = name.end()
    if parentheses := PARENTHESES.match(grammar.text, grammar.scan.position):
        grammar.scan.position = parentheses.end()
    return grammar.function_body(name.group(), start)


def _coproc(grammar: Grammar) -> Node:
    """`coproc COMMAND`, or a block with a name, reads what the rest of the text may write to it."""
    start, name = grammar.scan.position, "COPROC"
    grammar.scan.position += len("coproc")
    grammar.skip_space()
    if (named := _NAMED_COPROC.match(grammar.text, grammar.scan.position)) is not None:
        name, grammar.scan.position = named[1], named.end()
    word = grammar.keyword()
    if name in grammar.text[:start] or (word and word not in _IN_COPROC):
        raise StuckError("`coproc` that Interlock cannot read", start)
    node = grammar.command(word)
    if type(node) is not Simple and type(node) is not Block:
        raise StuckError("`coproc` that Interlock cannot read", start)
    anything = Block(BlockKind.GROUP, (Sequence(()),))
    return Block(BlockKind.BACKGROUND, (Sequence((Pipe((anything, node)),)),), start=start)


def named_function(grammar: Grammar, name: ShellWord, start: int) -> Function:
    """`name() { … }`, from its parentheses on."""
    match = PARENTHESES.match(grammar.text, grammar.scan.position)
    if match is None or name.parts is not None or name.start != start:
        raise StuckError("function name that is not plain", start)
    grammar.scan.position = match.end()
    return grammar.function_body(name.text, start)


# What begins a compound command, and who reads it.
READERS: Final[dict[str, Callable[[Grammar], Node]]] = {
    "{": _group,
    "(": _parenthesis,
    "if": _if,
    "while": _while,
    "until": _while,
    "for": _for,
    "select": _for,
    "case": _case,
    "[[": _test,
    "function": _function,
    "coproc": _coproc,
}
