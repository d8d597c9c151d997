"""One client of the socket: bytes in, calls or requests out, answers back."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import Final

from interlock.daemon.process_tree import began, began_now, process
from interlock.daemon.protocol import (
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

_LIMIT: Final = 256 * 1024 * 1024  # sixteen calls of the largest size


class Buffered:
    """Counts the bytes buffered for all connections."""

    def __init__(self, limit: int = _LIMIT) -> None:
        self._limit: Final = limit
        self.bytes = 0

    @property
    def full(self) -> bool:
        return self.bytes > self._limit


# Python allocates this much at every read; from 128 KiB on the system maps and unmaps it each time.
_CHUNK: Final = 16 * 1024
_MAX_LINE: Final = 1024 * 1024
_MAX_AHEAD: Final = 1024 * 1024  # bytes sent ahead of their turn; a client that sent more has to wait
_SILENT_SECONDS: Final = 5.0  # to finish a message, so that slow clients cannot pile up
_FIRST_SECONDS: Final = 2.0  # to begin one: a shim writes as soon as it is connected

_GONE: Final = -1  # no process has this number

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
        pid: int = 0,
        on_call: OnCall,
        on_line: OnLine,
        on_refused: OnRefused,
        on_close: Callable[[Connection], None],
        on_idle: Callable[[Connection], None] | None = None,
        buffered: Buffered | None = None,
    ) -> None:
        self._peer: Final = peer
        self._loop: Final = loop
        self._on_call: Final = on_call
        self._on_line: Final = on_line
        self._on_refused: Final = on_refused
        self._on_close: Final = on_close
        self._on_idle: Final = on_idle  # called after the first answer; None: listen at once
        self._buffered: Final = buffered or Buffered()
        self._share = 0  # our part of `buffered`, as last counted
        self._in = bytearray()
        self._out = bytearray()
        self._timer: asyncio.TimerHandle | None = None
        self._waits_for_first = False
        self.pid: Final = pid  # the process that connected, as the kernel reports it
        self._came: Final = began_now()
        self.heard = loop.time()  # when it connected or last asked for something
        self.asked = False
        self.requests = 0  # under way
        self.belongs = False  # calls from our home, though its calls do not say so
        self._beat: asyncio.TimerHandle | None = None
        self._listening = False
        self._advancing = False
        self.busy = False
        self.closed = False
        self.talks_rpc = False

    @property
    def unfetched(self) -> int:
        """How many bytes the client has not read yet."""
        return len(self._out)

    @property
    def begun(self) -> bool:
        return bool(self._in)

    @property
    def asker(self) -> int:
        """The process that connected; no process if its number belongs to a younger one by now."""
        found = process(self.pid)
        return self.pid if found is None or began(found) <= self._came else _GONE

    @property
    def at_work(self) -> bool:
        return self.busy or self.requests > 0

    def read(self) -> None:
        """Read what has arrived; the first time without waiting for the event loop."""
        try:
            data = self._peer.recv(_CHUNK)
        except (BlockingIOError, InterruptedError):
            self._listen()
            self._watch_time()
            return
        except OSError:
            self.close()
            return
        if not data:
            self.close()
            return
        self._in += data
        self._advance()
        # A call that is answered at once is answered first: listening costs as much as sending.
        if self._listening or not self.busy:
            self._listen()

    def _listen(self) -> None:
        """Listen for more, unless the client has sent so much ahead that it has to wait."""
        wanted = not self.closed and not (self._held and len(self._in) > _MAX_AHEAD)
        if wanted and not self._listening:
            self._loop.add_reader(self._peer.fileno(), self.read)
        elif self._listening and not wanted and not self.closed:
            self._loop.remove_reader(self._peer.fileno())
        self._listening = wanted

    @property
    def _held(self) -> bool:
        # One call at a time, and none for a client that does not read its answers.
        return self.busy or bool(self._out)

    def _count(self) -> None:
        """Count what is buffered here; over the common limit, close the client that added to it."""
        share = 0 if self.closed else len(self._in) + len(self._out)
        more, self._share = share - self._share, share
        self._buffered.bytes += more
        if more > 0 and self._buffered.full:
            self.close()

    def _take(self, call: Call) -> None:
        self.busy = self.asked = True
        self.heard = self._loop.time()
        self._on_call(self, call)

    def _advance(self) -> None:
        # An immediate answer comes back here: take calls that were sent ahead in a loop, not by recursion.
        if self._advancing:
            return
        self._advancing = True
        try:
            while not self.closed and self._in and self._step():
                pass
        finally:
            self._advancing = False
        self._count()
        self._watch_time()

    def _step(self) -> bool:
        """Take one message; False if none is complete or the client has to wait."""
        if self._held:
            return False
        self.talks_rpc = self.talks_rpc or self._in[:1] == b"{"
        return self._take_line() if self.talks_rpc else self._take_call()

    def _take_call(self) -> bool:
        if len(self._in) < CALL_HEAD_SIZE:
            return False
        try:
            size = call_size(self._in)
        except FrameError as error:
            self._in.clear()
            self._on_refused(self, error)
            return False
        if len(self._in) < size:
            return False
        frame = bytes(memoryview(self._in)[:size])
        del self._in[:size]
        self._take(decode_call(frame))
        return True

    def _take_line(self) -> bool:
        end = self._in.find(b"\n")
        if end < 0:
            if len(self._in) > _MAX_LINE:
                self.close()
            return False
        line = bytes(self._in[:end])
        del self._in[: end + 1]
        if line.strip():
            self.asked = True
            self.heard = self._loop.time()
            self._on_line(self, line)
        return True

    def _watch_time(self) -> None:
        """Set a timeout for a message that has begun; not for a client that waits or is between calls."""
        begun = (self._in or not self.asked) and not self._held and not self.closed
        if not begun:
            self._stop_timer()
        elif self._timer is None or (self._in and self._waits_for_first):
            self._stop_timer()
            self._waits_for_first = not self._in
            seconds = _FIRST_SECONDS if self._waits_for_first else _SILENT_SECONDS
            self._timer = self._loop.call_later(seconds, self.close)

    def beat(self) -> None:
        """Send heartbeats while a hook runs, and notice when the client leaves."""
        self._listen()
        self._beat = self._loop.call_later(HEARTBEAT_SECONDS, self._send_beat)

    def _send_beat(self) -> None:
        if self.busy and not self.closed:
            self.send(HEARTBEAT)
            self.beat()

    def answer(self, reply: Reply) -> bool:
        """Send the answer to the current call and go on with the next; False if the client has gone."""
        if self._beat is not None:
            self._beat.cancel()
        self.send(encode_answer(reply))
        delivered = not self.closed
        self.busy = False
        if self._in or not self._listening:  # else the next message has not arrived
            self._go_on()
        return delivered

    def _go_on(self) -> None:
        if self._in:
            self._advance()
        elif self._listening:
            return
        if self.closed or self.busy:
            return
        if self._listening or self._on_idle is None:
            self._listen()
        else:
            self._on_idle(self)

    def send(self, data: bytes) -> None:
        """Send what fits now, and the rest when the client reads on."""
        if self.closed:
            return
        if self._out:
            self._out += data
            self._count()
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
            self._count()

    def _drain(self) -> None:
        try:
            sent = self._peer.send(self._out)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            self.close()
            return
        del self._out[:sent]
        self._count()
        if not self._out:
            self._loop.remove_writer(self._peer.fileno())
            self._go_on()

    def close(self) -> None:
        """Close the connection; an answer still under way is not delivered."""
        if self.closed:
            return
        self.closed = True
        self._count()
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
