"""`input_sanitization`: denies a call whose text is not what it looks like, and suggests the plain text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Annotated, Any, Final, Literal, NamedTuple, final
from urllib.parse import urlsplit

import msgspec

from interlock.events.hook import CallView
from interlock.events.names import EventName
from interlock.events.rule import OptionRule
from interlock.events.text import first_few
from interlock.events.tool import FALLBACK_FIELDS, SHELL_FIELDS, SubjectKind, ToolCall
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.events.verdict import NO_OPINION, Verdict, ask, deny
from interlock.policy.format.entry import Text, about
from interlock.policy.hook_kind import BuildContext, Builtin, OptionError

_CONTROL: Final = r"\x00-\x08\x0b-\x1f\x7f-\x9f"
_DIRECTION: Final = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_INVISIBLE: Final = "\u00ad\u034f\u180e\u200b\u2060-\u2064\ufeff\U000e0000-\U000e007f\U000e0100-\U000e01ef"
# A joiner is part of many scripts and of emoji; between plain letters it only hides.
_JOINER: Final = "(?<![^\x00-\x7f])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\x7f])"
_LETTERS: Final = re.compile(f"[{_CONTROL}{_DIRECTION}{_INVISIBLE}]|{_JOINER}")
_IN_LINE: Final = re.compile(r"[\t\n]")
_BLANKS: Final = re.compile("[\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]")
_LATIN: Final = re.compile("[A-Za-z]")
_ALIKE: Final = re.compile("[\u0370-\u03ff\u0400-\u052f\u0561-\u0587\u13a0-\u13f5\uff01-\uff5e]")


class Letter(NamedTuple):
    """A letter that is not what it seems."""

    character: str
    place: int

    @property
    def name(self) -> str:
        """Its number, name and position."""
        known = unicodedata.name(self.character, "a control character")
        return f"U+{ord(self.character):04X} ({known.lower()}) at {self.place + 1}"


def invisible_letters(text: str, *, one_line: bool = False) -> Iterator[Letter]:
    """Letters that are invisible or reorder others; in a path, line ends and tabs too."""
    if text.isascii() and text.isprintable():
        return
    for match in _LETTERS.finditer(text):
        yield Letter(match[0], match.start())
    for match in _IN_LINE.finditer(text) if one_line else ():
        yield Letter(match[0], match.start())


def look_alike_letters(name: str) -> Iterator[Letter]:
    """Letters in the name of a program or host that look like blanks or Latin letters."""
    if name.isascii():
        return
    patterns = (_BLANKS, _ALIKE) if _LATIN.search(name) else (_BLANKS,)
    for pattern in patterns:
        for match in pattern.finditer(name):
            yield Letter(match[0], match.start())


def unusual_blanks(text: str) -> Iterator[Letter]:
    """Blanks that a shell does not take for blanks."""
    return (Letter(match[0], match.start()) for match in _BLANKS.finditer(text))


def clean_text(text: str, *, one_line: bool = False) -> str:
    """The plain text that it looks like."""
    plain = _BLANKS.sub(" ", _LETTERS.sub("", text.replace("\r\n", "\n")))
    return _IN_LINE.sub(" ", plain) if one_line else plain


_NAMED: Final = 3
_SHOWN: Final = 300
_PATHS: Final = frozenset({"path", "file_path", "notebook_path"})
_UNLISTED: Final = tuple(dict.fromkeys((*SHELL_FIELDS, *FALLBACK_FIELDS, "url")))


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is checked, and the decision."""

    action: Annotated[Literal["deny", "ask"], about("ask: a person decides.")] = "deny"
    fields: Annotated[
        tuple[Text, ...],
        about("More input fields to check, such as `content`; commands, paths and URLs are always checked."),
    ] = ()
    look_alikes: Annotated[
        bool, about("false: names of programs and hosts may use letters that only look like Latin ones.")
    ] = True
    longest: Annotated[
        int | None, about("The longest command or path, in characters; anything longer is denied.")
    ] = None


@final
class InputSanitization(OptionRule):
    """Checks the text that will be run or opened."""

    kind: Final = "input_sanitization"
    _options: Options

    def __init__(self, options: Options, _: BuildContext) -> None:
        super().__init__(options)
        self._vote: Final = ask if options.action == "ask" else deny
        if options.longest is not None and options.longest < 1:
            raise OptionError("longest", f"`{options.longest}` would deny everything; write a larger number")

    def run(self, view: CallView, seconds: float) -> Verdict:
        tool = view.event.tool
        if tool is None:
            return NO_OPINION
        more, longest = self._options.fields, self._options.longest
        for name, text, one_line in _checked_fields(tool, more):
            if longest is not None and len(text) > longest and name not in more:
                return self._vote(
                    f"`{name}` has {len(text)} characters, and the limit is {longest}; write it to "
                    "a file and pass its name"
                )
            letters = [*invisible_letters(text, one_line=one_line), *(self._look_alikes(name, text, view))]
            if letters:
                return self._vote(_explain(name, text, letters, one_line=one_line))
        return NO_OPINION

    def _look_alikes(self, field: str, text: str, view: CallView) -> Iterator[Letter]:
        """Letters in the names of programs and hosts that look like others."""
        if not self._options.look_alikes or text.isascii():
            return
        if field == "url":
            yield from look_alike_letters(_host(text))
        elif field in SHELL_FIELDS:
            for command in view.commands:
                if command.words:
                    yield from look_alike_letters(command.words[0].text)
            for gap in view.gaps:
                yield from unusual_blanks(gap.text)  # the reader cannot read text with such blanks


def _checked_fields(tool: ToolCall, more: tuple[str, ...]) -> Iterator[tuple[str, str, bool]]:
    spec = STANDARD_TOOLS.spec(tool.name)
    names = (spec.main,) if spec is not None and spec.main else _UNLISTED if spec is None else ()
    for name in dict.fromkeys((*names, *more)):
        value: Any = tool.input.get(name)
        if isinstance(value, str):
            is_path = spec is not None and spec.kind is SubjectKind.PATH and name == spec.main
            yield name, value, is_path or name in _PATHS


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def _explain(name: str, text: str, letters: list[Letter], *, one_line: bool) -> str:
    listed = first_few((letter.name for letter in letters), _NAMED)
    plain = clean_text(text, one_line=one_line)
    if plain == text or len(plain) > _SHOWN:
        fix = "write it in plain letters"
    else:
        fix = f"if you mean this, send `{plain}`"
    return f"`{name}` is not what it looks like: it contains {listed}; {fix}"


BUILTIN: Final = Builtin(
    kind="input_sanitization",
    about="Stops calls whose text is not what it looks like, and suggests the plain text.",
    options=Options,
    make=InputSanitization,
    events=(EventName.PRE_TOOL_USE,),
    votes=True,
    tightens=True,
)
