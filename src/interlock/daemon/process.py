"""The life of the daemon process: one of them, from lock to drain."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import signal
import socket
import sqlite3
import time
from collections.abc import Coroutine
from typing import Any, Final

import msgspec
import uvloop

from interlock.daemon.app import DaemonApp
from interlock.daemon.connection_limit import Limits, for_clients, raise_limit
from interlock.daemon.end_watch import OwnSocket, watch_for_upgrade
from interlock.daemon.gc_tuning import settle_memory
from interlock.daemon.group_commit import Committer
from interlock.daemon.home_check import Belonging
from interlock.daemon.log import open_log
from interlock.daemon.offline_files import drop_gaps, take_gaps
from interlock.daemon.paths import Places
from interlock.daemon.run_files import FileLock, check_socket_path, make_private
from interlock.daemon.server import Server
from interlock.errors import StoreError
from interlock.redaction.marks import redaction_key
from interlock.redaction.redactor import Redactor
from interlock.store.database import damage_of
from interlock.store.files import make_room
from interlock.version import __version__

_log: Final = logging.getLogger(__name__)
ALREADY_RUNNING: Final = 3
_BACKLOG: Final = 1_024
# Shorter than the shim waits for a daemon, or replacing one would be a reason to deny.
_DRAIN_SECONDS: Final = 3.5
_ENDING_SECONDS: Final = 2.0
_POLL: Final = 0.01
_SETTLE_AFTER_SECONDS: Final = 0.3  # the call that started us is answered first


def run(places: Places) -> int:
    """Serve until a signal or `stop`; the exit code says when another daemon already does."""
    os.chdir("/")
    make_private(places.run)
    make_private(places.state)
    check_socket_path(places.socket)
    lock = FileLock(places.lock)
    if not _take(lock, places):
        return ALREADY_RUNNING
    lock.sign(f"{os.getpid()}\n")
    redactor = Redactor(redaction_key(places.state))
    log = open_log(places.log, redactor.text)
    try:
        try:
            return run_loop(_serve(places, redactor))
        except StoreError:
            if damage_of(places.database) is None:
                raise
            return run_loop(_serve(places, redactor))  # closed this time, and says why
    except Exception:
        _log.exception("the daemon stops because of a bug")
        raise
    finally:
        logging.getLogger("interlock").removeHandler(log)
        log.close()
        lock.release()


def _take(lock: FileLock, places: Places) -> bool:
    """Take the lock, waiting for a daemon that is on its way out; False while another one serves."""
    end = time.monotonic() + _DRAIN_SECONDS + _ENDING_SECONDS
    while not lock.take():
        if _answers(places) or time.monotonic() > end:
            return False
        time.sleep(_POLL)
    return True


def _answers(places: Places) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as peer:
        peer.setblocking(False)
        # A full queue is somebody's too.
        return peer.connect_ex(str(places.socket)) in {0, errno.EAGAIN}


def run_loop(work: Coroutine[Any, Any, int]) -> int:
    """Run on uvloop: a round trip costs a seventh of what the standard loop takes."""
    return uvloop.run(work)


def _listen(places: Places) -> socket.socket:
    # We hold the lock, so whoever left this socket is gone.
    places.socket.unlink(missing_ok=True)
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        listening.bind(str(places.socket))
    finally:
        os.umask(before)
    listening.listen(_BACKLOG)
    return listening


async def _serve(places: Places, redactor: Redactor) -> int:
    loop = asyncio.get_running_loop()
    stopped = asyncio.Event()
    app = DaemonApp(places, redactor, loop, stopped.set)
    server = Server(
        _listen(places),
        app.decider,
        app.committer,
        app.methods,
        loop,
        agents=app.agents,
        belonging=Belonging(places),
        limits=_limits(),
    )
    _end_by_signal(loop, stopped)
    _settle(places, app.committer, loop, app.connection)
    _log.info("interlock %s serves %s, pid %d", __version__, places.socket, os.getpid())
    own = OwnSocket(places.socket)
    watches = (watch_for_upgrade(stopped.set), own.watch(stopped.set), *app.watches())
    watching = [loop.create_task(watch) for watch in watches]
    await stopped.wait()
    for task in watching:
        task.cancel()
    own.remove()
    await server.drain(_DRAIN_SECONDS)
    await app.close()
    _log.info("stopped after %d events", app.decider.events)
    return 0


def _limits() -> Limits:
    most = Limits()
    return msgspec.structs.replace(most, clients=min(most.clients, for_clients(raise_limit())))


def _settle(
    places: Places, committer: Committer, loop: asyncio.AbstractEventLoop, connection: sqlite3.Connection
) -> None:
    _record_gaps(places, committer)
    loop.call_later(_SETTLE_AFTER_SECONDS, settle_memory)
    loop.call_later(_SETTLE_AFTER_SECONDS, _make_room, connection)


def _end_by_signal(loop: asyncio.AbstractEventLoop, stopped: asyncio.Event) -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopped.set)


def _record_gaps(places: Places, committer: Committer) -> None:
    # Twice: what a daemon before us took and did not live to record, and what was noted since.
    for _ in range(2):
        gap = take_gaps(places.gaps)
        if gap is None:
            return
        committer.note("gap", gap)
        if not committer.commit():
            return  # it stays aside, for the next start to tell
        drop_gaps(places.gaps)


def _make_room(connection: sqlite3.Connection) -> None:
    try:
        make_room(connection)
    except StoreError as error:
        _log.warning("%s", error)  # commits take longer, and are as safe
