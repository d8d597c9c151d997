"""The daemon's end of the socket, in a thread: it reads each call and does what the test says."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.shim.wire import Frame, read_frame

Behaviour = Callable[[socket.socket, Frame], None]


def answering(data: bytes) -> Behaviour:
    """Send these bytes and close."""
    return lambda connection, _frame: connection.sendall(data)


class Peer:
    """Listens at `path` for as long as the block lasts and keeps the calls it read."""

    def __init__(self, path: Path, *behaviours: Behaviour) -> None:
        """The n-th call gets the n-th behaviour, later ones the last."""
        self._behaviours = behaviours
        self.frames: list[Frame] = []
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen(64)
        self._thread = threading.Thread(target=self._serve)

    def __enter__(self) -> Self:
        """Start to serve."""
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop and wait until the thread has gone."""
        self._listener.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._listener.close()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection:
                try:
                    self._one(connection)
                except (EOFError, BrokenPipeError, ConnectionResetError):
                    continue  # the shim has given up, as some tests want

    def _one(self, connection: socket.socket) -> None:
        frame = read_frame(connection)
        self.frames.append(frame)
        self._behaviours[min(len(self.frames), len(self._behaviours)) - 1](connection, frame)
