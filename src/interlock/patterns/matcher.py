"""Which calls a hook is about: all, names, prefixes, `Tool(glob)`, `effect(glob)` or an expression."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final, final

import re2

from interlock.errors import PatternError
from interlock.events.hook import CallView, Matcher, Pattern, PatternList
from interlock.events.names import WITH_TOOL, snake_case
from interlock.events.tool import ToolTable
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.patterns.pattern import parse_pattern

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
