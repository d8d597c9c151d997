"""Reading a Mentu `ledger.jsonl`: its entries, and its own chain where it has one.

Version 1 has no chain. In version 2 an entry carries `hash`, the SHA-256 of its JSON with members in the
order of their names, no blanks, without `hash` and `prevHash`; and `prevHash`, the hash of the entry before
it, 64 zeros at first.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from typing import Any, Final, Literal, Self

import msgspec

from interlock.errors import LedgerError
from interlock.events.text import and_more
from interlock.events.tool import JsonObject

BROKEN: Final = "E_CHAIN_BROKEN"
_FIRST: Final = "0" * 64
_REQUIRED: Final = ("id", "op", "ts", "actor")
_CHAIN: Final = ("hash", "prevHash")
_LONGEST: Final = 512 * 1024  # a line must fit into one request to the daemon

ChainState = Literal["verified", "none", "broken"]


class MentuEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One line, and what is known of it; `problem` says why it is not an entry, or where the chain ends."""

    line: int
    digest: str = ""
    entry: JsonObject = {}
    chain: ChainState = "none"
    problem: str | None = None

    @property
    def name(self) -> str:
        """The id it gets here: the same line is always the same entry, so that none is imported twice."""
        return f"im_{self.digest[:32]}"

    @property
    def body(self) -> JsonObject:
        """What is recorded of it."""
        origin = {"source": "mentu", "line": self.line, "digest": self.digest}
        return {**origin, "entry": self.entry, "chain": self.chain}


class _Number(float):
    """A number as it was written: another way to write it would be another hash."""

    text: str

    def __new__(cls, text: str) -> Self:
        number = super().__new__(cls, text)
        number.text = text
        return number


def read_mentu(lines: Iterable[bytes]) -> Iterator[MentuEntry]:
    """Every line that is not empty; from the first break on, all that is chained counts as broken."""
    prev, chained, whole = _FIRST, False, True
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            entry = _parse(line)
        except ValueError as error:
            whole = False
            yield MentuEntry(line=number, problem=str(error))
            continue
        problem = _chain_fault(entry, prev, chained=chained) if whole else None
        whole = whole and problem is None
        chained = chained or "hash" in entry
        prev = str(entry.get("hash", prev))
        yield MentuEntry(
            line=number,
            digest=hashlib.sha256(line.rstrip(b"\r\n")).hexdigest(),
            entry=_plain(entry),
            chain="broken" if not whole else "verified" if "hash" in entry else "none",
            problem=problem,
        )


def _chain_fault(entry: JsonObject, prev: str, *, chained: bool) -> str | None:
    """Why an entry does not continue the chain, if so; lines before a chain begins have none."""
    if not any(name in entry for name in _CHAIN):
        return f"{BROKEN}: it has no hash, and the one before it has" if chained else None
    if entry.get("prevHash") != prev:
        return f"{BROKEN}: prevHash is not the hash of the entry before it"
    bare = {name: value for name, value in entry.items() if name not in _CHAIN}
    if entry.get("hash") != hashlib.sha256(_canonical(bare).encode("utf-8", "surrogatepass")).hexdigest():
        return f"{BROKEN}: hash is not that of the entry"
    return None


def _parse(line: bytes) -> JsonObject:
    if len(line) > _LONGEST:
        raise ValueError(f"longer than {_LONGEST} bytes")
    try:
        entry = json.loads(
            line.decode("utf-8"),
            parse_float=_Number,
            parse_constant=_refuse_number,
            object_pairs_hook=_unique_members,
        )
    except (ValueError, RecursionError) as error:
        raise ValueError(f"no JSON: {error}") from None
    if not isinstance(entry, dict):
        raise ValueError("not a JSON object")  # noqa: TRY004 - a line of a file, no argument of ours
    missing = [name for name in _REQUIRED if not isinstance(entry.get(name), str)]
    if missing:
        raise ValueError(f"`{missing[0]}` is missing or not a text")
    return entry


def _unique_members(pairs: list[tuple[str, Any]]) -> JsonObject:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("a member appears twice in one object")
    return members


def _refuse_number(word: str) -> Any:
    raise ValueError(f"`{word}` is not a number")


def _canonical(value: Any) -> str:
    """As JavaScript writes it: no blanks, members by their UTF-16 names, numbers as they stood."""
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be", "surrogatepass"))
        return "{" + ",".join(f"{_canonical(name)}:{_canonical(value[name])}" for name in names) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_canonical, value)) + "]"
    if isinstance(value, _Number):
        return value.text
    return json.dumps(value, ensure_ascii=False)


def _plain(value: Any) -> Any:
    """The same values without our own kind of number, and without halves of characters."""
    if isinstance(value, dict):
        return {_plain(name): _plain(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    return float(value) if isinstance(value, _Number) else value


_SHOWN: Final = 5


def refuse_problems(entries: Iterable[MentuEntry], file: str) -> None:
    """Raise with the first lines that are not entries or break the chain."""
    wrong = [entry for entry in entries if entry.problem]
    if not wrong:
        return
    excerpt = "; ".join(f"line {entry.line}: {entry.problem}" for entry in wrong[:_SHOWN])
    more = and_more(len(wrong), _SHOWN)
    raise LedgerError(f"nothing was imported from `{file}`: {excerpt}{more}; --broken imports it with marks")
