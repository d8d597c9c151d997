"""`pre_checks`: tools that are not to be used are denied with what to use, and half a file is not written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, ClassVar, Final, final

import msgspec
from msgspec import Meta

from interlock.errors import PatternError
from interlock.events.hook import CallView, Matcher, Pattern
from interlock.events.names import EventName
from interlock.events.rule import OptionRule
from interlock.events.tool import ToolCall
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.events.verdict import NO_OPINION, Verdict, deny
from interlock.patterns.matcher import parse_matcher
from interlock.policy.hook_kind import BuildContext, Builtin

_WRITE: Final = "Write"
_PATHS: Final = ("file_path", "path")
# An answer that was cut off at its longest is the usual cause; the same call again would be cut off again.
_ADVICE: Final = (
    "send `file_path` and the whole `content` in one call; if the file is too long for that, write a "
    "first part and add to it with Edit"
)

Text = Annotated[str, Meta(min_length=1)]


class PreChecksConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which tools are not to be used, and whether a Write must be whole."""

    instead: Annotated[
        dict[Text, Text], Meta(description="By matcher of the denied calls: what to do instead.")
    ] = {}
    write: Annotated[bool, Meta(description="false: a Write without a path or content is allowed.")] = True


@final
class PreChecks(OptionRule):
    """Denies by the first entry that means the call, then a Write that says not what or not where."""

    kind: ClassVar[str] = "pre_checks"

    def __init__(self, options: PreChecksConfig, meant: Sequence[tuple[Matcher, str]]) -> None:
        super().__init__(options)
        self._write: Final = options.write
        self._meant: Final = tuple(meant)
        self._patterns: Final = tuple(pattern for matcher, _ in meant for pattern in matcher.patterns)

    @property
    def patterns(self) -> Sequence[Pattern]:
        """Those of its entries."""
        return self._patterns

    def run(self, view: CallView, seconds: float) -> Verdict:
        tool = view.event.tool
        if tool is None:
            return NO_OPINION
        for matcher, instead in self._meant:
            if matcher.fires(view, every_part=False):
                return deny(f"{tool.name} is not allowed here. Instead: {instead}")
        missing = _missing(tool) if self._write else None
        return (
            NO_OPINION if missing is None else deny(f"{tool.name} without {missing} does nothing; {_ADVICE}")
        )


def _missing(tool: ToolCall) -> str | None:
    """What a Write does not say; an empty text is content."""
    if STANDARD_TOOLS.canonical(tool.name) != _WRITE:
        return None
    path = next((tool.input[name] for name in _PATHS if name in tool.input), None)
    lacks = [
        *([] if isinstance(path, str) and path.strip() else ["`file_path`"]),
        *([] if isinstance(tool.input.get("content"), str) else ["`content`"]),
    ]
    return " and ".join(lacks) or None


def _make(options: PreChecksConfig, making: BuildContext) -> PreChecks | None:
    meant: list[tuple[Matcher, str]] = []
    for text, instead in options.instead.items():
        try:
            matcher = parse_matcher(text)
        except PatternError as error:
            making.problem(("instead", text), str(error))
            return None
        if not matcher.needs_tool:
            making.problem(("instead", text), "this would deny every call; name the tools to deny")
            return None
        meant.append((matcher, instead))
    return PreChecks(options, meant)


BUILTIN: Final = Builtin(
    kind=PreChecks.kind,
    about="Denies tools that should not be used, and a Write without a path or content.",
    options=PreChecksConfig,
    make=_make,
    events=(EventName.PRE_TOOL_USE,),
    votes=True,
    tightens=True,
)
