"""The frames between the shim and the daemon, as the daemon's end reads and writes them."""

from __future__ import annotations

import socket
import struct
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Frame:
    """One hook call as it came over the socket."""

    fields: dict[str, str]
    payload: bytes


def exactly(connection: socket.socket, size: int) -> bytes:
    """Read so many bytes, or fail."""
    found = bytearray()
    while len(found) < size:
        more = connection.recv(size - len(found))
        if not more:
            raise EOFError(f"{len(found)} of {size} bytes came")
        found += more
    return bytes(found)


def read_frame(connection: socket.socket) -> Frame:
    """Read one call."""
    magic, header_size, payload_size = struct.unpack("<4sII", exactly(connection, 12))
    assert magic == b"ILK1"
    header = exactly(connection, header_size).decode()
    pairs = [pair.partition("=") for pair in header.removesuffix("\0").split("\0")]
    payload = exactly(connection, payload_size)
    return Frame(fields={name: value for name, _, value in pairs}, payload=payload)


def answer(out: bytes = b"", err: bytes = b"", code: int = 0) -> bytes:
    """Write one answer."""
    return struct.pack("<4sBII", b"ILR1", code, len(out), len(err)) + out + err
