"""A policy file as one tree for YAML and TOML, the line of each value, and what is wrong in it."""

from __future__ import annotations

import datetime as dt
import pathlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, ParamSpec, TypeAlias, TypeVar

import msgspec

from interlock.errors import ConditionError, PatternError, Problem, UnknownEventError

Scalar: TypeAlias = str | bool | int | float | dt.date | dt.time | None
Path: TypeAlias = tuple[str | int, ...]

MAX_DEPTH: Final = 64
_LONGEST_TEXT: Final = 60  # in a message
_FOR_WHICH: Final = frozenset({"matcher", "tool_matcher", "if", "condition"})  # which calls a hook is for


class Node(msgspec.Struct, frozen=True, kw_only=True):
    """A value and its line; below a key that is the key's line."""

    value: Scalar | list[Node] | dict[str, Node]
    line: int
    text: str = ""  # a scalar as it was written, for messages

    @property
    def kind(self) -> str:
        """What people call this kind of value."""
        return _kind(self.value)

    @property
    def found(self) -> str:
        """The value in words, short enough for a message."""
        if isinstance(self.value, dict | list) or self.value is None:
            return self.kind
        text = self.text if len(self.text) <= _LONGEST_TEXT else f"{self.text[:_LONGEST_TEXT]}…"
        return f"{self.kind} `{text}`" if text else "an empty string"

    def plain(self) -> Any:
        """The same value without lines."""
        if isinstance(self.value, dict):
            return {key: child.plain() for key, child in self.value.items()}
        if isinstance(self.value, list):
            return [child.plain() for child in self.value]
        return self.value


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """One file's tree, which knows the line of everything in it."""

    file: str
    root: Node

    def at(self, path: Path) -> Node:
        """The node a path leads to, or the last one on the way that exists."""
        *_, last = self._along(path)
        return last

    def without(self, places: Iterable[Path], stand_in: Any) -> Document:
        """The same document without the hooks, lists and settings that contain these places.

        `stand_in` replaces a hook; it keeps which calls the hook is for, if that part is right.
        """
        root, wrong = self.root, list(places)
        for place in dict.fromkeys(map(_enclosing_part, wrong)):
            depth = len(place)
            bad = {path[depth] for path in wrong if path[:depth] == place and len(path) > depth}
            root = _leave_out(root, place, stand_in, _FOR_WHICH - bad)
        return Document(file=self.file, root=root)

    def problem(self, path: Path, message: str) -> Problem:
        """A mistake at a path of this file."""
        return Problem(file=self.file, line=self.at(path).line, path=path_text(path), message=message)

    def _along(self, path: Path) -> Iterator[Node]:
        node = self.root
        yield node
        for step in path:
            if isinstance(node.value, dict) and step in node.value:
                node = node.value[str(step)]
            elif isinstance(node.value, list) and isinstance(step, int) and step < len(node.value):
                node = node.value[step]
            else:
                return
            yield node


def path_text(path: Path) -> str:
    """Write a path as people point at it: `hooks.pre_tool_use[0].type`."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            # A key that holds our own punctuation is quoted, so that the path stays readable.
            name = f'"{step}"' if not step or set(step) & set(".[] \n") else step
            text += f".{name}" if text else name
    return text


def _kind(value: object) -> str:
    kinds: tuple[tuple[type | tuple[type, ...], str], ...] = (
        (bool, "the boolean"),  # before int, of which bool is one
        ((int, float), "the number"),
        (str, "the string"),
        (dict, "a mapping"),
        (list, "a list"),
        ((dt.date, dt.time), "the date"),
    )
    return next((name for types, name in kinds if isinstance(value, types)), "nothing")


def _enclosing_part(place: Path) -> Path:
    """The hook, the list of an actor or the setting that a place is in."""
    if place[:1] == ("hooks",):
        return place[: next((n for n, step in enumerate(place, 1) if isinstance(step, int)), len(place))]
    return place[: 4 if place[:2] == ("permissions", "actors") else 2]


def _leave_out(node: Node, place: Path, stand_in: Any, kept: frozenset[str | int]) -> Node:
    if not place:
        return node
    step, below = place[0], place[1:]
    value = node.value
    if isinstance(value, list) and isinstance(step, int) and step < len(value):
        item, below_item = value[step], tuple(below)
        inner = (
            _leave_out(item, below_item, stand_in, kept) if below else _with_stand_in(item, stand_in, kept)
        )
        return msgspec.structs.replace(node, value=[*value[:step], inner, *value[step + 1 :]])
    if isinstance(value, dict) and step in value:
        rest = {key: child for key, child in value.items() if key != step}
        if below:
            rest[str(step)] = _leave_out(value[str(step)], below, stand_in, kept)
        return msgspec.structs.replace(node, value=rest)
    return node


def _with_stand_in(old: Node, stand_in: Any, kept: frozenset[str | int]) -> Node:
    new = _node(stand_in, old.line)
    if isinstance(old.value, dict) and isinstance(new.value, dict):
        same = {key: child for key, child in old.value.items() if key in kept}
        return msgspec.structs.replace(new, value={**same, **new.value})
    return new


def _node(plain: Any, line: int) -> Node:
    if isinstance(plain, dict):
        return Node(value={key: _node(child, line) for key, child in plain.items()}, line=line)
    return Node(value=plain, line=line, text=str(plain))


Arguments = ParamSpec("Arguments")
Built = TypeVar("Built")

# Looking for the nearest word takes time: a file of nonsense is not searched to its end.
MAX_PROBLEMS: Final = 50
OTHERS_FOLDER: Final = ".mentu"  # of a system whose policies we read where they stand
_OTHERS_SECTIONS: Final = frozenset({"genesis", "identity", "constitution"})


def read_by_others(document: Document) -> bool:
    """Whether a `genesis.key` is also another system's: by its folder, or by a section of theirs."""
    if pathlib.Path(document.file).absolute().parent.name == OTHERS_FOLDER:
        return True
    sections = document.root.value
    return isinstance(sections, dict) and not _OTHERS_SECTIONS.isdisjoint(sections)


class Findings:
    """Gathers problems and notices of one document while it is compiled."""

    def __init__(self, document: Document) -> None:
        self.document: Final = document
        self.foreign: Final = read_by_others(document)  # then some of its keys may be theirs alone
        self.problems: Final[list[Problem]] = []
        self.notices: Final[list[Problem]] = []

    @property
    def full(self) -> bool:
        """Whether enough mistakes are known."""
        return len(self.problems) >= MAX_PROBLEMS

    def problem(self, path: Path, message: str) -> None:
        """Note a mistake; the file will not load."""
        self.problems.append(self.document.problem(path, message))

    def notice(self, path: Path, message: str) -> None:
        """Note something a person should know; the file loads."""
        self.notices.append(self.document.problem(path, message))

    def unused(self, path: Path) -> None:
        """Note a key that is another system's."""
        self.notice(path, "stored, but not used: only other systems read this")

    def attempt(
        self,
        path: Path,
        build: Callable[Arguments, Built],
        /,
        *args: Arguments.args,
        **kwargs: Arguments.kwargs,
    ) -> Built | None:
        """Build something from text a person wrote; its refusal becomes a problem at the path."""
        try:
            return build(*args, **kwargs)
        except (PatternError, ConditionError, UnknownEventError, ValueError) as error:
            self.problem(path, str(error))
            return None
