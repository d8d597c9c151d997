"""Which calls a hook is about: all, names, prefixes, `Tool(glob)`, `effect(glob)` or an expression."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Final, final

import re2

from interlock.effects.command import MARKS, Gap, GapKind
from interlock.effects.effect import EffectKind
from interlock.errors import PatternError
from interlock.events.hook import CallView, Matcher, Pattern, PatternList
from interlock.events.names import WITH_TOOL, snake_case
from interlock.events.tool import ToolTable
from interlock.events.tool_table import STANDARD_TOOLS

_SHAPE: Final = re.compile(r"(?P<tool>[A-Za-z_][\w.-]*)(?:\((?P<argument>.*)\))?", re.DOTALL)
# `https://…` is a text, not the field `https`.
_FIELD: Final = re.compile(r"(?P<field>[A-Za-z_]\w*):(?!//)(?P<glob>.*)", re.DOTALL)
_MAX_LENGTH: Final = 4_096
_EFFECTS: Final = frozenset(kind.value for kind in EffectKind)


def parse_pattern(text: str, tools: ToolTable = STANDARD_TOOLS) -> Pattern:
    """Read one pattern; raise PatternError with the next step when it is none."""
    if len(text) > _MAX_LENGTH:
        raise PatternError(f"pattern of {len(text)} characters; the limit is {_MAX_LENGTH}")
    if mark := MARKS.search(text):
        raise PatternError(f"pattern with the private character U+{ord(mark.group()):04X}; remove it")
    shape = _SHAPE.fullmatch(text)
    if shape is None:
        raise PatternError(f"`{text}` is not a pattern; write `Tool` or `Tool(glob)`, such as `Bash(git *)`")
    tool, argument = shape["tool"], shape["argument"]
    if tool in _EFFECTS and tools.spec(tool) is None:
        return _effect(text, tool, argument)
    if tool == UNREAD and tools.spec(tool) is None:
        return unread_pattern(text, argument)
    if argument is None:
        return Pattern(text=text, tool=tools.canonical(tool))
    if argument == "":
        raise PatternError(f"`{text}` has an empty argument; write `{tool}` for every call of {tool}")
    field, glob = _split_field(tool, argument, tools)
    everything = glob == "*" and field is None
    return Pattern(text=text, tool=tools.canonical(tool), field=field, glob=None if everything else glob)


def _effect(text: str, kind: str, argument: str | None) -> Pattern:
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
    raise PatternError(_unknown_field(tool, named["field"], named["glob"], (spec.main or "", *spec.fields)))


def _unknown_field(tool: str, field: str, glob: str, fields: tuple[str, ...]) -> str:
    known = [name for name in fields if name]
    near = get_close_matches(field, known, n=1)
    hint = f"did you mean `{tool}({near[0]}:{glob})`" if near else f"for a prefix write `{tool}({field} *)`"
    return f"`{field}` is not a field of {tool} ({', '.join(known) or 'it has none'}); {hint}"


UNREAD: Final = "unread"
_KINDS: Final = tuple(kind.value for kind in GapKind)


def unread_pattern(text: str, argument: str | None) -> Pattern:
    """Read `unread`, `unread(*)` or `unread(kind)`."""
    if argument is not None and argument != "*" and argument not in _KINDS:
        near = get_close_matches(argument, _KINDS, n=1)
        cure = f"did you mean `{UNREAD}({near[0]})`?" if near else f"use one of {', '.join(_KINDS)}"
        raise PatternError(f"`{argument}` is not a kind of unread text; {cure}")
    return Pattern(text=text, tool=UNREAD, glob=None if argument == "*" else argument, effect=True)


class UnreadPatterns:
    """The patterns of a policy that speak of gaps, by kind."""

    def __init__(self, patterns: Iterable[Pattern]) -> None:
        self._by_kind: Final[dict[GapKind, list[str]]] = {kind: [] for kind in GapKind}
        for pattern in patterns:
            for kind in GapKind if pattern.glob is None else (GapKind(pattern.glob),):
                self._by_kind[kind].append(pattern.text)

    def denials(self, gap: Gap) -> list[str]:
        """The patterns that a gap is met by."""
        return self._by_kind[gap.kind]


_PREFIX: Final = re.compile(r"[A-Za-z_][\w.-]*\*")


@final
class Everything:
    """Matches every event, also those without a tool."""

    needs_tool: Final = False
    by_patterns_alone: Final = False
    patterns: Final[Sequence[Pattern]] = ()

    def __init__(self, text: str) -> None:
        self.text: Final = text

    def fires(self, view: CallView, *, every_part: bool) -> bool:  # noqa: ARG002 - the protocol's signature
        return True


@final
class ToolRegex:
    """Matches tool names by a linear-time regular expression, anywhere in any of their names."""

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
                f"`{text}` is not a regular expression that RE2 supports: {_words(error)}"
            ) from error
        self.text: Final = text
        self._tools: Final = tools

    def fires(self, view: CallView, *, every_part: bool) -> bool:  # noqa: ARG002 - the protocol's signature
        tool = view.event.tool
        names = self._tools.names(tool.name) if tool else ()
        return any(self._regex.search(name) is not None for name in names)


@final
class AnyOf:
    """Matches when one of its names, prefixes or patterns does."""

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
        self._tame: Final = tame  # whether commands are meant, too, that only show something
        self.text: Final = text
        self.patterns: Final = patterns
        self.by_patterns_alone: Final = not prefixes
        self._prefixes: Final = tuple(prefixes)
        self._list: Final = PatternList(patterns)
        self._tools: Final = tools
        self._meant: Final = frozenset(pattern.tool for pattern in patterns if not pattern.effect)
        self._of_effects: Final = any(pattern.effect for pattern in patterns)

    def fires(self, view: CallView, *, every_part: bool) -> bool:
        tool = view.event.tool
        if tool is None:
            return False
        if self._prefixes and any(name.startswith(self._prefixes) for name in self._tools.names(tool.name)):
            return True
        if not self._of_effects and self._tools.canonical(tool.name) not in self._meant:
            return False
        if every_part:
            return view.allowed(self._list) is not None
        return view.denied(self._list, tame=self._tame) is not None


@final
class Several:
    """Matches when one of its matchers does; what can be one matcher is one already."""

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
    """Read the matcher of a hook bound to these events; one that could never fire there is refused."""
    matcher = parse_matcher(text, tools, tame=tame)
    names = list(events)
    if matcher.needs_tool and not WITH_TOOL.intersection(names):
        shown = ", ".join(snake_case(name) for name in names)
        raise PatternError(f"`{shown}` has no tool, so this hook could never run; remove the matcher")
    return matcher


def parse_matcher(
    text: str | Sequence[str] | None, tools: ToolTable = STANDARD_TOOLS, *, tame: bool = True
) -> Matcher:
    """Read a matcher, or a list of them of which one is enough; raise PatternError with the next step."""
    texts = [text or "*"] if text is None or isinstance(text, str) else list(text)
    if not texts:
        raise PatternError("an empty list of matchers matches nothing; write `*` for every call")
    shown = _list_texts(texts)
    expressions = [one for one in texts if len(one) > 1 and one.startswith("/") and one.endswith("/")]
    # Together, so that a command whose parts are met by different entries is met as a whole.
    prefixes: list[str] = []
    patterns: list[Pattern] = []
    for one in texts:
        for alternative in _alternatives(one) if one not in expressions else ():
            if alternative in {"", "*"} and (alternative or not one.strip()):
                return Everything(shown)
            _sort(alternative, one, prefixes, patterns, tools)
    found: list[Matcher] = [ToolRegex(one, tools) for one in expressions]
    if prefixes or patterns:
        named = _list_texts(one for one in texts if one not in expressions)
        found.insert(0, AnyOf(named, prefixes, patterns, tools, tame=tame))
    return found[0] if len(found) == 1 else Several(shown, found)


def _list_texts(texts: Iterable[str]) -> str:
    return "|".join(texts)


def _sort(
    alternative: str, text: str, prefixes: list[str], patterns: list[Pattern], tools: ToolTable
) -> None:
    """Add a name, prefix or pattern where it belongs."""
    if _PREFIX.fullmatch(alternative) is None:
        patterns.append(_pattern(alternative, text, tools))
    elif alternative.endswith(".*"):
        raise PatternError(f"`{text}` mixes globs and expressions; write `{alternative[:-2]}*` or `/{text}/`")
    else:
        prefixes.append(alternative[:-1])


def _pattern(alternative: str, matcher: str, tools: ToolTable) -> Pattern:
    if "," in alternative.partition("(")[0]:
        raise PatternError(f"`{matcher}` contains a comma; separate tools with `|`, such as `Write|Edit`")
    return parse_pattern(alternative, tools)


def _alternatives(text: str) -> list[str]:
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


def _words(error: Exception) -> str:
    first = error.args[0] if error.args else error
    return first.decode(errors="replace") if isinstance(first, bytes) else str(first)
