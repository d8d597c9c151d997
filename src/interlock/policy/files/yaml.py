"""Reads the plain part of YAML with line numbers; what can hide a rule's meaning is refused."""

from __future__ import annotations

import math
from typing import Final

import yaml

from interlock.errors import ConfigError, Problem
from interlock.policy.files.document import MAX_DEPTH, Node, Scalar

# Longer words are text: YAML's own number rules take quadratic time on long ones.
_LONGEST_WORD: Final = 64
# What a number, a truth value or a null can begin with; most words of a policy are spared the question.
_FIRSTS: Final = frozenset(("", *"-+.~0123456789nNtTfFyYoO"))
_NUMBERS: Final = frozenset({"tag:yaml.org,2002:int", "tag:yaml.org,2002:float"})
_WORDS: Final = frozenset({"tag:yaml.org,2002:bool", "tag:yaml.org,2002:null"})
# What helps against the parser's commonest complaints, each known by a part of its words.
_CURES: Final = {
    "cannot start any token": "put the value in quotes, and indent with spaces",
    "alphabetic or numeric character": "put a value that starts with `*` or `&` in quotes",
    "mapping values are not allowed": "correct the indentation, or put a value that contains `: ` in quotes",
    "unknown escape character": "put a value that contains `\\` in single quotes",
    "unexpected end of stream": "close the quotes",
    "tab character": "indent with spaces",
    "expected '-' indicator": "indent the keys of an entry alike",
}
_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_yaml(text: str, file: str) -> Node | None:
    """Read one document; None when there is nothing in it."""
    reader = _Reader(file)
    try:
        for event in yaml.parse(text, Loader=_LOADER):
            reader.take(event)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise reader.refusal(line, f"invalid YAML: {_explained(error)}") from error
    except yaml.YAMLError as error:
        position = getattr(error, "position", 0)
        line = text.count("\n", 0, position) + 1
        raise reader.refusal(line, "invalid YAML: a character that YAML does not allow; remove it") from error
    return reader.root


class _Open:
    """A mapping or list whose end has not been read yet."""

    def __init__(self, line: int, *, mapping: bool) -> None:
        self.line = line
        self.mapping = mapping
        self.items: list[Node] = []
        self.pairs: dict[str, Node] = {}
        self.key: Node | None = None

    def node(self) -> Node:
        return Node(value=self.pairs if self.mapping else self.items, line=self.line)


class _Reader:
    """Builds the tree from parser events, without recursion: depth is data, not stack."""

    def __init__(self, file: str) -> None:
        self.file: Final = file
        self.root: Node | None = None
        self._documents = 0
        self._stack: list[_Open] = []
        self._words: Final = yaml.SafeLoader("")

    def refusal(self, line: int, message: str) -> ConfigError:
        return ConfigError((Problem(file=self.file, line=line, path="", message=message),))

    def take(self, event: yaml.Event) -> None:
        line = event.start_mark.line + 1 if event.start_mark else 1
        if isinstance(event, yaml.ScalarEvent):  # first, for it is three of four
            self._check_plain(event, line)
            self._add(Node(value=self._value(event, line), line=line, text=event.value))
        elif isinstance(event, yaml.AliasEvent):
            raise self.refusal(
                line, f"the alias `*{event.anchor}` is not accepted; write the value out, or quote it"
            )
        if isinstance(event, yaml.DocumentStartEvent):
            self._start_document(line)
        elif isinstance(event, yaml.CollectionStartEvent):
            self._check_plain(event, line)
            self._open(line, mapping=isinstance(event, yaml.MappingStartEvent))
        elif isinstance(event, yaml.CollectionEndEvent):
            self._add(self._stack.pop().node())

    def _start_document(self, line: int) -> None:
        self._documents += 1
        if self._documents > 1:
            raise self.refusal(line, "a second document starts here; keep one document in a file")

    def _check_plain(self, event: yaml.NodeEvent, line: int) -> None:
        if event.anchor is not None:
            raise self.refusal(line, f"the anchor `&{event.anchor}` is not accepted; write the value out")
        tag = getattr(event, "tag", None)
        if tag is not None and tag != "!":
            raise self.refusal(
                line, f"the tag `{tag}` is not accepted; write the value without it, or quote it"
            )

    def _open(self, line: int, *, mapping: bool) -> None:
        if self._stack and self._stack[-1].mapping and self._stack[-1].key is None:
            raise self.refusal(line, "a mapping or list cannot be a key; write the key as a string")
        if len(self._stack) >= MAX_DEPTH:
            raise self.refusal(line, f"nested deeper than {MAX_DEPTH} levels; flatten this part")
        self._stack.append(_Open(line, mapping=mapping))

    def _add(self, node: Node) -> None:
        if not self._stack:
            self.root = node
            return
        parent = self._stack[-1]
        if not parent.mapping:
            parent.items.append(node)
        elif parent.key is None:
            parent.key = self._key(node, parent)
        else:
            key, parent.key = parent.key, None
            parent.pairs[key.text] = Node(value=node.value, line=key.line, text=node.text)

    def _key(self, node: Node, parent: _Open) -> Node:
        if not isinstance(node.value, str):
            hint = f'put it in quotes: `"{node.text}"`' if node.text else "write the key as a string"
            raise self.refusal(node.line, f"a key must be a string, found {node.found}; {hint}")
        if node.text == "<<":
            raise self.refusal(node.line, "the merge key `<<` is not accepted; write the values out")
        if node.text in parent.pairs:
            first = parent.pairs[node.text].line
            message = f"the key `{node.text}` is already written on line {first}; keep one of them"
            raise self.refusal(node.line, message)
        return node

    def _value(self, event: yaml.ScalarEvent, line: int) -> Scalar:
        if not event.implicit[0] or len(event.value) > _LONGEST_WORD or event.value[:1] not in _FIRSTS:
            return event.value
        tag = self._words.resolve(yaml.ScalarNode, event.value, (True, False))  # type: ignore[no-untyped-call] # its stubs lack types
        if tag not in _NUMBERS | _WORDS:
            return event.value  # dates and the like stay the text they were written as
        try:
            value: Scalar = self._words.construct_object(yaml.ScalarNode(tag, event.value))
        except ValueError as error:
            raise self.refusal(line, f"`{event.value}` is not a number; put it in quotes") from error
        if isinstance(value, float) and not math.isfinite(value):
            raise self.refusal(line, f"`{event.value}` is not a finite number; write a number or quote it")
        return value


def _explained(error: yaml.MarkedYAMLError) -> str:
    """What the parser says, and what to do about it."""
    problem = error.problem or "it cannot be read"
    return (
        f"{problem}; {next((cure for part, cure in _CURES.items() if part in problem), 'correct this line')}"
    )
