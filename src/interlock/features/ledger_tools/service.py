"""The ledger as a whole, in the daemon: its end is signed, its front removed, others' entries taken in."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import sqlite3
import time
from collections.abc import Callable, Coroutine, Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from interlock.daemon.extension import DaemonContext
from interlock.daemon.group_commit import Committer
from interlock.daemon.jsonrpc import Methods
from interlock.errors import LedgerError, StoreError
from interlock.events.tool import JsonObject
from interlock.files.own_files import write_whole
from interlock.ledger.ends import FILE as SIGNING_KEY
from interlock.ledger.ends import Removal, Signer, last_removal, make_checkpoint, make_removal, read_base
from interlock.ledger.entry import Head
from interlock.ledger.retention import find_end, remove, unfinished_removal
from interlock.ledger.writer import LedgerWriter
from interlock.policy.settings.ledger import CHECKPOINTS, Checkpoints, Retention
from interlock.store.clock import timestamp
from interlock.store.statements import statements

_log: Final = logging.getLogger(__name__)
_FIRST_SECONDS: Final = 60.0  # after the start: calls that wait for it come first
_EVERY_SECONDS: Final = 600.0
_PAUSE_SECONDS: Final = 0.005  # between steps: whoever calls is served
_NAME: Final = re.compile(r"im_[0-9a-f]{32}")


class LedgerAdmin:
    """Works on the daemon's own connection, between turns, so that there is one writer."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        ledger: LedgerWriter,
        committer: Committer,
        signer: Signer,
        *,
        rule: Callable[[], Retention | None],
        loop: asyncio.AbstractEventLoop,
        clock: Callable[[], float] = time.time,
        carry: Callable[[int], object] | None = None,
        shipped: Callable[[], int | None] = lambda: None,
    ) -> None:
        self._connection: Final = connection
        self._ledger: Final = ledger
        self._committer: Final = committer
        self._signer: Final = signer
        self._rule: Final = rule
        self._loop: Final = loop
        self._clock: Final = clock
        self._carry: Final = carry  # records again what is still needed of the entries up to a seq
        self._shipped: Final = shipped  # the last entry the fleet has; None: there is no fleet
        self._work: Iterator[object] | None = None
        self._next: asyncio.TimerHandle | None = None

    @property
    def methods(self) -> Methods:
        """What people may ask for."""
        return {
            "ledger.checkpoint": self.checkpoint,
            "ledger.import": self.take_in,
            "ledger.prune": self.prune,
        }

    def watch(self) -> None:
        """Look for what is too old or too much, soon and then every now and then."""
        if self._work is None:  # a person may have asked for a removal before this daemon got here
            self._after(_FIRST_SECONDS, self.look)

    def close(self) -> None:
        """Leave what is under way to the next start."""
        if self._next is not None:
            self._next.cancel()
        self._work = None

    def look(self) -> None:
        """Begin what retention asks for."""
        rule = self._rule()
        if self._work is None and rule is not None:
            self._start(self._apply_rule(rule))
        else:
            self._after(_EVERY_SECONDS, self.look)

    def checkpoint(self, _: dict[str, Any]) -> JsonObject:
        """Sign the end of the chain; that this was done is the next entry."""
        self._commit()
        signed = make_checkpoint(read_base(self._connection), self._ledger.head, self._now(), self._signer)
        self._record("checkpoint", signed.document)
        return signed.document

    def prune(self, params: dict[str, Any]) -> JsonObject:
        """Remove everything up to an entry, as a person asked; it goes on when this has returned."""
        last, rule = int(params["last"]), str(params["rule"])[:200]
        if self._work is not None:
            raise ValueError("old entries are being removed already; try again in a minute")
        self._commit()
        base, head = read_base(self._connection), self._ledger.head
        if not base.seq < last <= head.seq:
            raise ValueError(f"there are entries {base.seq + 1} to {head.seq}; name one of them")
        if (
            (shipped := self._shipped()) is not None
            and last > shipped
            and params.get("unshipped") is not True
        ):
            raise ValueError(
                f"entries from {shipped + 1} on are not in the team ledger yet; see `interlock ledger "
                "team status`, or remove them anyway with --unshipped"
            )
        row = self._connection.execute(statements("ledger")["hash_at"], (last,)).fetchone()
        entry, removal = self._record_removal(Head(last, row[0]), f"{rule}, called by a person")
        self._start(remove(self._connection, entry, removal))
        return {"entry": entry, "first": removal.first, "last": removal.last, "count": removal.count}

    def take_in(self, params: dict[str, Any]) -> JsonObject:
        """Record entries of another ledger; those that are here already are not recorded again."""
        entries = [(str(entry["id"]), entry["body"]) for entry in params["entries"]]
        if not all(_NAME.fullmatch(name) and isinstance(body, dict) for name, body in entries):
            raise ValueError("an entry to import needs an id and a body")
        self._commit()
        by_id = statements("ledger")["by_id"]
        new = {
            name: body for name, body in entries if not self._connection.execute(by_id, (name,)).fetchone()
        }
        for name, body in new.items():
            self._ledger.append("imported", "system", "", body, name=name)
        self._commit()
        return {"added": len(new), "known": len(entries) - len(new), "seq": self._ledger.head.seq}

    def _apply_rule(self, rule: Retention) -> Iterator[object]:
        started = unfinished_removal(self._connection)
        if started is not None:
            yield from remove(self._connection, *started)
        end = yield from find_end(self._connection, rule, self._clock(), self._ledger.head, self._shipped())
        if end is not None:
            yield from remove(self._connection, *self._record_removal(*end))

    def _record_removal(self, last: Head, rule: str) -> tuple[int, Removal]:
        """The entry is on disk before anything goes."""
        if self._carry is not None:
            self._carry(last.seq)
        removal = make_removal(read_base(self._connection), last, rule, self._now(), self._signer)
        self._record("retention", removal.document)
        _log.info("removing entries %d to %d: %s", removal.first, removal.last, rule)
        recorded = last_removal(self._connection)  # a gap may have been told in the same commit
        if recorded is None or recorded[1] != removal:
            raise LedgerError("the removal could not be recorded; run `interlock ledger verify`")
        return recorded

    def _start(self, work: Iterator[object]) -> None:
        self._work = work
        self._after(_PAUSE_SECONDS, self._step)

    def _after(self, seconds: float, act: Callable[[], None]) -> None:
        if self._next is not None:
            self._next.cancel()
        self._next = self._loop.call_later(seconds, act)

    def _step(self) -> None:
        """One step, unless something waits to be committed with what it changed."""
        work, wait = self._work, _PAUSE_SECONDS
        if work is not None and not self._ledger.joined:
            try:
                next(work)
            except StopIteration:
                self._work, wait = None, _EVERY_SECONDS
            except (sqlite3.Error, StoreError) as error:
                _log.warning("old entries were not removed: %s", error)
                self._work, wait = None, _EVERY_SECONDS
        self._after(wait, self.look if self._work is None else self._step)

    def _record(self, op: str, document: JsonObject) -> None:
        # Whatever people call a secret: what is signed is our own, and must stay as it was signed.
        ours = tuple(value for value in document.values() if isinstance(value, str))
        self._ledger.append(op, "system", "", document, keep=ours)
        self._commit()

    def _commit(self) -> None:
        if not self._committer.commit():
            raise LedgerError("the ledger cannot be written; see `interlock paths` for the log")

    def _now(self) -> str:
        return timestamp(self._clock())


_CHECKPOINT_SECONDS: Final = 60.0


class AutoCheckpointer:
    """Looks now and then whether enough was recorded since the last checkpoint."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        make: Callable[[], JsonObject],
        committer: Committer,
        *,
        settings: Callable[[], Checkpoints | None],
        head: Callable[[], int],
    ) -> None:
        self._connection: Final = connection
        self._make: Final = make
        self._committer: Final = committer
        self._settings: Final = settings
        self._head: Final = head
        self._trouble = ""  # what was said last, so that it is said once

    async def watch(self, seconds: float = _CHECKPOINT_SECONDS) -> None:
        """Look until cancelled."""
        while True:
            await asyncio.sleep(seconds)
            self.look()

    def look(self) -> None:
        """Make a checkpoint if one is due; that it cannot be put away is an alarm, once."""
        settings = self._settings()
        if settings is None or self._head() - self._last_checkpoint() < settings.every:
            return
        try:
            self._write_checkpoint(Path(settings.folder))
        except (OSError, sqlite3.Error, StoreError) as error:
            self._tell(f"cannot write a checkpoint to `{settings.folder}`: {error}")
        else:
            self._trouble = ""

    def _write_checkpoint(self, folder: Path) -> None:
        if not folder.is_dir():
            # Not made by us: below the place of a disk that is not there it would be on this one.
            raise NotADirectoryError("there is no such folder; is its disk mounted?")
        document = self._make()
        text = json.dumps(document, sort_keys=True).encode() + b"\n"
        write_whole(folder / f"{str(document['ledger'])[:8]}-{document['seq']:010d}.json", text, mode=0o600)

    def _last_checkpoint(self) -> int:
        row = self._connection.execute(statements("proof")["last_checkpoint"]).fetchone()
        return int(row[0]) if row else 0

    def _tell(self, trouble: str) -> None:
        if trouble != self._trouble:
            _log.warning("%s", trouble)
            self._committer.note("alarm", {"reason": trouble})
        self._trouble = trouble


class LedgerTools:
    """Works for people who ask, and by itself as the policy says."""

    def __init__(self, context: DaemonContext) -> None:
        self._context: Final = context
        self._admin: Final = LedgerAdmin(
            context.connection,
            context.ledger,
            context.committer,
            Signer(context.places.state / SIGNING_KEY),
            rule=context.policies.retention,
            loop=context.loop,
            carry=context.extensions.before_removal,
            shipped=context.extensions.shipped,
        )

    def people_methods(self) -> Methods:
        """Signing, pruning, importing."""
        return self._admin.methods

    def watches(self) -> Iterable[Coroutine[Any, Any, None]]:
        """Retention, and checkpoints that are made by themselves."""
        context = self._context
        checkpoints = AutoCheckpointer(
            context.connection,
            lambda: self._admin.checkpoint({}),
            context.committer,
            settings=lambda: CHECKPOINTS.get(context.policies.for_folder("")),
            head=lambda: context.ledger.head.seq,
        )
        return self._look_after_retention(), checkpoints.watch()

    async def _look_after_retention(self) -> None:
        self._admin.watch()
        try:
            await asyncio.Future()
        finally:
            self._admin.close()
