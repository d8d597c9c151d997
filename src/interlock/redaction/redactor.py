"""One fast look at the bytes of a body: could there be a secret anywhere in it?

It must hit whenever the exact search would find something, in JSON too; it may hit more often. So it looks
for signs that JSON writes as they are: no quotes, no line ends, no word boundaries (`\\n` ends in a letter).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from functools import cache
from typing import Any, Final

import msgspec
import re2

from interlock.errors import PatternError
from interlock.redaction.finding import Finder
from interlock.redaction.hiding import VisibleWords, hide
from interlock.redaction.kinds import KINDS, Kind
from interlock.redaction.members import Members
from interlock.redaction.names import SIGNS, WORDS, expression_of, normal_name
from interlock.redaction.places import PLACES

_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_. -]{1,63}")
_OWN_MEMORY: Final = 8 * 1024 * 1024


class Own(msgspec.Struct, frozen=True, kw_only=True):
    """Regular expressions whose matches are secret, and names whose values are."""

    patterns: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


NOTHING_OWN: Final = Own()


def compile_pattern(pattern: str) -> Any:
    """A pattern for bytes in UTF-8; PatternError when RE2 cannot run it or its groups are unclear."""
    options = re2.Options()
    options.log_errors = False
    options.max_mem = _OWN_MEMORY
    try:
        found = re2.compile(pattern.encode(), options)
    except re2.error as error:
        raise PatternError(f"`{pattern}` is not a regular expression that RE2 supports") from error
    if found.groups > 1:
        raise PatternError(
            f"`{pattern}` has {found.groups} groups; keep one around what is secret, write others `(?:…)`"
        )
    return found


_SHORTEST: Final = 2  # one letter would name anything


def check_name(name: str) -> str:
    """A name as it was written; PatternError when it could be none."""
    if _NAME.fullmatch(name) is None or len(normal_name(name)) < _SHORTEST:
        raise PatternError(
            f"`{name}` is not a name; write letters, digits, `_`, `-`, `.`, and start with a letter"
        )
    return name


def compile_patterns(patterns: Sequence[str]) -> tuple[Any, ...]:
    """Every pattern, ready to run."""
    return tuple(compile_pattern(pattern) for pattern in patterns)


# A JSON text inside a text may write any letter as a number; an honest encoder does so for few of them.
_DISGUISED: Final = r"\\(?:u00[2-7][0-9a-fA-F]|/)"
# A word of a command ends at a space, or where the next item of a list begins; JSON writes a tab as `\\t`.
_SPACE: Final = r"[ \t]"
_NEXT: Final = r"(?:[ \t]|\\+t|\\*[\"'](?:\s|\\+[nrt])*,(?:\s|\\+[nrt])*\\*[\"'])"
_MEMORY: Final = 32 * 1024 * 1024


Trigger = Callable[[bytes], bool]


def trigger_of(own_names: Collection[str] = ()) -> Trigger:
    """A search over bytes that says whether a closer look is needed."""
    return _compile_trigger(tuple(own_names))


@cache
def _compile_trigger(own_names: tuple[str, ...]) -> Trigger:
    names = "|".join((*WORDS, *map(expression_of, own_names)))
    kinds = "|".join(_sign(kind) for kind in KINDS)
    places = "|".join(_sign(kind) for kind in PLACES)
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.never_capture = True
    options.max_mem = _MEMORY
    compiled = re2.compile(f"(?i:{names}|{SIGNS}|{places})|{kinds}|{_DISGUISED}".encode(), options)
    return lambda written: compiled.search(written) is not None


def _sign(kind: Kind) -> str:
    if kind.trigger is not None:
        return kind.trigger.replace(_SPACE, _NEXT)
    return "|".join(re2.escape(hint) for hint in kind.hints)


_ENCODER: Final = msgspec.json.Encoder()
_NOTHING_KEPT: Final = VisibleWords(())
_NAMES: Final = 4_096
# A round takes one secret out of a command, such as one of five cookies of a `curl`; mostly two are enough.
_ROUNDS: Final = 32

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
        self._finder = Finder(compile_patterns(own.patterns), own.names)
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
        redacted = self._text(written, VisibleWords(_words(keep)), own=True)
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
            return self._text(written, VisibleWords(_words(keep)), own=True)
        kept = VisibleWords(_words(keep)) if keep else _NOTHING_KEPT
        changed = Members(self._text, self._finder).without(value, kept)
        return written if changed is value else _ENCODER.encode(changed)

    def _text(self, text: bytes, kept: VisibleWords, *, own: bool, whole: str | None = None) -> bytes:
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
