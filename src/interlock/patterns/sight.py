"""One event as hooks see it: read once, matched once, asked often."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import msgspec

from interlock.event import Event
from interlock.hooks import Pattern, PatternList
from interlock.patterns.book import PatternBook, ToolPatterns
from interlock.patterns.cover import Part, Surroundings, command_part
from interlock.patterns.effects import EffectPatterns
from interlock.patterns.gaps import denied_in
from interlock.patterns.glob_set import GlobSet
from interlock.reading.command import Command, Gap, GapKind, Script
from interlock.reading.effect import Effect
from interlock.reading.long_text import INLINE
from interlock.reading.marks import unmarked
from interlock.reading.programs.arguments import sort_arguments
from interlock.reading.reading import read_call, read_effects, read_field
from interlock.reading.shell_reading import reading_of
from interlock.reading.text import Reading, repaired
from interlock.tool import SubjectKind, ToolCall, ToolSpec

_OPENING: Final = frozenset({GapKind.OPEN, GapKind.NETWORK, GapKind.DECODED})


class CallSight:
    """The event at this point of the chain, with the patterns that hit it."""

    __slots__ = ("_book", "_by_text", "_deny_hits", "_parts", "_places", "_reading", "event")

    def __init__(self, event: Event, book: PatternBook) -> None:
        self.event = event
        self._book = book
        self._reading: Reading | None = None
        self._deny_hits: set[str] | None = None
        self._parts: list[Part] | None = None
        self._places: dict[str, str] = {}  # pattern → the part it hit, where that is not the whole
        self._by_text: dict[str, list[str] | None] = {}  # a text is matched once, whoever asks

    @property
    def unread(self) -> str | None:
        """Why the call's text could not be accounted for, or None when it was."""
        return self._read().unread if self.event.tool else None

    @property
    def opening(self) -> str | None:
        """Why text that nobody has seen yet would run as a program, or None when none would."""
        gaps = self._read().gaps if self._runs_shell() else ()
        return next((gap.why for gap in gaps if gap.kind in _OPENING), None)

    @property
    def decoded(self) -> str | None:
        """Why decoded text would run as a program, or None when none would."""
        gaps = self._read().gaps if self._runs_shell() else ()
        return next((gap.why for gap in gaps if gap.kind is GapKind.DECODED), None)

    @property
    def commands(self) -> tuple[Command, ...]:
        """The simple commands a shell text would run."""
        return self._read().commands if self.event.tool else ()

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """The stretches of a shell text that could not be read."""
        return self._read().gaps if self.event.tool else ()

    @property
    def effects(self) -> tuple[Effect, ...]:
        """What the call does, whichever tool is called."""
        return self._effects(self.event.tool) if self.event.tool else ()

    @property
    def noted_unread(self) -> str | None:
        """Why it could not be accounted for, if anything has asked about the call's text so far."""
        return self._reading.unread if self._reading else None

    def denied(self, patterns: PatternList) -> Pattern | None:
        """The first pattern that matches any part of the call, or stands in a part that was not read."""
        return patterns.first(self.hits) if self.hits else None

    def part(self, pattern: Pattern) -> str | None:
        """The part of the call that a denying pattern matched, when it is not the whole."""
        return self._places.get(pattern.text)

    @property
    def hits(self) -> set[str]:
        """The texts of all patterns that match any part of the call."""
        if self._deny_hits is None:
            self._deny_hits = self._find_denials(self.event.tool) if self.event.tool else set()
        return self._deny_hits

    def allowed(self, patterns: PatternList) -> Pattern | None:
        """A pattern, if together they match every part of the call."""
        tool = self.event.tool
        about = self._book.about(tool.name) if tool else None
        if tool is None or (about is None and self._book.effects is None):
            return None
        if about and (whole := patterns.first(about.whole)):
            return whole
        if self._read().unread:
            return None
        if self._parts is None:
            self._parts = self._find_parts(tool, about)
        return _all_covered(self._parts, patterns) or self._allowed_by_effects(tool, patterns)

    def _spec(self, tool: ToolCall) -> ToolSpec | None:
        return self._book.tools.spec(tool.name)

    def _runs_shell(self) -> bool:
        spec = self._spec(self.event.tool) if self.event.tool else None
        return spec is not None and spec.kind is SubjectKind.SHELL

    def _read(self) -> Reading:
        if self._reading is None:
            tool = self.event.tool
            if tool is None:
                raise AssertionError("an event without a tool has nothing to read")
            reading = read_call(tool, self._spec(tool), self.event.cwd, self.event.project)
            self._reading = self._mended(reading)
        return self._reading

    @property
    def long_text(self) -> str | None:
        """A shell text that is too long to be read while others wait, as long as nobody has read it."""
        tool = self.event.tool
        if tool is None or self._reading is not None:
            return None
        spec = self._spec(tool)
        if spec is None or spec.kind is not SubjectKind.SHELL:
            return None
        text = tool.input.get(spec.main or "")
        return text if isinstance(text, str) and len(text) > INLINE else None

    def adopt(self, script: Script) -> None:
        """Take what another process has read of the long text."""
        text = self.long_text
        if text is not None and repaired(text) is text:
            self._reading = self._mended(reading_of(script, text))

    def _mended(self, reading: Reading) -> Reading:
        """What was mended is not what will run; it can be denied, never allowed by a pattern."""
        if not self.event.extra.get("repaired"):
            return reading
        return msgspec.structs.replace(reading, unread="the event held characters that are no text")

    def _effects(self, tool: ToolCall) -> tuple[Effect, ...]:
        return read_effects(self._read(), tool, self._spec(tool), self.event.cwd, self.event.project)

    def _find_denials(self, tool: ToolCall) -> set[str]:
        about = self._book.about(tool.name)
        found = set(about.whole) if about else set()
        if about is not None:
            if about.speaks_of(None):
                self._deny_texts(about, self._read(), found)
            for field in about.fields:
                found |= _field_hits(tool, field, about.globs(field))
        if self._book.effects is not None:
            self._deny_effects(self._book.effects, tool, found)
        if (about or self._book.effects) and self._runs_shell() and self._read().gaps:
            self._deny_gaps(about, self._read(), found)
        if self._book.unread is not None and self._runs_shell():
            for gap in self._read().gaps:
                self._note(found, self._book.unread.denials(gap), gap.text)
        return found

    def _deny_texts(self, about: ToolPatterns, reading: Reading, found: set[str]) -> None:
        globs, forms = about.globs(None), about.forms
        for text in reading.deny:
            hits = self._by_text[text] = globs.hits(text)
            if hits != []:
                # A text that cannot be matched may be any of them.
                self._note(found, globs.keys if hits is None else hits, text)
        for command in reading.commands if forms else ():
            if command.words and forms and forms.speaks_of(command.words[0].text):
                hits = forms.hits(command.arguments or sort_arguments(command.words), found)
                if hits:
                    self._note(found, hits, command.written)

    def _deny_effects(self, patterns: EffectPatterns, tool: ToolCall, found: set[str]) -> None:
        event = self.event
        for effect, hits in patterns.all_denials(self._effects(tool), event.cwd, event.project):
            self._note(found, hits, effect.by)

    def _deny_gaps(self, about: ToolPatterns | None, reading: Reading, found: set[str]) -> None:
        globs = about.globs(None) if about and about.speaks_of(None) else None
        forms = about.forms if about else None
        for hit, place in denied_in(reading.gaps, globs, forms, self._book.effects).items():
            self._note(found, (hit,), place)

    def _note(self, found: set[str], hits: Iterable[str], place: str) -> None:
        """Count hits; where a part of a shell text was hit, remember it for the reason."""
        new = [hit for hit in hits if hit not in found]
        if new and self._runs_shell() and place.strip() != self._read().deny[0].strip():
            self._places.update(dict.fromkeys(new, place))
        found.update(new)

    def _find_parts(self, tool: ToolCall, about: ToolPatterns | None) -> list[Part]:
        """Per part of the call, the globs that match it; a field's globs speak of every part."""
        reading = self._read()
        common = _field_cover(tool, about) if about and about.fields else set()
        parts = [
            Part(common | {hit for text in spellings for hit in self._covering(text, about)})
            for spellings in reading.allow
        ]
        by = Surroundings(
            lambda text: common | self._covering(text, about),
            self._book.effects,
            self.event.cwd,
            self.event.project,
        )
        parts += [command_part(command, by) for command in reading.commands if not command.transparent]
        return parts or [Part(common)]

    def _covering(self, text: str, about: ToolPatterns | None) -> set[str]:
        """What covers a marked text of the main field; nothing does if it cannot be matched."""
        if about is None or not about.speaks_of(None):
            return set()
        plain = unmarked(text)
        if plain not in self._by_text:
            self._by_text[plain] = about.globs(None).hits(plain)
        return {key for key in self._by_text[plain] or () if about.allows(key, text)}

    def _allowed_by_effects(self, tool: ToolCall, patterns: PatternList) -> Pattern | None:
        """A file tool does what its effects say and nothing else."""
        spec, effects = self._spec(tool), self._book.effects
        if effects is None or spec is None or spec.kind is not SubjectKind.PATH:
            return None
        where = (self.event.cwd, self.event.project)
        return _all_covered([Part(effects.allowances(one, *where)) for one in self._effects(tool)], patterns)


def _all_covered(parts: list[Part], patterns: PatternList) -> Pattern | None:
    found = [part.covered(patterns) for part in parts]
    return found[0] if found and all(found) else None


def _field_hits(tool: ToolCall, field: str, globs: GlobSet) -> set[str]:
    found: set[str] = set()
    for text in read_field(tool, field).deny:
        hits = globs.hits(text)
        found.update(globs.keys if hits is None else hits)
    return found


def _field_cover(tool: ToolCall, about: ToolPatterns) -> set[str]:
    found: set[str] = set()
    for field in about.fields:
        reading = read_field(tool, field)
        if not reading.unread:
            found.update(key for text in reading.deny for key in about.globs(field).hits(text) or ())
    return found
