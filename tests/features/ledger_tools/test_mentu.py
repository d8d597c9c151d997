"""Laws of reading a Mentu ledger."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any

import pytest

from interlock.errors import LedgerError
from interlock.features.ledger_tools.mentu import read_mentu, refuse_problems


def entry(number: int, **more: Any) -> dict[str, Any]:
    """An operation of version 1."""
    known = {"id": f"mem_{number:08x}", "op": "capture", "ts": "2025-01-15T10:30:00Z", "actor": "human:r"}
    return {**known, "workspace": "w", "payload": {"body": f"é {number}"}, **more}


def chained(entries: Iterable[dict[str, Any]]) -> list[bytes]:
    """The same as version 2: the hash written down once more, by its definition."""
    prev, lines = "0" * 64, []
    for one in entries:
        text = json.dumps(one, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        hashed = hashlib.sha256(text.encode()).hexdigest()
        lines.append(
            json.dumps({**one, "hash": hashed, "prevHash": prev}, ensure_ascii=False).encode() + b"\n"
        )
        prev = hashed
    return lines


@pytest.mark.req("M56", "M57")
def test_version_1_is_read_as_it_stands() -> None:
    """Every member stays, an empty line is none, and there is no chain to speak of."""
    lines = [json.dumps(entry(n, source_key=f"k{n}")).encode() + b"\n" for n in range(2)]
    found = list(read_mentu([lines[0], b"\n", lines[1]]))

    assert [(one.line, one.chain, one.problem) for one in found] == [(1, "none", None), (3, "none", None)]
    assert found[1].entry == entry(1, source_key="k1")
    assert found[1].body["digest"] == hashlib.sha256(lines[1].rstrip()).hexdigest()
    assert found[1].body["source"] == "mentu"


@pytest.mark.req("M74")
def test_version_2_is_verified_by_its_own_definition() -> None:
    """Nested members in any order, letters beyond ASCII, numbers as they were written."""
    entries = [
        entry(n, payload={"z": [1, {"b": 1e-07, "a": "\u00e9\ud83d\ude00"[0]}], "a": None}) for n in range(3)
    ]

    assert [one.chain for one in read_mentu(chained(entries))] == ["verified"] * 3


@pytest.mark.req("M74")
def test_numbers_count_as_they_were_written() -> None:
    """JavaScript writes 1e-7 where others write 1e-07; the hash is of what it wrote."""
    bare = '{"actor":"a","id":"op_00000000","n":1e-7,"op":"x","ts":"t"}'
    hashed = hashlib.sha256(bare.encode()).hexdigest()
    line = bare[:-1] + f',"hash":"{hashed}","prevHash":"{"0" * 64}"}}'

    found = next(read_mentu([line.encode()]))
    assert (found.chain, found.entry["n"]) == ("verified", 1e-7)


@pytest.mark.req("M74")
@pytest.mark.parametrize("harm", ["change", "delete", "swap", "unhashed", "garbage"])
def test_a_break_is_named_with_its_line_and_everything_after_it_is_marked(harm: str) -> None:
    """What came before it is still verified."""
    lines = chained(entry(n) for n in range(6))
    if harm == "change":
        lines[2] = lines[2].replace(b"capture", b"approve")
    elif harm == "delete":
        del lines[2]
    elif harm == "swap":
        lines[2], lines[3] = lines[3], lines[2]
    elif harm == "unhashed":
        lines[2] = json.dumps(entry(2)).encode()
    else:
        lines[2] = b"{"
    found = list(read_mentu(lines))

    assert [one.chain for one in found[:2]] == ["verified"] * 2
    assert all(one.chain == "broken" or one.problem for one in found[2:])
    word = "no JSON" if harm == "garbage" else "E_CHAIN_BROKEN"
    with pytest.raises(LedgerError, match=rf"nothing was imported.*line 3: {word}"):
        refuse_problems(found, "file")


@pytest.mark.parametrize(
    ("line", "what"),
    [
        (b"nothing", "no JSON"),
        (b"[1]", "not a JSON object"),
        (b'{"id":"x"}', "`op` is missing"),
        (b'{"id":"x","op":1,"ts":"t","actor":"a"}', "`op` is missing or not a text"),
        (b'{"id":"x","id":"y","op":"o","ts":"t","actor":"a"}', "appears twice"),
        (b'{"id":"x","op":"o","ts":"t","actor":"a","n":NaN}', "is not a number"),
        (b"\xff", "no JSON"),
        (b"[" * 100_000, "no JSON"),
        (b'{"id":"' + b"x" * 600_000 + b'"}', "longer than"),
    ],
)
def test_a_bad_line_is_said_and_is_no_crash(line: bytes, what: str) -> None:
    """With what is wrong with it."""
    found = next(read_mentu([line]))

    assert what in (found.problem or "")


def test_the_same_line_is_the_same_entry_whatever_ends_it() -> None:
    """So that a second import adds nothing, also from a copy with other line ends."""
    line = json.dumps(entry(1)).encode()
    names = {next(read_mentu([line + end])).name for end in (b"", b"\n", b"\r\n")}

    assert len(names) == 1
