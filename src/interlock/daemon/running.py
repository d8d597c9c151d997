"""The life of the daemon process: one of them, from lock to drain."""

from __future__ import annotations

import asyncio
import errno
import gc
import logging
import os
import signal
import socket
import sqlite3
import time
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, Final

import uvloop

from interlock.commitments.commitments import Commitments
from interlock.config.trust import FOLDER, TrustList
from interlock.daemon.agent_tools import AgentTools
from interlock.daemon.agents import FILE as AGENTS
from interlock.daemon.agents import Agents
from interlock.daemon.approval_desk import ApprovalDesk
from interlock.daemon.budgets import Budgets
from interlock.daemon.call_desk import CallDesk
from interlock.daemon.commitment_methods import CommitmentMethods
from interlock.daemon.committer import Committer
from interlock.daemon.decider import Decider
from interlock.daemon.first_sight import FirstSight
from interlock.daemon.gaps import drop_gaps, note_lost, take_gaps
from interlock.daemon.gate_desk import GateDesk
from interlock.daemon.guarding import guarded_of
from interlock.daemon.indexing import Indexing
from interlock.daemon.keeping import Keeper
from interlock.daemon.locks import FileLock
from interlock.daemon.log import open_log
from interlock.daemon.long_reader import WorkerReader
from interlock.daemon.looking_ahead import LookingAhead
from interlock.daemon.marking import Marker
from interlock.daemon.own_entries import OwnEntries
from interlock.daemon.person import guarded_methods, person_name
from interlock.daemon.places import Places
from interlock.daemon.policies import Policies
from interlock.daemon.private import check_socket_path, make_private
from interlock.daemon.prompts_mark import PromptsMark
from interlock.daemon.reachable import OwnSocket
from interlock.daemon.rpc import Methods
from interlock.daemon.rules_alone import RulesAlone
from interlock.daemon.server import Server
from interlock.daemon.upgrade import watch_for_upgrade
from interlock.daemon.working import Working
from interlock.errors import StoreError
from interlock.hosts.claude_code.tools import CLAUDE_CODE_TOOLS
from interlock.hosts.launching import install_place
from interlock.hosts.seen_versions import SEEN
from interlock.hosts.waiting import FILE
from interlock.ledger.signing import FILE as SIGNING_KEY
from interlock.ledger.signing import Signer
from interlock.ledger.writer import LedgerWriter
from interlock.redaction.key import redaction_key
from interlock.redaction.redactor import Redactor
from interlock.source import Layer
from interlock.store.database import open_database
from interlock.store.log_room import make_room
from interlock.store.once import OnceInStore
from interlock.version import __version__

_log: Final = logging.getLogger(__name__)
ALREADY_RUNNING: Final = 3
_COLLECT_AFTER: Final = 20_000  # new objects; an event makes about fifty that live on for a while
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
        return run_loop(_serve(places, redactor))
    except Exception:
        _log.exception("the daemon ends on a defect")
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
    connection = open_database(places.database)
    ledger = LedgerWriter(connection, redact=redactor.body)
    calls = CallDesk(connection, ledger, redact=redactor.body)
    calls.recover()
    trust = TrustList(places.state / FOLDER)
    gates = GateDesk(connection, places, trust)
    guarded = guarded_of(places)
    reader = WorkerReader(guarded=guarded)
    policies = Policies(
        [(Layer.MANAGED, places.managed_config), (Layer.USER, places.user_config)],
        tools=CLAUDE_CODE_TOOLS,
        once=OnceInStore(connection),
        environ=os.environ,
        trust=trust,
        follow=PromptsMark(places.state).follow,
        guarded=guarded,
        read=reader,
        redact=redactor.adopt,
        alarm=lambda root, problem: ledger.append("alarm", "system", root, {"reason": problem}),
        lent=gates.lent(calls.book),
    )
    desk = ApprovalDesk(
        connection, ledger, policies, CLAUDE_CODE_TOOLS, state=places.state, redact=redactor.call
    )
    working = Working()
    decider = Decider(
        policies,
        ledger,
        desk.asking,
        own_home=places.own_home,
        first_sight=FirstSight(places.state / SEEN, _installed_shim(places)),
        budgets=Budgets(places.state / FILE),
        working=working,
        redactor=redactor,
        calls=calls,
        stops=gates.stops,
    )
    stopped = asyncio.Event()
    committer = Committer(ledger, decider, loop, stopped.set, after=desk.book.committed)
    started = time.monotonic()
    agents = Agents(places.state / AGENTS)
    calls.alive = agents.alive
    commitments = Commitments(connection, ledger, committer.commit)
    working.begin(commitments)
    gates.begin(policies, desk.work, commitments)
    keeper = Keeper(
        connection,
        ledger,
        committer,
        Signer(places.state / SIGNING_KEY),
        rule=lambda: policies.for_folder("").retention,
        loop=loop,
        carry=commitments.carry,
    )
    keeper.watch()
    known = {**_methods(decider, policies, stopped, started), **keeper.methods}
    known |= calls.methods(person_name(), committer.commit)
    own_methods = guarded_methods(known, agents, committer.note)
    of_commitments = CommitmentMethods(commitments, policies, agents, working, gates.reviews)
    rules = RulesAlone(CLAUDE_CODE_TOOLS, OnceInStore(connection), reader, calls.book)
    ahead = LookingAhead(rules, desk.tickets, CLAUDE_CODE_TOOLS, committer.commit)
    entries = OwnEntries(places.database, redactor)
    tools = AgentTools(of_commitments, policies, agents, working, ahead=ahead, entries=entries)
    methods = {**own_methods, **desk.open(committer, agents), **of_commitments.methods, **tools.methods}
    server = Server(_listen(places), decider, committer, methods, loop, agents=agents)
    _end_by_signal(loop, stopped)
    _settle(places, committer, loop, connection)
    _log.info("interlock %s serves %s, pid %d", __version__, places.socket, os.getpid())
    own = OwnSocket(places.socket)
    indexing = Indexing(places.database, lambda: ledger.head.seq, lambda: decider.events)
    marker = Marker(
        connection,
        lambda: keeper.checkpoint({}),
        committer,
        settings=lambda: policies.for_folder("").checkpoints,
        head=lambda: ledger.head.seq,
    )
    tasks = (
        watch_for_upgrade(stopped.set),
        own.watch(stopped.set),
        indexing.run(),
        marker.watch(),
        calls.watch(lambda: policies.for_folder("").retention),
        gates.scores.run(lambda: ledger.head.seq),
    )
    watching = [loop.create_task(watch) for watch in tasks]
    await stopped.wait()
    keeper.close()
    for task in watching:
        task.cancel()
    own.remove()
    await server.drain(_DRAIN_SECONDS)
    await desk.close()
    note_lost(places.gaps, committer.lost)
    await _close(policies, reader, connection)
    _log.info("ended after %d events", decider.events)
    return 0


def _settle(
    places: Places, committer: Committer, loop: asyncio.AbstractEventLoop, connection: sqlite3.Connection
) -> None:
    _record_gaps(places, committer)
    loop.call_later(_SETTLE_AFTER_SECONDS, _settle_memory)
    loop.call_later(_SETTLE_AFTER_SECONDS, _make_room, connection)


def _end_by_signal(loop: asyncio.AbstractEventLoop, stopped: asyncio.Event) -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopped.set)


async def _close(policies: Policies, reader: WorkerReader, connection: sqlite3.Connection) -> None:
    for engine in policies.engines:
        engine.close()
    await reader.close()
    connection.close()


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


def _settle_memory() -> None:
    """What was loaded stays; looking through it for garbage every few hundred objects is lost time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(_COLLECT_AFTER, 20, 100)
    gc.enable()


def _installed_shim(places: Places) -> list[str]:
    """The program hosts run for this daemon, where `interlock install` puts it."""
    environ = {"INTERLOCK_HOME": str(places.own_home)} if places.own_home else {}
    installed = install_place(environ, home=Path.home(), cwd=Path("/"))
    return [str(installed.shim), *installed.arguments("")[:-1]]


def _methods(decider: Decider, policies: Policies, stopped: asyncio.Event, started: float) -> Methods:
    def status(_: dict[str, Any]) -> dict[str, Any]:
        return {
            "pid": os.getpid(),
            "version": __version__,
            "revision": policies.newest,
            "uptime": round(time.monotonic() - started, 3),
            "events": decider.events,
            "open_passes": decider.open_passes,
        }

    def stop(_: dict[str, Any]) -> dict[str, Any]:
        stopped.set()
        return {"stopping": True, "pid": os.getpid()}

    return {"status": status, "stop": stop}
