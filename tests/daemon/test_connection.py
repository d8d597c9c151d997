"""Laws of one client's connection."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import Callable, Iterator

import pytest
from tests.daemon.home import PATIENCE

from interlock.daemon import connection as module
from interlock.daemon.connection import Buffered, Connection
from interlock.daemon.protocol import Call, FrameError, encode_answer, encode_call
from interlock.hosts.host import Reply

SHORT = 0.05


class Ends:
    """Both ends of a connection, and what the daemon's end was given."""

    def __init__(self, buffered: Buffered | None = None) -> None:
        self.calls: list[bytes] = []
        self.lines: list[bytes] = []
        self.refused: list[str] = []
        self.closed = 0
        ours, self.client = socket.socketpair(socket.AF_UNIX)
        ours.setblocking(False)
        self.client.setblocking(False)
        self.act: Callable[[Connection], object] = lambda client: client.answer(Reply(stdout=b"ok"))
        self.connection = Connection(
            ours,
            asyncio.get_running_loop(),
            on_call=self._on_call,
            on_line=lambda _, line: self.lines.append(line),
            on_refused=self._on_refused,
            on_close=self._on_close,
            buffered=buffered,
        )
        self.connection.read()

    def _on_call(self, client: Connection, call: Call) -> None:
        self.calls.append(call.payload)
        self.act(client)

    def _on_refused(self, client: Connection, error: FrameError) -> None:
        self.refused.append(str(error))
        client.answer(Reply(exit_code=2))
        client.close()

    def _on_close(self, _: Connection) -> None:
        self.closed += 1

    async def send(self, data: bytes) -> None:
        """Say something and let it arrive."""
        await asyncio.get_running_loop().sock_sendall(self.client, data)
        await self.turn()

    async def receive(self, size: int) -> bytes:
        """Hear so many bytes, or as many as come before the end."""
        found = b""
        while len(found) < size:
            piece = await asyncio.get_running_loop().sock_recv(self.client, size - len(found))
            if not piece:
                break
            found += piece
        return found

    async def turn(self) -> None:
        """Let the loop go round."""
        for _ in range(5):
            await asyncio.sleep(0.001)


Connect = Callable[..., Ends]


@pytest.fixture
def connect() -> Iterator[Connect]:
    """A way to make a connection inside a running loop."""
    made: list[Ends] = []

    def build(buffered: Buffered | None = None) -> Ends:
        made.append(Ends(buffered))
        return made[-1]

    yield build
    for ends in made:
        ends.client.close()
        ends.connection.close()


def frame(payload: bytes = b"{}") -> bytes:
    """A call."""
    return encode_call(Call(host="h", payload=payload))


OK = encode_answer(Reply(stdout=b"ok"))


@pytest.mark.parametrize("step", [1, 5, 13, 1000])
async def test_a_call_is_one_however_it_arrives(connect: Connect, step: int) -> None:
    """Pieces of any size give the same call, once."""
    ends = connect()
    data = frame(b'{"a":1}')
    for start in range(0, len(data), step):
        await ends.send(data[start : start + step])

    assert ends.calls == [b'{"a":1}']
    assert await ends.receive(len(OK)) == OK


async def test_calls_sent_ahead_are_taken_one_after_the_other(connect: Connect) -> None:
    """The second is not begun before the first is answered, and the order stays."""
    ends = connect()
    ends.act = lambda _: None
    await ends.send(frame(b"1") + frame(b"2") + frame(b"3"))
    seen = [list(ends.calls)]
    for _ in range(2):
        ends.connection.answer(Reply())
        seen.append(list(ends.calls))

    assert seen == [[b"1"], [b"1", b"2"], [b"1", b"2", b"3"]]


async def test_thousands_of_calls_in_one_piece_are_all_answered(connect: Connect) -> None:
    """Answers given at once do not pile up on the stack."""
    ends = connect()
    count = 5_000
    sending = asyncio.create_task(ends.send(frame(b"") * count))
    received = await ends.receive(len(OK) * count)
    await sending

    assert received == OK * count
    assert len(ends.calls) == count


async def test_a_client_that_sends_ahead_without_end_has_to_wait(connect: Connect) -> None:
    """While a call is under way only so much is taken; the rest stays with the client and none is lost."""
    ends = connect()
    ends.act = lambda _: None
    big = frame(b"x" * 100_000)
    sending = asyncio.create_task(ends.send(big * 40))
    await asyncio.sleep(SHORT)
    held = len(ends.connection._in)
    waited = not sending.done()
    ends.act = lambda client: client.answer(Reply())
    ends.connection.answer(Reply())
    await sending
    await ends.turn()

    assert held <= module._MAX_AHEAD + module._CHUNK
    assert waited
    assert len(ends.calls) == 40


async def test_a_client_that_fetches_no_answers_gets_no_more_calls_done(connect: Connect) -> None:
    """What it does not read is kept within bounds, and goes on when it reads."""
    ends = connect()
    answer = Reply(stdout=b"y" * 300_000)
    ends.act = lambda client: client.answer(answer)
    await ends.send(frame() * 30)
    stuck = len(ends.calls)
    received = await ends.receive(len(encode_answer(answer)) * 30)
    await ends.turn()

    assert stuck < 30
    assert ends.connection.unfetched == 0
    assert len(ends.calls) == 30
    assert received == encode_answer(answer) * 30


@pytest.mark.req("D08")
async def test_a_length_over_the_limit_ends_the_connection_unread(connect: Connect) -> None:
    """One refusal, one answer, the end; what follows the head is never looked at."""
    ends = connect()
    await ends.send(struct.pack("<4sII", b"ILK1", 0, 50 << 20) + b"x" * 1000)

    assert ends.refused == [f"a payload of {50 << 20} bytes; the limit is {16 << 20}"]
    assert await ends.receive(1000) == encode_answer(Reply(exit_code=2))
    assert ends.calls == []
    assert ends.closed == 1


@pytest.mark.req("D10")
@pytest.mark.parametrize("begun", [b"", b"I", frame()[:-1], b'{"jsonrpc"'])
async def test_what_is_begun_has_to_end(
    connect: Connect, monkeypatch: pytest.MonkeyPatch, begun: bytes
) -> None:
    """A connection that says nothing at first, or half a thing, is cut off."""
    monkeypatch.setattr(module, "_SILENT_SECONDS" if begun else "_FIRST_SECONDS", SHORT)
    ends = connect()
    if begun:
        await ends.send(begun)

    assert await asyncio.wait_for(ends.receive(1), PATIENCE) == b""
    assert ends.closed == 1


@pytest.mark.req("D10")
async def test_one_more_byte_buys_no_more_time(connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    """The time is for the whole of a call, also of the second one."""
    monkeypatch.setattr(module, "_SILENT_SECONDS", SHORT * 2)
    ends = connect()
    await ends.send(frame())
    assert await ends.receive(len(OK)) == OK
    for byte in frame():
        if ends.closed:
            break
        await ends.send(bytes([byte]))
        await asyncio.sleep(SHORT / 4)

    assert ends.closed == 1
    assert len(ends.calls) == 1


@pytest.mark.deep
async def test_a_client_that_waits_is_not_cut_off(connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    """Waiting for an answer, or being silent between calls, has no end."""
    monkeypatch.setattr(module, "_SILENT_SECONDS", SHORT)
    ends = connect()
    ends.act = lambda _: None
    await ends.send(frame())
    await asyncio.sleep(SHORT * 3)
    ends.connection.answer(Reply(stdout=b"ok"))
    await asyncio.sleep(SHORT * 3)
    ends.connection.answer(Reply(stdout=b"ok"))

    assert await ends.receive(2 * len(OK)) == OK * 2
    assert ends.closed == 0


async def test_a_beat_tells_that_a_hook_is_still_running(
    connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beats come until the answer and never after it."""
    monkeypatch.setattr(module, "HEARTBEAT_SECONDS", SHORT / 5)
    ends = connect()
    ends.act = lambda client: client.beat()
    await ends.send(frame())
    beats = await ends.receive(3)
    ends.connection.answer(Reply(stdout=b"ok"))
    await asyncio.sleep(SHORT)
    rest = await asyncio.get_running_loop().sock_recv(ends.client, 4096)

    assert beats == b"..."
    assert rest.lstrip(b".") == OK


@pytest.mark.req("D11")
async def test_an_answer_nobody_takes_is_told(connect: Connect) -> None:
    """Whether the client left before or is found gone while sending, the answer counts as not delivered."""
    known, unknown = connect(), connect()
    for ends in (known, unknown):
        ends.act = lambda _: None
        await ends.send(frame())
    known.client.close()
    await known.turn()
    unknown.client.close()

    assert known.closed == 1
    assert not known.connection.answer(Reply())
    assert not unknown.connection.answer(Reply())


async def test_requests_are_lines(connect: Connect) -> None:
    """Several in one piece and one in several pieces are told apart; empty lines are nothing."""
    ends = connect()
    await ends.send(b'{"a":1}\n\n{"b":2}\n{"c"')
    await ends.send(b":3}\n")

    assert ends.lines == [b'{"a":1}', b'{"b":2}', b'{"c":3}']


async def test_a_line_without_end_ends_the_connection(connect: Connect) -> None:
    """More than a megabyte without a newline is not a request."""
    ends = connect()
    with pytest.raises((BrokenPipeError, ConnectionResetError)):
        await ends.send(b"{" * (3 * 1024 * 1024))

    assert ends.closed == 1
    assert ends.lines == []


async def test_all_clients_together_may_keep_so_much_waiting(connect: Connect) -> None:
    """The one that goes over the common limit is cut off; what it kept is free again for the others."""
    shared = Buffered(limit=1_000)
    first, second, third = connect(shared), connect(shared), connect(shared)
    await first.send(frame(b"x" * 700)[:-1])
    await second.send(frame(b"x" * 700)[:-1])
    await third.send(frame(b"x" * 200)[:-1])
    await first.send(b"x")

    assert (first.closed, second.closed, third.closed) == (0, 1, 0)
    assert first.calls == [b"x" * 700]
    third.connection.close()
    assert shared.bytes == 0


async def test_answers_nobody_fetches_count_too(connect: Connect) -> None:
    """What waits to be sent is kept as well, until it is fetched or the client goes."""
    shared = Buffered(limit=10_000_000)
    ends = connect(shared)
    ends.act = lambda client: client.answer(Reply(stdout=b"y" * 3_000_000))
    await ends.send(frame())
    kept = shared.bytes
    await ends.receive(3_000_000 + len(OK) - 2)
    await ends.turn()

    assert kept > 1_000_000
    assert (shared.bytes, ends.closed) == (0, 0)


async def test_calls_sent_ahead_count_until_they_are_taken(connect: Connect) -> None:
    """A call that waits for its turn is kept, and no longer once it was taken."""
    shared = Buffered(limit=10_000)
    ends = connect(shared)
    ends.act = lambda _: None
    await ends.send(frame(b"first"))
    await ends.send(frame(b"second"))
    waiting = shared.bytes
    ends.connection.answer(Reply())

    assert ends.calls == [b"first", b"second"]
    assert (waiting, shared.bytes) == (len(frame(b"second")), 0)
