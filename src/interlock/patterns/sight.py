"""One event as hooks see it: read once, matched once, asked often."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from interlock.event import Event
from interlock.hooks import Pattern, PatternList
from interlock.patterns.book import PatternBook, ToolPatterns
from interlock.reading.reading import read_call, read_field
from interlock.reading.text import Reading


class CallSight:
    """The event at this point of the chain, with the patterns that hit it."""

    __slots__ = ("_allow_hits", "_book", "_by_text", "_deny_hits", "_reading", "event")

    def __init__(self, event: Event, book: PatternBook) -> None:
        self.event = event
        self._book = book
        self._reading: Reading | None = None
        self._deny_hits: set[str] | None = None
        self._allow_hits: list[set[str]] | None = None
        self._by_text: dict[str, list[str] | None] = {}  # a text is matched once, whoever asks

    @property
    def unread(self) -> str | None:
        """Why the call's text could not be accounted for, or None when it was."""
        return self._read().unread if self.event.tool else None

    @property
    def noted_unread(self) -> str | None:
        """The same, if anything has asked about the call's text so far."""
        return self._reading.unread if self._reading else None

    def denied(self, patterns: PatternList) -> Pattern | None:
        """The first pattern that matches any part of the call."""
        return patterns.first(self.hits) if self.hits else None

    @property
    def hits(self) -> set[str]:
        """The texts of all patterns that match any part of the call."""
        if self._deny_hits is None:
            self._deny_hits = self._find_denials()
        return self._deny_hits

    def allowed(self, patterns: PatternList) -> Pattern | None:
        """A pattern, if together they match every part of the call."""
        about = self._about()
        if about is None:
            return None
        if whole := patterns.first(about.whole):
            return whole
        if self._read().unread:
            return None
        if self._allow_hits is None:
            self._allow_hits = self._find_allowances(about)
        found = [patterns.first(hits) for hits in self._allow_hits]
        return found[0] if found and all(found) else None

    def _about(self) -> ToolPatterns | None:
        return self._book.about(self.event.tool.name) if self.event.tool else None

    def _read(self) -> Reading:
        if self._reading is None:
            tool = self.event.tool
            if tool is None:
                raise AssertionError("an event without a tool has nothing to read")
            spec = self._book.tools.spec(tool.name)
            reading = read_call(tool, spec, self.event.cwd, self.event.project)
            if self.event.extra.get("repaired"):
                # What was mended is not what will run; it can be denied, never allowed by a pattern.
                reading = msgspec.structs.replace(
                    reading, unread="the event held characters that are no text"
                )
            self._reading = reading
        return self._reading

    def _find_denials(self) -> set[str]:
        about = self._about()
        if about is None or self.event.tool is None:
            return set()
        found = set(about.whole)
        if about.speaks_of(None):
            globs = about.globs(None)
            for text in self._read().deny:
                hits = self._by_text[text] = globs.hits(text)
                found.update(globs.keys if hits is None else hits)
        for field in about.fields:
            globs = about.globs(field)
            for text in read_field(self.event.tool, field).deny:
                hits = globs.hits(text)
                # A text that cannot be matched may be any of them.
                found.update(globs.keys if hits is None else hits)
        return found

    def _find_allowances(self, about: ToolPatterns) -> list[set[str]]:
        """Per part of the call, the globs that match it; a field's globs speak of every part."""
        parts: list[set[str]] = [set() for _ in self._read().allow] or [set()]
        if about.speaks_of(None):
            for hits, spellings in zip(parts, self._read().allow, strict=False):
                for text in spellings:
                    hits.update(key for key in self._hits_of(text, about) if about.allows(key, text))
        for field in about.fields if self.event.tool else ():
            reading = read_field(self.event.tool, field) if self.event.tool else None
            if reading and not reading.unread:
                common = {key for text in reading.deny for key in about.globs(field).hits(text) or ()}
                for hits in parts:
                    hits.update(common)
        return parts

    def _hits_of(self, text: str, about: ToolPatterns) -> Sequence[str]:
        """What hit a text of the main field; a text that cannot be matched is allowed by nothing."""
        if text not in self._by_text:
            self._by_text[text] = about.globs(None).hits(text)
        return self._by_text[text] or ()
