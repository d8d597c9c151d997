"""The view of a call that was analyzed in another process."""

from __future__ import annotations

from typing import Final, Protocol

import msgspec

from interlock.effects.command import Reading, Script, reading_of
from interlock.events.event import Event
from interlock.events.hook import Pattern
from interlock.events.verdict import NO_OPINION, Verdict
from interlock.patterns.call_view import LocalCallView
from interlock.patterns.index import Part, PatternIndex


class CallAnalysis(msgspec.Struct, frozen=True, kw_only=True):
    """Everything hooks may ask about one call under one index of patterns."""

    hits: set[str]
    wild: set[str]  # the same without commands that only show something
    places: dict[str, str]  # pattern → the part it hit, if that is not the whole
    parts: list[Part] | None = None  # what an allow list must cover; None: not everything could be read
    unread: str | None = None
    opening: str | None = None
    decoded: str | None = None
    script: bytes | None = None  # of a shell text, decoded on demand; None: parse the fields
    own: Verdict | None = None  # what self-protection says, if it was asked


class LongReader(Protocol):
    """Analyzes a long call while others go on."""

    async def __call__(self, view: LocalCallView, /) -> CallAnalysis | str:
        """Return the analysis, or why there is none."""


class AnalyzedCallView(LocalCallView):
    """A call view that answers from an analysis."""

    def __init__(self, event: Event, book: PatternIndex, seen: CallAnalysis) -> None:
        super().__init__(event, book)
        self._seen: Final = seen
        self._deny_hits = seen.hits
        self._wild_hits = seen.wild
        self._parts = seen.parts

    @property
    def is_long(self) -> bool:
        return False

    @property
    def unread(self) -> str | None:
        return self._seen.unread

    @property
    def noted_unread(self) -> str | None:
        return self._seen.unread

    @property
    def opening(self) -> str | None:
        return self._seen.opening

    @property
    def decoded(self) -> str | None:
        return self._seen.decoded

    def part(self, pattern: Pattern) -> str | None:
        return self._seen.places.get(pattern.text)

    @property
    def own(self) -> Verdict | None:
        """What self-protection says about this call, or None when it was not asked."""
        return NO_OPINION if self._seen.own == NO_OPINION else self._seen.own

    def _read(self) -> Reading:
        text = self.shell_text
        if self._reading is None and self._seen.script is not None and text is not None:
            self._reading = self._without_allows(
                reading_of(msgspec.msgpack.decode(self._seen.script, type=Script), text)
            )
        return super()._read()


def look(view: LocalCallView, own: Verdict | None = None) -> CallAnalysis:
    """Analyze a call."""
    hits = view.hits
    met = (one for one in view.book.patterns if one.text in hits)
    script: bytes | None = None
    if view.shell_text is not None:
        light = [msgspec.structs.replace(one, arguments=None) for one in view.commands]
        found = Script(commands=tuple(light), effects=view.effects, gaps=view.gaps)
        script = msgspec.msgpack.encode(found)
    return CallAnalysis(
        hits=hits,
        wild=view.wild_hits,
        places={one.text: part for one in met if (part := view.part(one))},
        parts=view.parts,
        unread=view.unread,
        opening=view.opening,
        decoded=view.decoded,
        script=script,
        own=own,
    )
