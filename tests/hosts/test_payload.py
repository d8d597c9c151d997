"""Bytes that are one object, and every way in which they are not."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.errors import PayloadError, PayloadKind
from interlock.hosts.payload import MAX_DEPTH, Payload, read_payload

EVENT = (
    b'{"hook_event_name":"PreToolUse","tool_input":{"command":"echo \\"hi\\" \\\\ d\\u00f6ne",'
    b'"numbers":[-1.5e+3,0.1E2,12],"words":[true,false,null]}}'
)


def kind_of(payload: bytes) -> PayloadKind:
    """How a payload fails to be read."""
    with pytest.raises(PayloadError) as raised:
        read_payload(payload)
    return raised.value.kind


@pytest.mark.req("D09")
@pytest.mark.parametrize(
    ("payload", "kind"),
    [
        (b"", "empty"),
        (b" \r\n\t", "empty"),
        (b'{"a":"\xff"}', "encoding"),
        (b'{"a":"\xed\xa0\x80"}', "encoding"),
        (b'{"a":1}\0', "nul"),
        (b'{"a":"x\0y"}', "nul"),
        (b'{"a":1', "truncated"),
        (b'{"a":"x', "truncated"),
        (b'{"a":tr', "truncated"),
        (b'{"a":1}{"a":2}', "trailing"),
        (b'{"a":1} x', "trailing"),
        (b'{"a":1,"a":1}', "duplicate"),
        (b'{"a":1,"\\u0061":2}', "duplicate"),
        (b'{"o":[{"a":1,"b":2,"a":3}]}', "duplicate"),
        (b'{"\\ud800":1,"\\udbff":2}', "duplicate"),
        (b'{"a":NaN}', "number"),
        (b'{"a":Infinity}', "number"),
        (b'{"a":-Infinity}', "number"),
        (b'{"a":1e999}', "number"),
        (b'{"a":18446744073709551616}', "number"),
        (b'{"a":-9223372036854775809}', "number"),
        (b'{"a":' + b"9" * 5_000 + b"}", "number"),
        (b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}", "depth"),
        (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "depth"),
        (b"[" * 100_000, "depth"),
        (b'{"a":1,}', "syntax"),
        (b"{'a':1}", "syntax"),
        (b'{"a":"\n"}', "syntax"),
        (b'\xef\xbb\xbf{"a":1}', "syntax"),
        (b"[]", "not_object"),
        (b'"text"', "not_object"),
        (b"null", "not_object"),
    ],
    ids=lambda value: value[:24].decode("latin-1") if isinstance(value, bytes) else value,
)
def test_each_flaw_is_one_typed_error(payload: bytes, kind: str) -> None:
    """What is not an object, or could be read as two, is refused with the word for its flaw."""
    assert kind_of(payload) == kind


@pytest.mark.req("D09")
def test_no_beginning_of_an_object_is_read() -> None:
    """An object that was cut anywhere is never taken for a shorter one."""
    kinds = {kind_of(EVENT[:length]) for length in range(1, len(EVENT))}

    assert kinds == {PayloadKind.TRUNCATED}


@pytest.mark.req("D09")
def test_depth_ends_at_one_number() -> None:
    """The last level that is read, and the first that is not, are the same on every machine."""
    arrays = MAX_DEPTH - 1

    assert read_payload(b'{"a":' + b"[" * arrays + b"]" * arrays + b"}").fields["a"] is not None
    assert kind_of(b'{"a":' + b"[" * (arrays + 1) + b"]" * (arrays + 1) + b"}") == "depth"


def test_brackets_in_texts_are_no_depth() -> None:
    """A command full of brackets is flat."""
    command = "{[" * 5_000

    assert read_payload(json.dumps({"a": command}).encode()).fields == {"a": command}


@pytest.mark.parametrize(
    "payload",
    [
        b'{"a":[' + b"{}," * 200_000 + b"1]}",
        b"[" + b"0," * 200_000 + b"0]",
    ],
    ids=["objects", "numbers"],
)
def test_a_swarm_of_values_is_not_read(payload: bytes) -> None:
    """Nobody else waits while millions of small values are built."""
    assert kind_of(payload) == "size"


def test_marks_in_texts_are_no_values() -> None:
    """A large file full of commas and quotes is one value."""
    content = 'f("a, b", [1], {}),\\' * 50_000

    assert read_payload(json.dumps({"a": content}).encode()).fields == {"a": content}


@pytest.mark.req("D09")
@pytest.mark.parametrize(
    ("payload", "fields"),
    [
        (b'{"a":"x\\ud800y"}', {"a": "x\ufffdy"}),
        (b'{"a":["\\uDFFF"]}', {"a": ["\ufffd"]}),
        (b'{"\\udc00\\ud800":1}', {"\ufffd\ufffd": 1}),
    ],
)
def test_half_characters_are_replaced_and_marked(payload: bytes, fields: dict[str, object]) -> None:
    """A lone surrogate becomes U+FFFD, and the payload says that it was repaired."""
    found = read_payload(payload)

    assert fields == found.fields
    assert found.repaired


@pytest.mark.parametrize("payload", [b'{"a":"\\ud83d\\ude00"}', b'{"a":"\\\\ud800"}', '{"a":"ü😀"}'.encode()])
def test_whole_characters_are_no_repair(payload: bytes) -> None:
    """Pairs, escaped backslashes and raw UTF-8 pass as they are."""
    found = read_payload(payload)

    assert found.fields == json.loads(payload)
    assert not found.repaired


@pytest.mark.parametrize("payload", [b'{"a":1}\n', b' \n{"a":1}\r\n\t'])
def test_blanks_around_the_object_are_nothing(payload: bytes) -> None:
    """Hosts end their line with a newline."""
    assert read_payload(payload).fields == {"a": 1}


def test_integers_are_kept_to_the_last_bit() -> None:
    """Everything within 64 bits comes out as it went in."""
    fields = {"least": -(2**63), "greatest": 2**64 - 1}

    assert read_payload(json.dumps(fields).encode()).fields == fields


@pytest.mark.req("D09")
@given(st.binary(max_size=60) | st.text('{}[]":,\\udU08aeE+-.\n NtIf', max_size=60).map(str.encode))
def test_any_bytes_are_an_object_or_a_payload_error(payload: bytes) -> None:
    """No input raises anything else."""
    with suppress(PayloadError):
        assert isinstance(read_payload(payload).fields, dict)


# Pieces of JSON as they are written, right and wrong, so that texts made of them are often nearly right.
_STRINGS = ['"a"', '"b"', '"\\""', '"\\u0022"', '"\\u0061"', '"\\\\"', '"x']
_NUMBERS = ["1", "-0", "01", "1.5", "1e3", "1e400", "9" * 19, "9" * 20]
_OTHERS = ["true", "null", "NaN", "\n", "\t", "\x01", "\x7f", "\ufeff", "é"]
_PIECES = st.sampled_from([*"{}[]:, ", *_STRINGS, *_NUMBERS, *_OTHERS])
_KEYS = st.sampled_from(["a", "b", '"', "\\", "é"])
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=3),
    max_leaves=8,
)


def _read(payload: bytes) -> Payload | None:
    """What was read; None where the payload was refused."""
    try:
        return read_payload(payload)
    except PayloadError:
        return None


@pytest.mark.req("D09")
@given(st.lists(_PIECES, max_size=20).map("".join))
def test_what_is_read_is_what_json_says(text: str) -> None:
    """In the same order, and with every member."""
    for payload in (text.encode(), f'{{"a":{text}}}'.encode()):
        found = _read(payload)
        if found is not None and not found.repaired:
            assert json.dumps(found.fields) == json.dumps(json.loads(payload))


@pytest.mark.req("D09")
@settings(max_examples=50)
@given(st.lists(st.tuples(_KEYS, _VALUES), max_size=4), st.booleans(), st.booleans())
def test_no_key_is_taken_twice(pairs: list[tuple[str, object]], ascii_only: bool, wide: bool) -> None:
    """Keys drawn with repetition, at the top and inside: one written twice is refused."""
    marks = (", ", ": ") if wide else (",", ":")
    written = [
        f"{json.dumps(key, ensure_ascii=ascii_only)}{marks[1]}{json.dumps(value, ensure_ascii=ascii_only)}"
        for key, value in pairs
    ]
    inside = "{" + marks[0].join(written) + "}"
    for text in (inside, f'{{"x":[{inside}]}}'):
        payload = text.encode("utf-8", "surrogatepass")
        if len({key for key, _ in pairs}) < len(pairs):
            assert _read(payload) is None
