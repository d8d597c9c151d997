"""`pre_checks`: denies tools that should not be used, and a Write without a path or content."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final, final

import msgspec

from interlock.events.hook import CallView, Matcher, Pattern
from interlock.events.names import EventName
from interlock.events.rule import OptionRule
from interlock.events.tool import ToolCall
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.events.verdict import NO_OPINION, Verdict, deny
from interlock.patterns.matcher import parse_matcher
from interlock.policy.format.entry import Text, about
from interlock.policy.hook_kind import BuildContext, Builtin, OptionError, read_option

_WRITE: Final = "Write"
_PATHS: Final = ("file_path", "path")
# The usual cause is an answer that was cut off at its limit; the same call would be cut off again.
_ADVICE: Final = (
    "Send `file_path` and the whole `content` in one call. If the file is too long for that, write a "
    "first part and add to it with Edit."
)


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which tools are denied, and whether a Write must be complete."""

    instead: Annotated[dict[Text, Text], about("By matcher of the denied calls: what to do instead.")] = {}
    write: Annotated[bool, about("false: a Write without a path or content is allowed.")] = True


@final
class PreChecks(OptionRule):
    """Denies a call by the first entry that matches it, then an incomplete Write."""

    kind: Final = "pre_checks"
    _options: Options

    def __init__(self, options: Options, _: BuildContext) -> None:
        super().__init__(options)
        self._entries: Final = [(_denied_calls(text), instead) for text, instead in options.instead.items()]
        self._patterns: Final = [pattern for matcher, _ in self._entries for pattern in matcher.patterns]

    @property
    def patterns(self) -> Sequence[Pattern]:
        """The patterns of its entries."""
        return self._patterns

    def run(self, view: CallView, seconds: float) -> Verdict:
        tool = view.event.tool
        if tool is None:
            return NO_OPINION
        for matcher, instead in self._entries:
            if matcher.fires(view, every_part=False):
                return deny(f"{tool.name} is not allowed here. Instead: {instead}")
        missing = _missing_fields(tool) if self._options.write else None
        return deny(f"{tool.name} without {missing} does nothing. {_ADVICE}") if missing else NO_OPINION


def _missing_fields(tool: ToolCall) -> str | None:
    """What a Write lacks; an empty text is content."""
    if STANDARD_TOOLS.canonical(tool.name) != _WRITE:
        return None
    path = next((tool.input[name] for name in _PATHS if name in tool.input), None)
    missing = [] if isinstance(path, str) and path.strip() else ["`file_path`"]
    missing += [] if isinstance(tool.input.get("content"), str) else ["`content`"]
    return " and ".join(missing) or None


def _denied_calls(text: str) -> Matcher:
    matcher = read_option(("instead", text), parse_matcher, text)
    if not matcher.needs_tool:
        raise OptionError(("instead", text), "this would deny every call; name the tools to deny")
    return matcher


BUILTIN: Final = Builtin(
    kind="pre_checks",
    about="Denies tools that should not be used, and a Write without a path or content.",
    options=Options,
    make=PreChecks,
    events=(EventName.PRE_TOOL_USE,),
    votes=True,
    tightens=True,
)
