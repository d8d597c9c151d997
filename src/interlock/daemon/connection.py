"""One client of the socket: bytes in, calls or requests out, answers back."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import Final

from interlock.daemon.frame import (
    CALL_HEAD_SIZE,
    HEARTBEAT,
    HEARTBEAT_SECONDS,
    Call,
    FrameError,
    call_size,
    decode_call,
    encode_answer,
)
from interlock.hosts.host import Reply

_CHUNK: Final = 256 * 1024
_MAX_LINE: Final = 1024 * 1024
# A client that has not said a whole thing by then is cut off, so that slow ones cannot pile up.
_SILENT_SECONDS: Final = 5.0

OnCall = Callable[["Connection", Call], None]
OnLine = Callable[["Connection", bytes], None]
OnRefused = Callable[["Connection", FrameError], None]


class Connection:
    """Reads without ever blocking the loop; handles one call at a time."""

    def __init__(
        self,
        peer: socket.socket,
        loop: asyncio.AbstractEventLoop,
        *,
        on_call: OnCall,
        on_line: OnLine,
        on_refused: OnRefused,
        on_close: Callable[[Connection], None],
    ) -> None:
        self._peer: Final = peer
        self._loop: Final = loop
        self._on_call: Final = on_call
        self._on_line: Final = on_line
        self._on_refused: Final = on_refused
        self._on_close: Final = on_close
        self._in = bytearray()
        self._out = bytearray()
        self._timer: asyncio.TimerHandle | None = loop.call_later(_SILENT_SECONDS, self.close)
        self._beat: asyncio.TimerHandle | None = None
        self._listening = False
        self.busy = False
        self.closed = False
        self.talks_rpc = False

    def read(self) -> None:
        """Take what has arrived; the first time without waiting for the loop to say so."""
        try:
            data = self._peer.recv(_CHUNK)
        except (BlockingIOError, InterruptedError):
            self._listen()
            return
        except OSError:
            self.close()
            return
        if not data:
            self.close()
            return
        self._in += data
        self._advance()
        self._listen()

    def _listen(self) -> None:
        if not self._listening and not self.closed:
            self._listening = True
            self._loop.add_reader(self._peer.fileno(), self.read)

    def _advance(self) -> None:
        if self._in[:1] == b"{":
            self.talks_rpc = True
        if self.talks_rpc:
            self._take_lines()
        elif not self.busy:
            self._take_call()

    def _take_call(self) -> None:
        if len(self._in) < CALL_HEAD_SIZE:
            return
        try:
            size = call_size(bytes(self._in[:CALL_HEAD_SIZE]))
        except FrameError as error:
            self._stop_timer()
            self._on_refused(self, error)
            return
        if len(self._in) < size:
            return
        frame = bytes(self._in[:size])
        del self._in[:size]
        self.busy = True
        self._stop_timer()
        self._on_call(self, decode_call(frame))

    def _take_lines(self) -> None:
        self._stop_timer()
        while not self.closed:
            line, newline, rest = self._in.partition(b"\n")
            if not newline:
                if len(self._in) > _MAX_LINE:
                    self.close()
                return
            self._in[:] = rest
            if line.strip():
                self._on_line(self, bytes(line))

    def beat(self) -> None:
        """Tell the client, again and again, that its hook is still running."""
        self._beat = self._loop.call_later(HEARTBEAT_SECONDS, self._send_beat)

    def _send_beat(self) -> None:
        if self.busy and not self.closed:
            self.send(HEARTBEAT)
            self.beat()

    def answer(self, reply: Reply) -> None:
        """Send the answer to the call under way and go on with the next."""
        if self._beat is not None:
            self._beat.cancel()
        self.send(encode_answer(reply))
        self.busy = False
        if not self.closed and self._in:
            self._advance()

    def send(self, data: bytes) -> None:
        """Send now what fits, and the rest when the client reads on."""
        if self.closed:
            return
        if self._out:
            self._out += data
            return
        try:
            sent = self._peer.send(data)
        except (BlockingIOError, InterruptedError):
            sent = 0
        except OSError:
            self.close()
            return
        if sent < len(data):
            self._out += data[sent:]
            self._loop.add_writer(self._peer.fileno(), self._drain)

    def _drain(self) -> None:
        try:
            sent = self._peer.send(self._out)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            self.close()
            return
        del self._out[:sent]
        if not self._out:
            self._loop.remove_writer(self._peer.fileno())

    def close(self) -> None:
        """End the connection; an answer still under way is no longer delivered."""
        if self.closed:
            return
        self.closed = True
        self._stop_timer()
        if self._beat is not None:
            self._beat.cancel()
        if self._listening:
            self._loop.remove_reader(self._peer.fileno())
        if self._out:
            self._loop.remove_writer(self._peer.fileno())
        self._peer.close()
        self._on_close(self)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
