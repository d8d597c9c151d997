"""The bytes of one hook call and its answer; docs/protocol.md describes them for other clients."""

from __future__ import annotations

import os
import struct
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final

import msgspec

from interlock.errors import InterlockError
from interlock.hosts.host import Reply

CALL: Final = b"ILK1"
ANSWER: Final = b"ILR1"
# Instead of an answer: the call belongs to another home, and nothing was decided.
OTHER_HOME: Final = b"ILH1"
# Sent while a hook is still running, so that silence always means a daemon that hangs.
HEARTBEAT: Final = b"."
HEARTBEAT_SECONDS: Final = 0.4
MAX_HEADER: Final = 4_096
MAX_PAYLOAD: Final = 16 * 1024 * 1024
_CALL_HEAD: Final = struct.Struct("<4sII")
_ANSWER_HEAD: Final = struct.Struct("<4sBII")
CALL_HEAD_SIZE: Final = _CALL_HEAD.size
ANSWER_HEAD_SIZE: Final = _ANSWER_HEAD.size


_HOME_KEYS: Final = ("state", "config", "managed")
NO_HOME: Final = ("", "", "")


class FrameError(InterlockError):
    """Bytes on the socket that are not a call."""


class Call(msgspec.Struct, frozen=True):
    """One hook call as a shim sends it."""

    host: str
    payload: bytes
    env: Mapping[str, str] = MappingProxyType({})
    shim: str = ""
    home: tuple[str, str, str] = NO_HOME  # folders: state, the user's policies, the machine's policies


def call_size(head: bytes | bytearray) -> int:
    """The size of the whole call; raise FrameError before anything too large is buffered."""
    magic, header, payload = _CALL_HEAD.unpack_from(head)
    if magic != CALL:
        raise FrameError("the first bytes are not a hook call")
    if header > MAX_HEADER:
        raise FrameError(f"a header of {header} bytes; the limit is {MAX_HEADER}")
    if payload > MAX_PAYLOAD:
        raise FrameError(f"a payload of {payload} bytes; the limit is {MAX_PAYLOAD}")
    return CALL_HEAD_SIZE + int(header) + int(payload)


def decode_call(frame: bytes) -> Call:
    """Read a call whose size was checked."""
    _, header_size, _ = _CALL_HEAD.unpack_from(frame)
    end = CALL_HEAD_SIZE + header_size
    host, shim, env, home = _header(frame[CALL_HEAD_SIZE:end])
    return Call(host=host, shim=shim, env=env, payload=frame[end:], home=home)


@lru_cache(maxsize=256)  # the calls of one session have one header
def _header(header: bytes) -> tuple[str, str, Mapping[str, str], tuple[str, str, str]]:
    pairs = [item.partition(b"=") for item in header.split(b"\0") if item]
    # Paths may be any bytes, and are compared as the system would use them.
    fields = {os.fsdecode(key): value for key, _, value in pairs}
    words = {key: value.decode("utf-8", "replace") for key, value in fields.items()}
    env = {key[4:]: value for key, value in words.items() if key.startswith("env.")}
    state, config, managed = (os.fsdecode(fields.get(key, b"")) for key in _HOME_KEYS)
    return words.get("host", ""), words.get("shim", ""), MappingProxyType(env), (state, config, managed)


def encode_call(call: Call) -> bytes:
    """Write a call as the shim does."""
    fields = {
        "host": call.host,
        "shim": call.shim,
        **{name: value for name, value in zip(_HOME_KEYS, call.home, strict=True) if value},
        **{f"env.{name}": value for name, value in call.env.items()},
    }
    header = b"".join(os.fsencode(f"{key}={value}") + b"\0" for key, value in fields.items())
    return _CALL_HEAD.pack(CALL, len(header), len(call.payload)) + header + call.payload


def encode_answer(reply: Reply) -> bytes:
    head = _ANSWER_HEAD.pack(ANSWER, reply.exit_code, len(reply.stdout), len(reply.stderr))
    return head + reply.stdout + reply.stderr


def decode_answer(data: bytes) -> Reply | None:
    """Read an answer after any heartbeats; None while it is incomplete."""
    data = data.lstrip(HEARTBEAT)
    if data[: len(OTHER_HOME)] == OTHER_HOME:
        raise FrameError("it serves another home; run `interlock doctor`")
    if len(data) < ANSWER_HEAD_SIZE:
        return None
    magic, code, out, err = _ANSWER_HEAD.unpack_from(data)
    if magic != ANSWER:
        raise FrameError("the daemon's answer could not be read")
    body = data[ANSWER_HEAD_SIZE:]
    if len(body) < out + err:
        return None
    return Reply(exit_code=code, stdout=body[:out], stderr=body[out : out + err])
