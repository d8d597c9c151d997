"""`format_output` and `secrets_out`: remove clutter and secrets from the output of tools."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Annotated, Any, Final, final

import msgspec

from interlock.events.event import Event
from interlock.events.hook import CallView, OnFailure
from interlock.events.names import EventName
from interlock.events.rule import Helper
from interlock.events.text import plural
from interlock.events.tool import JsonObject
from interlock.events.verdict import NO_OPINION, Evidence, Verdict
from interlock.policy.format.entry import about
from interlock.policy.hook_kind import BuildContext, Builtin, OptionError
from interlock.redaction.redactor import KEYLESS, Redactor

_DEPTH: Final = 12
_BINARY: Final = frozenset({"base64", "signature"})  # members that are not text


def texts_in(value: Any, depth: int = 0) -> Iterator[str]:
    """Every text, in order."""
    if isinstance(value, str):
        yield value
    elif depth < _DEPTH and isinstance(value, dict):
        inside = () if _is_image(value) else value.items()
        for name, inner in inside:
            if name not in _BINARY:
                yield from texts_in(inner, depth + 1)
    elif depth < _DEPTH and isinstance(value, list):
        for inner in value:
            yield from texts_in(inner, depth + 1)


def with_texts(value: Any, change: Callable[[str], str], depth: int = 0) -> Any:
    """The value with every text changed; the same object if none was."""
    if isinstance(value, str):
        return change(value)
    if depth < _DEPTH and isinstance(value, dict):
        skipped = _is_image(value)
        changed = {
            name: inner if skipped or name in _BINARY else with_texts(inner, change, depth + 1)
            for name, inner in value.items()
        }
        return value if all(changed[name] is inner for name, inner in value.items()) else changed
    if depth < _DEPTH and isinstance(value, list):
        items = [with_texts(inner, change, depth + 1) for inner in value]
        return value if all(new is old for new, old in zip(items, value, strict=True)) else items
    return value


def _is_image(value: dict[str, Any]) -> bool:
    """Whether it is a picture written as text; a change of one letter would spoil it."""
    return value.get("type") in {"image", "base64"} or value.get("isImage") is True


# Colours and cursor moves, titles and links (ended by a bell or by `ESC \`), and single escapes.
_ESCAPES: Final = re.compile(
    r"\x1b\[[0-9:;<=>?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[@-Z\\^_=>78]|\x1b\([AB0]"
)
_REDRAWN: Final = re.compile(r"[^\n]*\r(?!\n)(?=[^\n])")  # a progress bar that was drawn over
_CONTROLS: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_BLANKS: Final = re.compile(r"[ \t]+(?=\n|\Z)")
_EMPTY: Final = re.compile(r"\n{3,}")
_CLUTTER: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]|[ \t](?:\n|\Z)|\n\n\n")  # any of the above
_SHORTEST: Final = 3  # equal lines that are counted


class FormatOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is removed, and how much is left."""

    escapes: Annotated[bool, about("false: keep colours, cursor moves and overwritten progress bars.")] = True
    blanks: Annotated[bool, about("false: keep blanks at line ends and runs of empty lines.")] = True
    repeats: Annotated[bool, about("false: keep lines that repeat three times or more in a row.")] = True
    most_lines: (
        Annotated[int, about("Keep the beginning and the end of a longer text; default: keep all.", ge=2)]
        | None
    ) = None


@final
class FormatOutput(Helper):
    """Changes texts only, so that the result keeps its shape."""

    kind: Final = "format_output"
    _options: FormatOptions

    def __init__(self, options: FormatOptions, _: BuildContext) -> None:
        super().__init__(options)
        if not (options.escapes or options.blanks or options.repeats or options.most_lines):
            raise OptionError("escapes", "everything is off, so nothing would be formatted; enable something")

    def run(self, view: CallView, seconds: float) -> Verdict:
        before = view.event.tool_output
        after = with_texts(before, self._format)
        return NO_OPINION if after is before else Verdict(updated_output=after)

    def _format(self, text: str) -> str:
        options, changed = self._options, text
        if _CLUTTER.search(changed) is not None:
            if options.escapes:
                changed = _strip_escapes(changed)
            if options.blanks:
                changed = _EMPTY.sub("\n\n", _BLANKS.sub("", changed))
        if options.repeats and "\n" in changed:
            changed = _count_repeats(changed)
        if options.most_lines is not None:
            changed = _cut_lines(changed, options.most_lines)
        return text if changed == text else changed


def _strip_escapes(text: str) -> str:
    """The text as a terminal would show it in the end."""
    without = _ESCAPES.sub("", text).replace("\r\n", "\n")
    return _CONTROLS.sub("", _REDRAWN.sub("", without).replace("\r", "\n"))


def _count_repeats(text: str) -> str:
    lines = text.split("\n")
    shown: list[str] = []
    for line, group in groupby(lines):
        times = len(list(group))
        if times >= _SHORTEST and line.strip():
            shown += [line, f"[the line above {times} times]"]
        else:
            shown += [line] * times
    return "\n".join(shown) if len(shown) != len(lines) else text


def _cut_lines(text: str, most: int) -> str:
    lines = text.split("\n")
    if len(lines) <= most:
        return text
    head = (most + 1) // 2
    left = len(lines) - most
    return "\n".join([*lines[:head], f"[{left} lines left out]", *lines[head + left :]])


_MARK: Final = re.compile(r"\[secret:([a-z0-9_]{1,32})(?::[0-9a-f]{16})?\]")
_OUTPUT: Final = "tool_output"  # a name under which the redactor treats nothing as our own words
_ERROR: Final = (
    "The error of {tool} shows {what}. Do not repeat it in texts, files or commands; refer to where it "
    "is stored instead."
)
_REPLACED: Final = (
    "The output of {tool} contains {what}, replaced by `[secret:…]`. The real value is still in its place: "
    "use it through its file or variable, and do not write the placeholder anywhere."
)


class SecretsOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who is told."""

    explain: Annotated[bool, about("false: the model is not told what the placeholders mean.")] = True
    tell: Annotated[bool, about("true: the user is told, too.")] = False


@final
class SecretsOut(Helper):
    """Replaces secrets in an output by placeholders, and warns about those in an error."""

    kind: Final = "secrets_out"
    _options: SecretsOptions

    def __init__(self, options: SecretsOptions, context: BuildContext) -> None:
        super().__init__(options)
        self._redactor: Final[Redactor] = context.services.find(Redactor) or KEYLESS

    def run(self, view: CallView, seconds: float) -> Verdict:
        event = view.event
        if event.name == EventName.POST_TOOL_USE_FAILURE:
            return self._check_error(event)
        before = event.tool_output
        after = self._redact(before)
        if after is before:
            return NO_OPINION
        kinds = _kinds(after) - _kinds(before)  # without placeholders that were already there
        return self._report(event, kinds, _REPLACED, after)

    def _check_error(self, event: Event) -> Verdict:
        """Warn about the secrets in an error, which no host lets us change."""
        text = event.error or ""
        after = self._redactor.text(text)
        if after == text:
            return NO_OPINION
        kinds = _kinds(after) - _kinds(text)
        return self._report(event, kinds, _ERROR, msgspec.UNSET)

    def _report(self, event: Event, kinds: Counter[str], text: str, output: Any) -> Verdict:
        data: JsonObject = {"kinds": dict(sorted(kinds.items())), "replaced": output is not msgspec.UNSET}
        tool, what = event.tool.name if event.tool else "the tool", _describe_secrets(kinds)
        return Verdict(
            updated_output=output,
            context=text.format(tool=tool, what=what) if self._options.explain else None,
            message=f"secrets_out: {what} in the output of {tool}" if self._options.tell else None,
            evidence=Evidence(kind="secrets_out", data=data),
        )

    def _redact(self, output: Any) -> Any:
        """The output without secrets; the same object if it has none."""
        if output is None:
            return output
        written = msgspec.json.encode({_OUTPUT: output})
        clean = self._redactor.body(written)
        return output if clean is written else msgspec.json.decode(clean)[_OUTPUT]


def _kinds(value: Any) -> Counter[str]:
    return Counter(kind for text in texts_in(value) for kind in _MARK.findall(text))


def _describe_secrets(kinds: Counter[str]) -> str:
    return f"{plural(kinds.total() or 1, 'secret')} ({', '.join(sorted(kinds)) or 'of its own kind'})"


FORMAT_OUTPUT: Final = Builtin(
    kind="format_output",
    about="Removes colours, progress bars, repeated and blank lines from what commands print.",
    options=FormatOptions,
    make=FormatOutput,
    events=(EventName.POST_TOOL_USE,),
    matcher="Bash",
    on_failure=OnFailure.OPEN,
)
SECRETS_OUT: Final = Builtin(
    kind="secrets_out",
    about="Removes secrets from tool output before the model reads it.",
    options=SecretsOptions,
    make=SecretsOut,
    events=(EventName.POST_TOOL_USE, EventName.POST_TOOL_USE_FAILURE),
    also=(EventName.POST_TOOL_USE, EventName.POST_TOOL_USE_FAILURE),
    on_failure=OnFailure.OPEN,
)
