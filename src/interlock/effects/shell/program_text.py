"""Program text for an interpreter: noted, and looked through for what it gives to a shell."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from interlock.effects.command import GapKind
from interlock.effects.effect import Word
from interlock.effects.programs.little_code import LITTLE, is_plain_code
from interlock.effects.programs.program import Program
from interlock.effects.shell.called_code import foreign_source, texts_for_shells, unescaped
from interlock.effects.shell.context import CommandContext, Texts
from interlock.effects.shell.feed import Feed, FeedKind
from interlock.effects.shell.findings import Findings
from interlock.effects.shell.make_settings import MAKES, recipes_in
from interlock.effects.shell.place import Place
from interlock.effects.shell.removing_code import removals_in
from interlock.effects.shell.scope import Scope

_NUMBER: Final = re.compile(r"\$\(\([\w\s${}#+*/%-]*\)\)|\$[#?]|\$\{#\w+\}", re.ASCII)
# As it stands in the text, where nothing that was quoted can be taken for a number.
_CODE: Final = re.compile(rf'"((?:[^"\\$`]++|{_NUMBER.pattern})*)"', re.ASCII)


def is_plain_but_for_numbers(
    word: Word, words: tuple[Word, ...], place: Place, entry: Program | None
) -> bool:
    """Whether nothing is open in a word of code but numbers, and it only transforms what it is given."""
    spans = place.spans
    if entry is None or entry.name not in LITTLE or spans is None or len(spans) != len(words):
        return False
    at = next((at for at, one in enumerate(words) if one is word), None)
    found = None if at is None else _CODE.fullmatch(place.text, spans[at].start, spans[at].end)
    return found is not None and is_plain_code(entry.name, Word(_NUMBER.sub("1", found[1])))


_LONGEST: Final = 20_000
_STRING: Final = r'"(?:[^"\\\n]|\\.)*"'
_SYSTEM: Final = re.compile(r"(?<!\w)system\s*\(")
_PRINTED: Final = re.compile(rf"\|\s*({_STRING})(?=\s*(?:[;}}\n)]|\Z))")
_READ: Final = re.compile(rf"({_STRING})\s*\|\s*getline")
_PIECE: Final = re.compile(
    rf"\s+|(?P<string>{_STRING})|(?P<field>\$\w+|\$\([^()]*\))|(?P<other>[^\s()\"]+|[()])"
)

_NAMED: Final = re.compile(r"\s*([A-Za-z_]\w*)\s*\)")


class ShellText(NamedTuple):
    """One text that a shell gets."""

    text: str
    fed: bool = False  # it finds on its input what the program prints


def texts_of_awk(code: str) -> Iterator[ShellText]:
    """Each text; `$1` stands in it for what only the run decides."""
    if len(code) > _LONGEST:
        return
    for call in _SYSTEM.finditer(code):
        named = _NAMED.match(code, call.end())
        given = _value_of(named[1], code) if named else None
        if named and given is None:  # set from outside: `awk -v cmd=…`
            yield ShellText("$1")
        else:
            yield ShellText(_joined(code, call.end(), 1) if given is None else _joined(given, 0, 0))
    for printed in _PRINTED.finditer(code):
        yield ShellText(unescaped(printed[1][1:-1]), fed=True)
    for read in _READ.finditer(code):
        yield ShellText(unescaped(read[1][1:-1]))


def _joined(code: str, at: int, depth: int) -> str:
    """Strings and what stands between them, to the end of the call, or of the value at depth 0."""
    parts: list[str] = []
    while (piece := _PIECE.match(code, at)) is not None:
        at = piece.end()
        depth += (piece["other"] == "(") - (piece["other"] == ")")
        if depth == 0 and piece["other"] == ")":
            break
        if piece["string"] is not None:
            parts.append(unescaped(piece["string"][1:-1]))
        elif piece["field"] is not None:
            parts.append("$1")
        elif (given := _value_of(piece["other"] or "", code)) is not None:
            parts.append(_joined(given, 0, 0))
    return "".join(parts)


def _value_of(name: str, code: str) -> str | None:
    """What a variable is set to: `cmd = "rm " $1; system(cmd)`."""
    if not name.isidentifier():
        return None
    found = re.search(rf"(?<![\w$]){name}[ \t]*=(?!=)([^;\n}}]*)", code)
    return found[1] if found else None


_WAYS: Final = {
    GapKind.DECODED: "decoded text",
    GapKind.NETWORK: "text from another machine",
    GapKind.OPEN: "its input",
    GapKind.ENDLESS: "itself without end",
}
_CHARACTERS: Final = 16  # of code to look through: as much work as one word


def note_code(  # noqa: PLR0917 - all that surrounds it
    code: str,
    name: str,
    entry: Program | None,
    context: CommandContext,
    child: Scope,
    found: Findings,
    texts: Texts,
) -> None:
    """Note program text for the interpreter of this name, and read what it gives to a shell."""
    found.gap(GapKind.CODE, f"program text for `{name}`", code, folders=child.folders)
    language = entry.name.partition(" ")[0] if entry is not None else ""
    found.spend(len(code) // _CHARACTERS)
    via = (*context.via, name)
    if language == "awk":
        source = context.feed if context.feed.kind is FeedKind.OPEN else Feed(FeedKind.OPEN, code)
        for one in texts_of_awk(code):
            inside = child.copy()
            inside.input = source if one.fed else None
            if one.text.lstrip()[:1] == "$":  # a field of what it is given, as a command
                found.gap(source.source, f"`{name}` runs {_WAYS[GapKind.OPEN]}", code)
            else:
                texts.read_text(one.text, inside, via)
        return
    for text in recipes_in(code) if name in MAKES else texts_for_shells(language, code):
        texts.read_text(text, child.copy(), via)
    for text in removals_in(code):
        texts.read_text(text, child.copy(), via)
    if (kind := foreign_source(language, code)) is not None:
        found.gap(kind, f"`{name}` runs {_WAYS[kind]}", code)
