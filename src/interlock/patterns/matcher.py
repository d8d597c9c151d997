"""Parses patterns, and the matchers of hooks: all calls, names, prefixes, patterns or expressions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Final, final

import re2

from interlock.effects.command import MARKS, GapKind
from interlock.effects.effect import EffectKind
from interlock.errors import PatternError
from interlock.events.hook import CallView, Matcher, Pattern, PatternList
from interlock.events.names import WITH_TOOL, snake_case
from interlock.events.tool import ToolTable
from interlock.events.tool_table import STANDARD_TOOLS

_SHAPE: Final = re.compile(r"(?P<tool>[A-Za-z_][\w.-]*)(?:\((?P<argument>.*)\))?", re.DOTALL)
# `https://…` is text, not the field `https`.
_FIELD: Final = re.compile(r"(?P<field>[A-Za-z_]\w*):(?!//)(?P<glob>.*)", re.DOTALL)
_MAX_LENGTH: Final = 4_096
_EFFECTS: Final = frozenset(kind.value for kind in EffectKind)


def parse_pattern(text: str, tools: ToolTable = STANDARD_TOOLS) -> Pattern:
    """Parse `Tool`, `Tool(glob)`, `Tool(field:glob)`, `effect(glob)` or `unread(kind)`."""
    if len(text) > _MAX_LENGTH:
        raise PatternError(f"pattern of {len(text)} characters; the limit is {_MAX_LENGTH}")
    if mark := MARKS.search(text):
        raise PatternError(f"pattern with the private character U+{ord(mark.group()):04X}; remove it")
    shape = _SHAPE.fullmatch(text)
    if shape is None:
        raise PatternError(f"`{text}` is not a pattern; write `Tool` or `Tool(glob)`, such as `Bash(git *)`")
    tool, argument = shape["tool"], shape["argument"]
    if tool in _EFFECTS and tools.spec(tool) is None:
        return _parse_effect(text, tool, argument)
    if tool == UNREAD and tools.spec(tool) is None:
        return _parse_unread(text, argument)
    if argument is None:
        return Pattern(text=text, tool=tools.canonical(tool))
    if argument == "":
        raise PatternError(f"`{text}` has an empty argument; write `{tool}` for every call of {tool}")
    field, glob = _split_field(tool, argument, tools)
    everything = glob == "*" and field is None
    return Pattern(text=text, tool=tools.canonical(tool), field=field, glob=None if everything else glob)


def _parse_effect(text: str, kind: str, argument: str | None) -> Pattern:
    if argument == "" or (argument is not None and _FIELD.fullmatch(argument)):
        raise PatternError(
            f"`{text}` is not an effect; write `{kind}(glob)`, or `{kind}(*)` for every {kind}"
        )
    everything = argument is None or not argument.strip("*")
    return Pattern(text=text, tool=kind, glob=None if everything else argument, effect=True)


def _split_field(tool: str, argument: str, tools: ToolTable) -> tuple[str | None, str]:
    named = _FIELD.fullmatch(argument)
    if named is None:
        return None, argument
    spec = tools.spec(tool)
    if spec is None:
        return named["field"], named["glob"]
    if named["field"] == spec.main:
        return None, named["glob"]
    if named["field"] in spec.fields:
        return named["field"], named["glob"]
    known = [name for name in (spec.main or "", *spec.fields) if name]
    near = get_close_matches(named["field"], known, n=1)
    cure = f"for a prefix write `{tool}({named['field']} *)`"
    hint = f"did you mean `{tool}({near[0]}:{named['glob']})`" if near else cure
    raise PatternError(
        f"`{named['field']}` is not a field of {tool} ({', '.join(known) or 'it has none'}); {hint}"
    )


UNREAD: Final = "unread"
_KINDS: Final = tuple(kind.value for kind in GapKind)


def _parse_unread(text: str, argument: str | None) -> Pattern:
    if argument is not None and argument != "*" and argument not in _KINDS:
        near = get_close_matches(argument, _KINDS, n=1)
        cure = f"did you mean `{UNREAD}({near[0]})`?" if near else f"use one of {', '.join(_KINDS)}"
        raise PatternError(f"`{argument}` is not a kind of unread text; {cure}")
    return Pattern(text=text, tool=UNREAD, glob=None if argument == "*" else argument, effect=True)


_PREFIX: Final = re.compile(r"[A-Za-z_][\w.-]*\*")


@final
class Everything:
    """Matches every event, including those without a tool."""

    needs_tool: Final = False
    by_patterns_alone: Final = False
    patterns: Final[Sequence[Pattern]] = ()

    def __init__(self, text: str) -> None:
        self.text: Final = text

    def fires(self, view: CallView, *, every_part: bool) -> bool:  # noqa: ARG002 - the protocol's signature
        return True


@final
class ToolRegex:
    """Matches tools if an RE2 expression is found in one of their names."""

    needs_tool: Final = True
    by_patterns_alone: Final = False
    patterns: Final[Sequence[Pattern]] = ()

    def __init__(self, text: str, tools: ToolTable) -> None:
        options = re2.Options()
        options.log_errors = False
        try:
            self._regex: Final = re2.compile(text[1:-1], options)
        except re2.error as error:
            raise PatternError(
                f"`{text}` is not a regular expression that RE2 supports: {_message(error)}"
            ) from error
        self.text: Final = text
        self._tools: Final = tools

    def fires(self, view: CallView, *, every_part: bool) -> bool:  # noqa: ARG002 - the protocol's signature
        tool = view.event.tool
        names = self._tools.names(tool.name) if tool else ()
        return any(self._regex.search(name) is not None for name in names)


@final
class AnyOf:
    """Matches if one of its names, prefixes or patterns does."""

    needs_tool: Final = True

    def __init__(
        self,
        text: str,
        prefixes: Sequence[str],
        patterns: Sequence[Pattern],
        tools: ToolTable,
        *,
        tame: bool = True,
    ) -> None:
        self._tame: Final = tame  # whether commands that only show something count too
        self.text: Final = text
        self.patterns: Final = patterns
        self.by_patterns_alone: Final = not prefixes
        self._prefixes: Final = tuple(prefixes)
        self._list: Final = PatternList(patterns)
        self._tools: Final = tools
        self._named_tools: Final = frozenset(pattern.tool for pattern in patterns if not pattern.effect)
        self._of_effects: Final = any(pattern.effect for pattern in patterns)

    def fires(self, view: CallView, *, every_part: bool) -> bool:
        tool = view.event.tool
        if tool is None:
            return False
        if self._prefixes and any(name.startswith(self._prefixes) for name in self._tools.names(tool.name)):
            return True
        if not self._of_effects and self._tools.canonical(tool.name) not in self._named_tools:
            return False
        if every_part:
            return view.allowed(self._list) is not None
        return view.denied(self._list, tame=self._tame) is not None


@final
class Several:
    """Matches if one of its matchers does."""

    def __init__(self, text: str, matchers: Sequence[Matcher]) -> None:
        self.text: Final = text
        self.patterns: Final = tuple(pattern for matcher in matchers for pattern in matcher.patterns)
        self.needs_tool: Final = all(matcher.needs_tool for matcher in matchers)
        self.by_patterns_alone: Final = False
        self._matchers: Final = tuple(matchers)

    def fires(self, view: CallView, *, every_part: bool) -> bool:
        return any(matcher.fires(view, every_part=every_part) for matcher in self._matchers)


def parse_matcher_for(
    events: Iterable[str],
    text: str | Sequence[str] | None,
    tools: ToolTable = STANDARD_TOOLS,
    *,
    tame: bool = True,
) -> Matcher:
    """Parse the matcher of a hook for these events; refuse one that could never fire."""
    matcher = parse_matcher(text, tools, tame=tame)
    names = list(events)
    if matcher.needs_tool and not WITH_TOOL.intersection(names):
        written = ", ".join(snake_case(name) for name in names)
        raise PatternError(f"`{written}` has no tool, so this hook could never run; remove the matcher")
    return matcher


def parse_matcher(
    text: str | Sequence[str] | None, tools: ToolTable = STANDARD_TOOLS, *, tame: bool = True
) -> Matcher:
    """Parse a matcher, or a list of matchers of which one must match."""
    texts = [text or "*"] if text is None or isinstance(text, str) else list(text)
    if not texts:
        raise PatternError("an empty list of matchers matches nothing; write `*` for every call")
    whole = "|".join(texts)
    expressions = [one for one in texts if len(one) > 1 and one.startswith("/") and one.endswith("/")]
    # All entries share one list, so that different entries may cover the parts of one command.
    prefixes: list[str] = []
    patterns: list[Pattern] = []
    for one in texts:
        for alternative in _split_alternatives(one) if one not in expressions else ():
            if alternative in {"", "*"} and (alternative or not one.strip()):
                return Everything(whole)
            _add_alternative(alternative, one, prefixes, patterns, tools)
    found: list[Matcher] = [ToolRegex(one, tools) for one in expressions]
    if prefixes or patterns:
        named = "|".join(one for one in texts if one not in expressions)
        found.insert(0, AnyOf(named, prefixes, patterns, tools, tame=tame))
    return found[0] if len(found) == 1 else Several(whole, found)


def _add_alternative(
    alternative: str, text: str, prefixes: list[str], patterns: list[Pattern], tools: ToolTable
) -> None:
    """Add a name, prefix or pattern to the list it belongs to."""
    if _PREFIX.fullmatch(alternative) is not None:
        if alternative.endswith(".*"):
            right = f"write `{alternative[:-2]}*` or `/{text}/`"
            raise PatternError(f"`{text}` mixes globs and expressions; {right}")
        prefixes.append(alternative[:-1])
        return
    if "," in alternative.partition("(")[0]:
        raise PatternError(f"`{text}` contains a comma; separate tools with `|`, such as `Write|Edit`")
    patterns.append(parse_pattern(alternative, tools))


def _split_alternatives(text: str) -> list[str]:
    """Split at `|` outside parentheses."""
    if "|" not in text:
        return [text.strip()]
    found, depth, start = [], 0, 0
    for index, character in enumerate(text):
        if character == "|" and depth == 0:
            found.append(text[start:index].strip())
            start = index + 1
        else:
            depth = max(0, depth + (character == "(") - (character == ")"))
    return [*found, text[start:].strip()]


def _message(error: Exception) -> str:
    first = error.args[0] if error.args else error
    return first.decode(errors="replace") if isinstance(first, bytes) else str(first)
