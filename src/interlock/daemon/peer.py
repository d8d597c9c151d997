"""Who is at the other end of the socket, by the kernel's word."""

from __future__ import annotations

import socket
import struct
from typing import Final

_UCRED: Final = struct.Struct("3i")


_SOL_LOCAL: Final = 0  # macOS
_LOCAL_PEERPID: Final = 2


def _peer_pid(connection: socket.socket) -> int:
    try:
        return connection.getsockopt(_SOL_LOCAL, _LOCAL_PEERPID)
    except OSError:
        return 0


def peer_of(connection: socket.socket) -> tuple[int, int]:
    """The process that connected, 0 where the system does not tell, and its user id."""
    option = getattr(socket, "SO_PEERCRED", None)  # Linux; elsewhere the C library knows
    if option is not None:
        pid, uid, _ = _UCRED.unpack(connection.getsockopt(socket.SOL_SOCKET, option, _UCRED.size))
        return int(pid), int(uid)
    return _peer_pid(connection), _peer_uid(connection)


def _peer_uid(connection: socket.socket) -> int:
    import ctypes  # noqa: PLC0415 - 2 ms of every start that only macOS needs

    uid, gid = ctypes.c_uint32(), ctypes.c_uint32()
    library = ctypes.CDLL(None, use_errno=True)
    if library.getpeereid(connection.fileno(), ctypes.byref(uid), ctypes.byref(gid)) != 0:
        raise OSError(ctypes.get_errno(), "getpeereid failed")
    return uid.value
