"""Laws of the bytes of a call and its answer."""

from __future__ import annotations

import struct

import pytest

from interlock.daemon.protocol import (
    CALL_HEAD_SIZE,
    MAX_HEADER,
    MAX_PAYLOAD,
    Call,
    FrameError,
    call_size,
    decode_answer,
    decode_call,
    encode_answer,
    encode_call,
)
from interlock.hosts.host import Reply

CALL = Call(host="claude-code", shim="1.2", payload=b'{"a":"\0"}', env={"AGENT_ID": "a=b"})
REPLY = Reply(exit_code=2, stdout=b"out", stderr=b"err.")


def test_a_call_is_read_as_it_was_written() -> None:
    """Nothing of a call is lost, also where values hold `=` and payloads hold NUL."""
    frame = encode_call(CALL)

    assert decode_call(frame) == CALL
    assert call_size(frame[:CALL_HEAD_SIZE]) == len(frame)


@pytest.mark.req("D08")
@pytest.mark.parametrize(
    ("header", "payload", "fits"),
    [
        (MAX_HEADER, MAX_PAYLOAD, True),
        (MAX_HEADER + 1, 0, False),
        (0, MAX_PAYLOAD + 1, False),
        (2**32 - 1, 2**32 - 1, False),
    ],
)
def test_a_length_over_the_limit_is_refused_at_the_head(header: int, payload: int, fits: bool) -> None:
    """The twelve bytes of the head are enough to refuse a call."""
    head = struct.pack("<4sII", b"ILK1", header, payload)

    if fits:
        assert call_size(head) == CALL_HEAD_SIZE + header + payload
    else:
        with pytest.raises(FrameError, match="the limit is"):
            call_size(head)


def test_other_first_bytes_are_no_call() -> None:
    """A client of another protocol is told so."""
    with pytest.raises(FrameError, match="not a hook call"):
        call_size(b"GET / HTTP/1")


@pytest.mark.parametrize("header", [b"", b"host", b"=x\0", b"\0\0", b"host=\xff\0"])
def test_a_strange_header_is_still_a_call(header: bytes) -> None:
    """A header that names no known host is for the decider to refuse."""
    frame = struct.pack("<4sII", b"ILK1", len(header), 2) + header + b"{}"

    call = decode_call(frame)

    assert call.host in {"", "\ufffd"}
    assert call.payload == b"{}"


@pytest.mark.parametrize("beats", [0, 1, 7])
def test_an_answer_is_read_behind_any_heartbeats_once_it_is_whole(beats: int) -> None:
    """Every piece of an answer but the last gives nothing."""
    data = b"." * beats + encode_answer(REPLY)

    assert [decode_answer(data[:size]) for size in range(len(data))] == [None] * len(data)
    assert decode_answer(data) == REPLY


def test_what_is_no_answer_is_an_error() -> None:
    """A client never takes other bytes for an answer."""
    with pytest.raises(FrameError, match="answer could not be read"):
        decode_answer(b"HTTP/1.1 200 OK\r\n")
