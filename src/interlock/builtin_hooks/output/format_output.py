"""`format_output`: what a tool gave back, without what only a terminal shows."""

from __future__ import annotations

import re
from typing import Annotated, Final, final

import msgspec

from interlock.builtin_hooks.output.output_texts import with_texts
from interlock.events.hook import CallView, OnFailure
from interlock.events.names import EventName
from interlock.events.rule import Helper
from interlock.events.verdict import NO_OPINION, Verdict
from interlock.policy.format.entry import about
from interlock.policy.hook_kind import BuildContext, Builtin, OptionError

# Colours and cursor moves, titles and links (ended by a bell or by `ESC \`), and single escapes.
_ESCAPES: Final = re.compile(
    r"\x1b\[[0-9:;<=>?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[@-Z\\^_=>78]|\x1b\([AB0]"
)
_REDRAWN: Final = re.compile(r"[^\n]*\r(?!\n)(?=[^\n])")  # a progress bar: what was drawn over
_CONTROLS: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_BLANKS: Final = re.compile(r"[ \t]+(?=\n|\Z)")
_EMPTY: Final = re.compile(r"\n{3,}")
_SIGNS: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]|[ \t](?:\n|\Z)|\n\n\n")  # one of them, or nothing to do
_SHORTEST: Final = 3  # equal lines below this many are left as they are


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is taken out, and how much is left."""

    escapes: Annotated[bool, about("false: keep colours, cursor moves and overwritten progress bars.")] = True
    blanks: Annotated[bool, about("false: keep blanks at line ends and runs of empty lines.")] = True
    repeats: Annotated[bool, about("false: keep lines that repeat three times or more in a row.")] = True
    most_lines: (
        Annotated[int, about("Keep the beginning and the end of a longer text; default: keep all.", ge=2)]
        | None
    ) = None


@final
class FormatOutput(Helper):
    """Changes texts only, so that the result keeps the shape its tool gave it."""

    kind: Final = "format_output"
    _options: Options

    def __init__(self, options: Options, _: BuildContext) -> None:
        super().__init__(options)
        if not (options.escapes or options.blanks or options.repeats or options.most_lines):
            raise OptionError("escapes", "everything is off, so nothing would be formatted; enable something")

    def run(self, view: CallView, seconds: float) -> Verdict:
        before = view.event.tool_output
        after = with_texts(before, self._formatted)
        return NO_OPINION if after is before else Verdict(updated_output=after)

    def _formatted(self, text: str) -> str:
        options, made = self._options, text
        if _SIGNS.search(made) is not None:
            if options.escapes:
                made = _plain(made)
            if options.blanks:
                made = _EMPTY.sub("\n\n", _BLANKS.sub("", made))
        if options.repeats and "\n" in made:
            made = _counted(made)
        if options.most_lines is not None:
            made = _cut(made, options.most_lines)
        return text if made == text else made


def _plain(text: str) -> str:
    """As it would stand on paper once it was drawn."""
    without = _ESCAPES.sub("", text).replace("\r\n", "\n")
    return _CONTROLS.sub("", _REDRAWN.sub("", without).replace("\r", "\n"))


def _counted(text: str) -> str:
    lines = text.split("\n")
    kept: list[str] = []
    index = 0
    while index < len(lines):
        line, end = lines[index], index + 1
        while end < len(lines) and lines[end] == line:
            end += 1
        same = end - index
        if same >= _SHORTEST and line.strip():
            kept += [line, f"[the line above {same} times]"]
        else:
            kept += lines[index:end]
        index = end
    return "\n".join(kept) if len(kept) != len(lines) else text


def _cut(text: str, most: int) -> str:
    lines = text.split("\n")
    if len(lines) <= most:
        return text
    head = (most + 1) // 2
    left = len(lines) - most
    return "\n".join([*lines[:head], f"[{left} lines left out]", *lines[head + left :]])


BUILTIN: Final = Builtin(
    kind="format_output",
    about="Removes colours, progress bars, repeated and blank lines from what commands print.",
    options=Options,
    make=FormatOutput,
    events=(EventName.POST_TOOL_USE,),
    matcher="Bash",
    on_failure=OnFailure.OPEN,
)
