"""Takes secrets out of texts and of the JSON of records, before anything is hashed, stored or shown."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, Final

import msgspec

from interlock.redaction.finding import Finder
from interlock.redaction.hiding import hide
from interlock.redaction.kept import Kept
from interlock.redaction.members import Members
from interlock.redaction.own import NOTHING_OWN, Own, all_compiled
from interlock.redaction.trigger import trigger_of

_ENCODER: Final = msgspec.json.Encoder()
_NOTHING_KEPT: Final = Kept(())
_NAMES: Final = 4_096
_ROUNDS: Final = 4  # taking one thing out may lay bare another; a second round finds nothing, nearly always

Words = Collection[str]  # programs, paths and hosts that stay visible
Keep = Words | Callable[[], Words]  # looked for only when there is something to hide


class Redactor:
    """Replaces every secret by `[secret:KIND:FINGERPRINT]`; without a key, by `[secret:KIND]`."""

    def __init__(self, key: bytes | None = None, own: Own = NOTHING_OWN) -> None:
        self._key: Final = key
        self._own = NOTHING_OWN
        self._finder = Finder()
        self._trigger = trigger_of()
        self._named: Final[dict[str, str]] = {}
        self.adopt(own)

    def adopt(self, own: Own) -> None:
        """Use other patterns of the user's from now on."""
        if own == self._own:
            return
        self._finder = Finder(all_compiled(own.patterns), own.names)
        self._trigger = trigger_of(own.names)
        self._own = own
        self._named.clear()

    def body(self, written: bytes, *, keep: Keep = ()) -> bytes:
        """The JSON of a record without its secrets; the very same object when there are none."""
        if not self._trigger(written) and not self._finder.has_own:
            return written
        return self._closely(written, keep)

    def call(self, written: bytes, *, keep: Keep) -> bytes:
        """The JSON of a call as an approver sees it: what it runs, touches and reaches is never hidden."""
        return self.body(written, keep=keep)

    def text(self, text: str, *, keep: Keep = ()) -> str:
        """One text without its secrets."""
        written = text.encode("utf-8", "replace")
        redacted = self._text(written, Kept(_words(keep)), own=True)
        return text if redacted is written else redacted.decode("utf-8", "replace")

    def name(self, text: str) -> str:
        """A folder or an actor without its secrets: the same for the same one, and asked at every entry."""
        known = self._named.get(text)
        if known is None:
            if len(self._named) >= _NAMES:
                self._named.clear()
            known = self._named[text] = self.text(text, keep=(text,))
        return known

    def value(self, value: Any) -> Any:
        """Any JSON value without its secrets."""
        return Members(self._text, self._finder).without(value, _NOTHING_KEPT)

    def _closely(self, written: bytes, keep: Keep) -> bytes:
        try:
            value = msgspec.json.decode(written)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            # No JSON after all: a text like any other.
            return self._text(written, Kept(_words(keep)), own=True)
        kept = Kept(_words(keep)) if keep else _NOTHING_KEPT
        changed = Members(self._text, self._finder).without(value, kept)
        return written if changed is value else _ENCODER.encode(changed)

    def _text(self, text: bytes, kept: Kept, *, own: bool, whole: str | None = None) -> bytes:
        """A text without its secrets, the same if it has none; `whole`: all of it is one, of that kind."""
        for _ in range(_ROUNDS):
            spans = self._finder.spans(text) if self._trigger(text) else []
            if own and self._finder.has_own:
                spans += self._finder.own_spans(text)
            if whole is not None:
                spans.append(self._finder.all_of(text, whole))
            if not spans:
                return text
            holes, kept = kept.around(text, spans)
            changed = hide(text, spans, self._key, holes)
            if changed == text:
                return text
            text = changed
        return text


KEYLESS: Final = Redactor()  # where no state folder is: it hides as well, and tells no two secrets apart


def _words(keep: Keep) -> Words:
    return keep() if callable(keep) else keep
