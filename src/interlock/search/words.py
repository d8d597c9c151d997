"""What of an entry is searched: its facts as one word each, and the texts in it."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from functools import lru_cache
from hashlib import blake2b
from itertools import chain
from typing import Any, Final

from interlock.ledger.blocks import Row
from interlock.ledger.entry import COLUMNS, body_of

_LONGEST: Final = 4_000  # characters of one text
_ALL: Final = 16_000  # characters of all texts of an entry
_DEEPEST: Final = 12
_BETWEEN: Final = "\n\ue000\n"  # a private character is a word, so no phrase goes from text to text
# Numbers, names and digests that are facts already, or that nobody looks for by a word.
_LEFT_OUT: Final = frozenset(
    {
        *("session_id", "event", "tool", "decision", "tool_use_id", "agent_id", "host", "revision", "digest"),
        *("trace", "skipped", "permission_mode", "sha256", "hash", "prev_hash", "signature"),
    }
)
_COLUMN: Final = {name: place for place, name in enumerate(COLUMNS)}


class Fact(StrEnum):
    """What an entry can be asked for by its exact value; the letter begins its word in the index."""

    SESSION = "s"
    ACTOR = "a"
    TOOL = "t"
    DECISION = "d"
    RULE = "r"
    OP = "o"
    COMMITMENT = "c"


_OF_COLUMN: Final = (
    (Fact.SESSION, _COLUMN["session_id"]),
    (Fact.ACTOR, _COLUMN["actor"]),
    (Fact.TOOL, _COLUMN["tool"]),
    (Fact.DECISION, _COLUMN["decision"]),
    (Fact.OP, _COLUMN["op"]),
)


@lru_cache(maxsize=4_096)
def fact_word(fact: Fact, value: str) -> str:
    """One word for one fact, whatever characters its value has: the index would take it apart."""
    return fact + blake2b(value.encode("utf-8", "replace"), digest_size=8).hexdigest()


def words_of(row: Row) -> tuple[int, str, str]:
    """The row of the index for a row of the ledger: seq, facts and texts."""
    body = body_of(row[_COLUMN["payload"]])
    facts = [fact_word(fact, row[place]) for fact, place in _OF_COLUMN if row[place] is not None]
    if rule := rule_of(body):
        facts.append(fact_word(Fact.RULE, rule))
    commitments = commitments_of(body)
    facts += [fact_word(Fact.COMMITMENT, one) for one in commitments]
    # Their names come first, so that nothing long keeps them out.
    return row[0], " ".join(facts), _BETWEEN.join(_cut(chain(commitments, texts_of(body))))


def rule_of(body: dict[str, Any]) -> str | None:
    """The hook an entry is due to: that decided, or that kept this evidence."""
    found = body.get("decided_by") or body.get("hook")
    return found if isinstance(found, str) else None


def commitments_of(body: dict[str, Any]) -> list[str]:
    """The commitment an entry was made under, and the one it is about."""
    found = (body.get("commitment_id"), body.get("commitment"))
    return [one for one in dict.fromkeys(found) if isinstance(one, str)]


def texts_of(body: dict[str, Any]) -> Iterator[str]:
    """Every text of a body a person might remember a word of, in the order it is written."""
    for key, value in body.items():
        if key not in _LEFT_OUT:
            yield from _texts(value, 0)


def _texts(value: Any, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        if value:
            yield value
    elif depth < _DEEPEST and isinstance(value, (dict, list)):
        for below in value.values() if isinstance(value, dict) else value:
            yield from _texts(below, depth + 1)


def _cut(texts: Iterator[str]) -> Iterator[str]:
    left = _ALL
    for text in texts:
        head = text[: min(_LONGEST, left)]
        left -= len(head)
        yield head
        if left <= 0:
            return
