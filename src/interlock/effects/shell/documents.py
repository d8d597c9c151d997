"""Here-documents: announced on one line, read from the lines below it."""

from __future__ import annotations

from typing import Final

import msgspec

from interlock.effects.shell.scan import Scanner
from interlock.effects.shell.syntax import Part, ShellWord, StuckError, Text

_LINE_ENDS: Final = frozenset({"", "\n"})


class _Awaited(msgspec.Struct, frozen=True):
    delimiter: str
    literal: bool
    tabs: bool  # leading tabs are taken off
    body: list[Part]
    start: int


class Documents(msgspec.Struct):
    """The here-documents whose lines have not been reached yet."""

    scanner: Scanner
    nested: bool = False
    awaited: list[_Awaited] = []
    first: int | None = None  # where the first stands that a substitution holds

    def announce(self, delimiter: ShellWord, raw: str, operator: str) -> list[Part]:
        """Expect a document after this line; its parts will be in the list."""
        if delimiter.parts is not None or not delimiter.text:
            raise StuckError("here-document whose end is not plain", delimiter.start)
        literal = "'" in raw or '"' in raw or "\\" in raw
        body: list[Part] = []
        if self.nested and self.first is None:
            self.first = delimiter.start
        self.awaited.append(_Awaited(delimiter.text, literal, operator == "<<-", body, delimiter.start))
        return body

    def take(self) -> None:
        """Read what was announced on the line that has just ended."""
        awaited, self.awaited = self.awaited, []
        for document in awaited:
            self._read(document)

    def refuse_more(self) -> None:
        """Inside a substitution, some shells lose what separates commands beside or behind a document."""
        if self.first is not None:
            raise StuckError("commands after a here-document in a substitution", self.first)

    def finish(self) -> None:
        """At the end of the commands none may be missing."""
        if self.awaited:
            raise StuckError("here-document without its lines", self.awaited[0].start)

    def _read(self, document: _Awaited) -> None:
        text, start = self.scanner.text, self.scanner.position
        if document.tabs:
            whole, position = self._without_tabs(document, start)
        else:
            end = _find_line(text, document.delimiter, start)
            if end < 0:
                raise StuckError("here-document without an end", document.start)
            whole, position = text[start:end], end + len(document.delimiter) + 1
        self.scanner.position = min(position, len(text))
        if document.literal:
            document.body.append(Text(whole, quoted=True))
        else:
            document.body.extend(self.scanner.document(whole))

    def _without_tabs(self, document: _Awaited, position: int) -> tuple[str, int]:
        """The lines of a document whose leading tabs are taken off, and where it ends."""
        text, lines = self.scanner.text, list[str]()
        while position < len(text):
            end = text.find("\n", position)
            end = len(text) if end < 0 else end
            line = text[position:end].lstrip("\t")
            position = end + 1
            if line == document.delimiter:
                return "".join(lines), position
            lines.append(line + "\n")
        raise StuckError("here-document without an end", document.start)


def _find_line(text: str, line: str, start: int) -> int:
    """Where the first such line begins, from a place on where a line does; -1 if there is none."""
    if "\n" in line or start >= len(text):
        return -1
    if text.startswith(line, start) and text[start + len(line) : start + len(line) + 1] in _LINE_ENDS:
        return start
    found = text.find(f"\n{line}\n", start)
    if found < 0 and text.endswith(f"\n{line}") and len(text) - len(line) > start:
        found = len(text) - len(line) - 1
    return found + 1 if found >= 0 else -1
