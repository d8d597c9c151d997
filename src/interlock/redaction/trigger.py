"""One fast look at the bytes of a body: could there be a secret anywhere in it?

It must hit whenever the exact search would find something, in JSON too; it may hit more often. So it looks
for signs that JSON writes as they are: no quotes, no line ends, no word boundaries (`\\n` ends in a letter).
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cache
from typing import Final

import re2

from interlock.redaction.doubtful import SIGNS
from interlock.redaction.given import GIVEN
from interlock.redaction.kinds import KINDS, PLACES, Kind
from interlock.redaction.names import WORDS, expression_of
from interlock.redaction.stored import STORED
from interlock.redaction.typed import TYPED

# A JSON text inside a text may write any letter as a number; an honest encoder does so for few of them.
_DISGUISED: Final = r"\\(?:u00[2-7][0-9a-fA-F]|/)"
# A word of a command ends at a space, or where the next item of a list begins; JSON writes a tab as `\\t`.
_SPACE: Final = r"[ \t]"
_NEXT: Final = r"(?:[ \t]|\\+t|\\*[\"'](?:\s|\\+[nrt])*,(?:\s|\\+[nrt])*\\*[\"'])"
_MEMORY: Final = 32 * 1024 * 1024


Trigger = Callable[[bytes], bool]


def trigger_of(own_names: Collection[str] = ()) -> Trigger:
    """A search over bytes that says whether a closer look is needed."""
    return _compiled(tuple(own_names))


@cache
def _compiled(own_names: tuple[str, ...]) -> Trigger:
    names = "|".join((*WORDS, *map(expression_of, own_names)))
    kinds = "|".join(_sign(kind) for kind in KINDS)
    places = "|".join(_sign(kind) for kind in (*PLACES, *TYPED, *GIVEN, *STORED))
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.never_capture = True
    options.max_mem = _MEMORY
    compiled = re2.compile(f"(?i:{names}|{SIGNS}|{places})|{kinds}|{_DISGUISED}".encode(), options)
    # Asked of every entry: `search` makes a generator and a match of what is a yes or a no.
    inner, anchor = getattr(compiled, "_regexp", None), getattr(re2, "_Anchor", None)
    if inner is None or anchor is None:  # both are the library's own affair
        return lambda written: compiled.search(written) is not None
    match, anywhere, nowhere = inner.Match, anchor.UNANCHORED, [(-1, -1)]

    def triggered(written: bytes) -> bool:
        return bool(match(anywhere, written, 0, len(written)) != nowhere)

    return triggered


def _sign(kind: Kind) -> str:
    if kind.trigger is not None:
        return kind.trigger.replace(_SPACE, _NEXT)
    return "|".join(re2.escape(hint) for hint in kind.hints)
