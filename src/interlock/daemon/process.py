"""The life of the daemon process: one of them, from lock to drain."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import re
import signal
import socket
import sqlite3
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import uvloop

from interlock import version
from interlock.daemon.app import DaemonApp
from interlock.daemon.connection_limit import Limits, for_clients, raise_limit
from interlock.daemon.effects_pool.worker import settle_memory
from interlock.daemon.group_commit import Committer
from interlock.daemon.home_check import Belonging
from interlock.daemon.log import open_log
from interlock.daemon.offline_files import drop_gaps, take_gaps
from interlock.daemon.paths import FileLock, Places, check_socket_path, make_private
from interlock.daemon.server import Server
from interlock.errors import StoreError
from interlock.redaction.marks import redaction_key
from interlock.redaction.redactor import Redactor
from interlock.store.database import damage_of
from interlock.store.files import make_room
from interlock.version import __version__

_log: Final = logging.getLogger(__name__)
LOOK_SECONDS: Final = 2.0


class OwnSocket:
    """The socket this daemon has bound, as opposed to a later one at the same path."""

    def __init__(self, path: Path) -> None:
        self._path: Final = path
        self._own: Final = _identity(path)

    @property
    def in_place(self) -> bool:
        """Whether the path still leads to it."""
        return self._own is not None and _identity(self._path) == self._own

    def remove(self) -> None:
        """Remove it, but never another daemon's."""
        if self.in_place:
            with suppress(OSError):  # calls under way must still be answered; the next daemon replaces it
                self._path.unlink(missing_ok=True)

    async def watch(self, end: Callable[[], None], *, seconds: float = LOOK_SECONDS) -> None:
        """Call `end` once the path leads elsewhere."""
        while self.in_place:  # noqa: ASYNC110 - no event reports a removed file
            await asyncio.sleep(seconds)
        _log.warning(
            "the socket %s is gone or belongs to another process; nobody can reach this daemon", self._path
        )
        end()


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.lstat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


_VERSION: Final = re.compile(r'^__version__ = "([^"]+)"', re.MULTILINE)


def installed_version(file: Path = Path(version.__file__)) -> str | None:
    """The version of the files on disk; None while they are missing or half written."""
    try:
        found = _VERSION.search(file.read_text("utf-8"))
    except OSError:
        return None
    return found.group(1) if found else None


async def watch_for_upgrade(
    replace: Callable[[], None], *, file: Path = Path(version.__file__), seconds: float = LOOK_SECONDS
) -> None:
    """Call `replace` once another version is installed; the next call starts that one."""
    while True:
        found = installed_version(file)  # a small file: not worth a thread, which would never end
        if found is not None and found != version.__version__:
            _log.info("version %s is installed; %s stops so that it can start", found, version.__version__)
            replace()
            return
        await asyncio.sleep(seconds)


ALREADY_RUNNING: Final = 3
_BACKLOG: Final = 1_024
# Shorter than the shim waits for a daemon, or replacing one would deny calls.
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
            return run_loop(_serve(places, redactor))  # this time it denies every call, and says why
    except Exception:
        _log.exception("the daemon stops because of a bug")
        raise
    finally:
        logging.getLogger("interlock").removeHandler(log)
        log.close()
        lock.release()


def _take(lock: FileLock, places: Places) -> bool:
    """Take the lock, waiting for a daemon that is ending; False while another one serves."""
    end = time.monotonic() + _DRAIN_SECONDS + _ENDING_SECONDS
    while not lock.take():
        if _answers(places) or time.monotonic() > end:
            return False
        time.sleep(_POLL)
    return True


def _answers(places: Places) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as peer:
        peer.setblocking(False)
        # A full queue belongs to a daemon too.
        return peer.connect_ex(str(places.socket)) in {0, errno.EAGAIN}


def run_loop(work: Coroutine[Any, Any, int]) -> int:
    """Run on uvloop, whose round trip takes a seventh of the standard loop's."""
    return uvloop.run(work)


def _listen(places: Places) -> socket.socket:
    # We hold the lock, so the daemon that left this socket has ended.
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
        limits=Limits(clients=min(Limits().clients, for_clients(raise_limit()))),
    )
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopped.set)
    _record_gaps(places, app.committer)
    loop.call_later(_SETTLE_AFTER_SECONDS, settle_memory)
    loop.call_later(_SETTLE_AFTER_SECONDS, _make_room, app.connection)
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


def _record_gaps(places: Places, committer: Committer) -> None:
    # Twice: first the gaps that an earlier daemon took aside and did not record, then those noted since.
    for _ in range(2):
        gap = take_gaps(places.gaps)
        if gap is None:
            return
        committer.note("gap", gap)
        if not committer.commit():
            return  # the gaps stay aside; the next start records them
        drop_gaps(places.gaps)


def _make_room(connection: sqlite3.Connection) -> None:
    try:
        make_room(connection)
    except StoreError as error:
        _log.warning("%s", error)  # commits take longer but are as safe
