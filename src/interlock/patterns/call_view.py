"""One event as hooks see it: parsed once and matched once, however many hooks ask."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

import msgspec

from interlock.effects.command import (
    INLINE,
    Command,
    Gap,
    GapKind,
    Reading,
    Script,
    reading_of,
    repaired,
    unmarked,
)
from interlock.effects.effect import Effect
from interlock.effects.programs.arguments import sort_arguments
from interlock.effects.reading import read_call, read_field
from interlock.effects.tool_effects import effects_of_call
from interlock.events.event import Event
from interlock.events.hook import Pattern, PatternList
from interlock.events.tool import SHELL_FIELDS, SubjectKind, ToolCall, ToolSpec
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.patterns.command_globs import CommandGlobs, denied_in
from interlock.patterns.effects import EffectPatterns
from interlock.patterns.glob import GlobSet
from interlock.patterns.index import (
    RUN,
    Part,
    PatternIndex,
    ToolEntry,
    ToolPatterns,
    command_part,
    without_tame,
)

_OPENING: Final = frozenset({GapKind.OPEN, GapKind.NETWORK, GapKind.DECODED})
_NO_TOOL: Final = ToolEntry(None, None, is_shell=False)
_Note = tuple[Collection[str], str | None]


class LocalCallView:
    """The event at this point of the chain, with the patterns that hit it."""

    __slots__ = (
        "_about", "_book", "_by_text", "_deny_hits", "_is_shell", "_noted", "_parts", "_reading", "_spec",
        "_wild_hits", "event",
    )  # fmt: skip

    def __init__(self, event: Event, book: PatternIndex) -> None:
        self.event = event
        self._book = book
        self._reading: Reading | None = None
        self._deny_hits: set[str] | None = None
        self._wild_hits: set[str] | None = None
        self._parts: list[Part] | None = None
        self._noted: list[_Note] = []  # patterns that hit, with the part they hit if it is not the whole
        self._by_text: dict[str, list[str] | None] = {}  # hits by text
        self._spec: ToolSpec | None
        self._about: ToolPatterns | None
        self._is_shell: bool
        self._spec, self._about, self._is_shell = book.entry(event.tool.name) if event.tool else _NO_TOOL

    @property
    def unread(self) -> str | None:
        return (self._reading or self._read()).unread if self.event.tool else None

    @property
    def opening(self) -> str | None:
        return next((gap.why for gap in self.gaps if gap.kind in _OPENING), None)

    @property
    def decoded(self) -> str | None:
        return next((gap.why for gap in self.gaps if gap.kind is GapKind.DECODED), None)

    @property
    def commands(self) -> tuple[Command, ...]:
        return (self._reading or self._read()).commands if self.event.tool else ()

    @property
    def gaps(self) -> tuple[Gap, ...]:
        return (self._reading or self._read()).gaps if self.event.tool else ()

    @property
    def effects(self) -> tuple[Effect, ...]:
        return self._effects(self.event.tool) if self.event.tool else ()

    @property
    def noted_unread(self) -> str | None:
        """The same as `unread`, but None if the text was not parsed yet."""
        return self._reading.unread if self._reading else None

    def denied(self, patterns: PatternList, *, tame: bool = True) -> Pattern | None:
        hits = self._deny_hits
        if hits is None:
            hits = self.hits
        if not tame and not patterns.texts.isdisjoint(hits):
            hits = self.wild_hits
        return None if patterns.texts.isdisjoint(hits) else patterns.first(hits)

    def part(self, pattern: Pattern) -> str | None:
        for hits, place in self._noted if self._is_shell else ():
            if pattern.text in hits:  # the first note has the place
                whole = place is None or place.strip() == self._read().deny[0].strip()
                return None if whole else place
        return None

    @property
    def book(self) -> PatternIndex:
        return self._book

    def read(self) -> None:
        """Parse a shell text that `look` will match."""
        if self._is_shell and (self._about or self._book.effects or self._book.unread):
            self._read()

    def look(self) -> None:
        """Match the call before a hook asks."""
        if self._deny_hits is None and self.event.tool:
            self._deny_hits = self._find_denials(self.event.tool)

    @property
    def hits(self) -> set[str]:
        """The texts of all patterns that match any part of the call."""
        if self._deny_hits is None:
            self._deny_hits = self._find_denials(self.event.tool) if self.event.tool else set()
        return self._deny_hits

    @property
    def wild_hits(self) -> set[str]:
        """The same without commands that only show something or work on an image file."""
        tool = self.event.tool
        if self._wild_hits is None:
            self._wild_hits = self.hits
            if tool and self._is_shell and any(command.tame for command in self.commands):
                reading, noted = without_tame(self._reading or self._read()), self._noted
                self._noted = []
                self._wild_hits = self._find_denials(tool, reading)
                self._noted += noted
        return self._wild_hits

    def allowed(self, patterns: PatternList) -> Pattern | None:
        tool = self.event.tool
        about = self._about
        if tool is None or (about is None and self._book.effects is None):
            return None
        if about and about.whole and (whole := patterns.first(about.whole)):
            return whole
        if (self._reading or self._read()).unread:
            return None
        parts = self._parts
        if parts is None:
            parts = self._parts = self._find_parts(tool, about)
        return _all_covered(parts, patterns) or self._allowed_by_effects(tool, patterns)

    @property
    def parts(self) -> list[Part] | None:
        """The parts that an allow list must cover; None if not everything could be read."""
        tool = self.event.tool
        if self._parts is None and tool is not None and not self.unread:
            self._parts = self._find_parts(tool, self._about)
        return self._parts

    def _read(self) -> Reading:
        if self._reading is None:
            tool = self.event.tool
            if tool is None:
                raise AssertionError("an event without a tool has nothing to read")
            event = self.event
            reading = read_call(tool, self._spec, event.cwd, event.project)
            self._reading = self._without_allows(reading) if "repaired" in event.extra else reading
        return self._reading

    @property
    def shell_text(self) -> str | None:
        """The text that a shell would get, None if the tool gives it no text or another one."""
        tool, spec = self.event.tool, self._spec
        if tool is None or spec is None or not self._is_shell:
            return None
        text = tool.input.get(spec.main or "")
        return text if isinstance(text, str) and repaired(text) is text else None

    @property
    def is_long(self) -> bool:
        """Whether an unparsed text is too long for other calls to wait for."""
        tool = self.event.tool
        if tool is None or self._reading is not None:
            return False
        if self._is_shell and self._spec is not None:
            text = tool.input.get(self._spec.main or "")
            return isinstance(text, str) and len(text) > INLINE and self.shell_text is not None
        # An unlisted tool may give any of these to a shell.
        given = map(tool.input.get, SHELL_FIELDS)
        return STANDARD_TOOLS.spec(tool.name) is None and any(map(_is_long, given))

    def give_up(self, why: str) -> None:
        """Treat a whole long text as one gap, so that padding cannot hide what is denied."""
        text = self.shell_text
        if text is not None:
            gap = Gap(kind=GapKind.LIMIT, why=why, text=text)
            self._reading = self._without_allows(reading_of(Script(gaps=(gap,)), text))

    def _without_allows(self, reading: Reading) -> Reading:
        """Mark a repaired text as unread: it is not what will run, so patterns may deny but not allow it."""
        if not self.event.extra.get("repaired"):
            return reading
        return msgspec.structs.replace(reading, unread="the event contained characters that are not text")

    def _effects(self, tool: ToolCall) -> tuple[Effect, ...]:
        if self._is_shell:
            return (self._reading or self._read()).effects
        return effects_of_call(tool, self._spec, self.event.cwd, self.event.project)

    def _find_denials(self, tool: ToolCall, reading: Reading | None = None) -> set[str]:
        book, about = self._book, self._about
        found: set[str] = set()  # `set[str]()` makes an alias first, ten times the work
        if about is not None:
            if about.whole:
                self._note(found, about.whole, None)
            if about.of_main:
                self._deny_texts(about, reading or self._reading or self._read(), found)
            for field in about.fields:
                self._note(found, _field_hits(tool, field, about.globs(field)), None)
        if book.effects is not None:
            self._deny_effects(book.effects, tool, found, reading)
        if not self._is_shell or not (about or book.effects or book.unread):
            return found
        if gaps := (self._reading or self._read()).gaps:
            if about or book.effects:
                self._deny_gaps(about, gaps, found)
            for gap in gaps if book.unread else ():
                self._note(found, book.unread[gap.kind], gap.text)
        return found

    def _deny_texts(self, about: ToolPatterns, reading: Reading, found: set[str]) -> None:
        globs, forms = about.globs(None), about.forms
        self._by_text = globs.all_hits(reading.deny)
        for text, hits in self._by_text.items():
            if hits:
                self._noted.append((hits, text))
                found.update(hits)
            elif hits is None:
                self._note(found, globs.keys, text)  # an unmatchable text may be any of them
        if forms is None:
            return
        of_any = forms.speaks_of_any
        for command in reading.commands:
            words = command.words
            if words and (of_any or forms.speaks_of(words[0].text)):
                met = forms.hits(command.arguments or sort_arguments(words), found)
                if met:
                    self._note(found, met, command.written)

    def _deny_effects(
        self, patterns: EffectPatterns, tool: ToolCall, found: set[str], reading: Reading | None
    ) -> None:
        event, reading = self.event, reading or self._reading
        effects = reading.effects if reading is not None and self._is_shell else self._effects(tool)
        for effect, hits in patterns.all_denials(effects, event.cwd, event.project):
            self._note(found, hits, effect.by)

    def _deny_gaps(self, about: ToolPatterns | None, gaps: tuple[Gap, ...], found: set[str]) -> None:
        globs = about.globs(None) if about and about.of_main else None
        forms = about.forms if about else None
        for hit, place in denied_in(gaps, globs, forms, self._book.effects).items():
            self._note(found, (hit,), place)

    def _note(self, found: set[str], hits: Collection[str], place: str | None) -> None:
        """Add hits, and remember the part of the call that was hit for the reason."""
        self._noted.append((hits, place))
        found.update(hits)

    def _find_parts(self, tool: ToolCall, about: ToolPatterns | None) -> list[Part]:
        """Return the call's parts with the patterns that match them; globs of fields cover every part."""
        reading = self._reading or self._read()
        common = _field_cover(tool, about) if about and about.fields else set()
        parts = [Part(common.union(*map(self._covering, spellings))) for spellings in reading.allow]
        effects = self._book.effects
        of_runs = effects is not None and RUN in effects.kinds
        for command in reading.commands:
            if command.transparent:
                continue
            if of_runs or command.writes or command.more:
                covering = (lambda text: common | self._covering(text)) if common else self._covering
                parts.append(command_part(command, covering, effects, self.event.cwd, self.event.project))
            else:  # most commands: covered by what covers their text
                hits = self._covering(command.marked)
                parts.append(Part(common | hits if common else hits))
        return parts or [Part(common)]

    def _covering(self, text: str) -> set[str]:
        """Return what covers a marked text of the main field; nothing covers an unmatchable one."""
        about, by_text = self._about, self._by_text
        if about is None or not about.of_main:
            return set()
        plain = text if text.isascii() else unmarked(text)
        if plain not in by_text:
            by_text[plain] = about.globs(None).hits(plain)
        hits = by_text[plain]
        return about.allowing(hits, text) if hits else set()

    def _allowed_by_effects(self, tool: ToolCall, patterns: PatternList) -> Pattern | None:
        """Allow a file tool by its effects, since it does nothing else."""
        spec, effects = self._spec, self._book.effects
        if effects is None or spec is None or spec.kind is not SubjectKind.PATH:
            return None
        where = (self.event.cwd, self.event.project)
        return _all_covered([Part(effects.allowances(one, *where)) for one in self._effects(tool)], patterns)


def _is_long(value: object) -> bool:
    if isinstance(value, list):
        return sum(len(one) for one in value if isinstance(one, str)) > INLINE
    return isinstance(value, str) and len(value) > INLINE


def _all_covered(parts: list[Part], patterns: PatternList) -> Pattern | None:
    for part in parts:
        if patterns.texts.isdisjoint(part.hits) and part.covered(patterns) is None:
            return None
    return parts[0].covered(patterns) if parts else None


def _field_hits(tool: ToolCall, field: str, globs: GlobSet | CommandGlobs) -> set[str]:
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
