"""The socket: accepts clients, passes their calls on, and sends answers and decisions back."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import socket
import struct
from collections.abc import Awaitable, Callable, Coroutine
from functools import cache
from typing import Any, Final

import msgspec

from interlock.daemon.agent_processes import Agents
from interlock.daemon.call_intake import PendingAnswer
from interlock.daemon.caller_kind import Kind
from interlock.daemon.connection import Buffered, Connection
from interlock.daemon.connection_limit import Guests, Limits, SpareDescriptors
from interlock.daemon.decision_service import DecisionService
from interlock.daemon.group_commit import Committer
from interlock.daemon.home_check import Belonging
from interlock.daemon.jsonrpc import Methods, answer_line
from interlock.daemon.protocol import OTHER_HOME, Call, FrameError
from interlock.hosts.host import Reply

_log: Final = logging.getLogger(__name__)
_UCRED: Final = struct.Struct("3i")
_SOL_LOCAL: Final = 0  # macOS
_LOCAL_PEERPID: Final = 2
_PER_TURN: Final = 64
_BACK_OFF_SECONDS: Final = 0.1
_LEAVING_SECONDS: Final = 0.001  # after its first answer a client is not heard for this long
_MAX_UNFETCHED: Final = 1024 * 1024


def peer_of(connection: socket.socket) -> tuple[int, int]:
    """The process that connected, 0 if the system does not tell, and its user id."""
    option = getattr(socket, "SO_PEERCRED", None)  # only on Linux
    if option is not None:
        pid, uid, _ = _UCRED.unpack(connection.getsockopt(socket.SOL_SOCKET, option, _UCRED.size))
        return int(pid), int(uid)
    try:
        pid = connection.getsockopt(_SOL_LOCAL, _LOCAL_PEERPID)
    except OSError:
        pid = 0
    return pid, _peer_uid(connection)


def _peer_uid(connection: socket.socket) -> int:
    import ctypes

    uid, gid = ctypes.c_uint32(), ctypes.c_uint32()
    library = ctypes.CDLL(None, use_errno=True)
    if library.getpeereid(connection.fileno(), ctypes.byref(uid), ctypes.byref(gid)) != 0:
        raise OSError(ctypes.get_errno(), "getpeereid failed")
    return uid.value


class Server:
    """Serves one listening socket until it is told to drain."""

    def __init__(
        self,
        listening: socket.socket,
        decider: DecisionService,
        committer: Committer,
        methods: Callable[[], Methods],
        loop: asyncio.AbstractEventLoop,
        *,
        agents: Agents | None = None,
        belonging: Belonging | None = None,
        limits: Limits | None = None,
    ) -> None:
        self._listening: Final = listening
        self._decider: Final = decider
        self._committer: Final = committer
        self._methods: Final = cache(methods)  # made at the first request; hook calls need none
        self._loop: Final = loop
        self._agents: Final = agents
        self._belonging: Final = belonging  # None: accept every call
        self._uid: Final = os.getuid()
        self._guests: Final = Guests(limits or Limits())
        self._spare: Final = SpareDescriptors()
        self._tasks: Final[set[asyncio.Task[None]]] = set()
        self._awaited: Final[dict[Connection, Awaitable[PendingAnswer]]] = {}
        self._buffered: Final = Buffered()
        self._arrived: list[tuple[Connection, Call]] = []  # since the last turn
        self._answered: list[Connection] = []  # got their first answer and are not listened to yet
        listening.setblocking(False)
        loop.add_reader(listening.fileno(), self._accept)

    def _accept(self) -> None:
        # All that wait: with one client per turn of the loop, every event would have its own disk sync.
        for _ in range(_PER_TURN):
            try:
                peer, _ = self._listening.accept()
            except (BlockingIOError, InterruptedError):
                return
            except OSError as error:
                if self._free_descriptors(error):
                    continue
                self._back_off(error)
                return
            self._welcome(peer)

    def _free_descriptors(self, error: OSError) -> bool:
        """If none are left, free the spare ones or close idle connections."""
        if error.errno not in {errno.EMFILE, errno.ENFILE}:
            return False
        if not (found := self._spare.give_up()):
            found = self._guests.close_idle()
        self._loop.call_later(_BACK_OFF_SECONDS, self._spare.fill)
        return found

    def _welcome(self, peer: socket.socket) -> None:
        peer.setblocking(False)
        pid, uid = peer_of(peer)
        if uid != self._uid or not self._guests.room_for(pid):
            peer.close()
            return
        client = Connection(
            peer,
            self._loop,
            pid=pid,
            on_call=self._on_call,
            on_line=self._on_line,
            on_refused=self._on_refused,
            on_close=self._on_close,
            on_idle=self._on_idle,
            buffered=self._buffered,
        )
        self._guests.add(client)
        client.read()

    def _on_idle(self, client: Connection) -> None:
        # A shim leaves when it has its answer; listening to it costs as much as recording its call.
        self._answered.append(client)
        if len(self._answered) == 1:
            self._loop.call_later(_LEAVING_SECONDS, self._look_after)

    def _look_after(self) -> None:
        answered, self._answered = self._answered, []
        for client in answered:
            if not client.closed:
                client.read()

    def _back_off(self, error: OSError) -> None:
        if error.errno not in {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}:
            _log.error("accept failed: %s", error)
        # Waiting clients stay in the kernel's queue; accepting again at once would only spin.
        self._loop.remove_reader(self._listening.fileno())
        self._loop.call_later(_BACK_OFF_SECONDS, self._resume)

    def _resume(self) -> None:
        if self._listening.fileno() >= 0:
            self._loop.add_reader(self._listening.fileno(), self._accept)

    def _on_call(self, client: Connection, call: Call) -> None:
        if self._belonging is not None and (fault := self._belonging.fault(call, client)):
            self._committer.note("refused", {"decision": "deny", "reason": fault})
            client.send(OTHER_HOME)
            client.close()
            return
        if self._agents is not None:
            self._agents.see(call, lambda: client.asker)
        self._arrived.append((client, call))
        if len(self._arrived) == 1:
            # One turn of the loop later, so that all calls that arrive until then share one disk sync.
            # With 64 clients, that answers 11 % more calls a second than deciding each as it arrives.
            self._loop.call_soon(self._take_turn)

    def _take_turn(self) -> None:
        arrived, self._arrived = self._arrived, []
        try:
            for client, call in arrived:
                answer = self._decider.receive(call)
                if isinstance(answer, PendingAnswer):
                    self._submit(client, answer, in_turn=True)
                else:
                    client.beat()
                    self._awaited[client] = answer
                    self._start(self._wait(client, answer))
        finally:
            self._committer.end_turn()

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _wait(self, client: Connection, answer: Awaitable[PendingAnswer]) -> None:
        ready = await answer
        self._awaited.pop(client, None)
        self._submit(client, ready)

    def _submit(self, client: Connection, answer: PendingAnswer, *, in_turn: bool = False) -> None:
        self._committer.submit(answer, client.answer, in_turn=in_turn)
        if self._guests.watchers and answer.summary:
            self._tell(answer.summary)

    def _tell(self, summary: dict[str, object]) -> None:
        note = {"jsonrpc": "2.0", "method": "decision", "params": summary}
        line = msgspec.json.encode(note) + b"\n"
        for watcher in list(self._guests.watchers):
            if watcher.unfetched > _MAX_UNFETCHED:
                watcher.close()  # it has stopped reading, and buffering for it would fill the memory
            else:
                watcher.send(line)

    def _on_refused(self, client: Connection, error: FrameError) -> None:
        self._committer.note("refused", {"decision": "deny", "reason": str(error)})
        client.answer(Reply(exit_code=2, stderr=f"Interlock: {error}".encode()))
        client.close()

    def _on_line(self, client: Connection, line: bytes) -> None:
        asker = client.asker
        reply, subscribed = answer_line(
            line, self._methods(), asker, lambda work: self._answer_later(client, work)
        )
        if subscribed and self._agents is not None and self._agents.standing(asker).kind is not Kind.PERSON:
            client.close()  # an agent may not see what others do, as it may not read the ledger
            return
        if subscribed:
            self._guests.watchers.add(client)
            self._decider.watched = True
        if reply is not None:
            client.send(reply)

    def _answer_later(self, client: Connection, work: Coroutine[Any, Any, bytes | None]) -> None:
        client.requests += 1
        self._start(self._send_later(client, work))

    async def _send_later(self, client: Connection, work: Coroutine[Any, Any, bytes | None]) -> None:
        try:
            reply = await work
        except Exception as error:  # a bug must leave only this client without an answer
            _log.error("a request could not be answered", exc_info=error)
            client.close()
            return
        finally:
            client.requests -= 1
        if reply is not None:
            client.send(reply)

    def _on_close(self, client: Connection) -> None:
        self._guests.discard(client)
        self._decider.watched = bool(self._guests.watchers)
        answer = self._awaited.pop(client, None)
        # If a call was reported twice, another client may wait for the same answer.
        if answer is not None and answer not in self._awaited.values():
            self._decider.abandon(answer)

    async def drain(self, seconds: float) -> None:
        """Accept no new clients, let calls under way finish, and write everything."""
        self._loop.remove_reader(self._listening.fileno())
        self._listening.close()
        if self._arrived:
            self._take_turn()
        self._decider.let_go()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=seconds)
        self._committer.commit()
        for client in list(self._guests):
            client.close()
        self._committer.commit()  # the entries about undelivered answers
