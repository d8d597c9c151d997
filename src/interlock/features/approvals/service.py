"""Everything that approvals need in the daemon, put together in one place."""

from __future__ import annotations

import logging
import os
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from interlock.daemon.agent_processes import Agents
from interlock.daemon.group_commit import Committer
from interlock.daemon.identity import Identities
from interlock.daemon.jsonrpc import Methods
from interlock.daemon.policy_loader import Policies
from interlock.errors import InterlockError
from interlock.events.tool import ToolTable
from interlock.features.approvals.answering import Answers, InForce
from interlock.features.approvals.book import Book
from interlock.features.approvals.call import Redact
from interlock.features.approvals.notice import request_notice
from interlock.features.approvals.project_content import WorkContent
from interlock.features.approvals.request import Request
from interlock.features.approvals.rpc import Approving
from interlock.features.approvals.rules import APPROVAL, ApprovalRules
from interlock.features.approvals.settlement import Asking
from interlock.features.approvals.tickets import Tickets
from interlock.features.approvals.work import WorkRequests
from interlock.features.notifications.sender import Notifier, Ways
from interlock.files.passphrase import PASSPHRASE, PassphraseGate
from interlock.ledger.writer import LedgerWriter

_log: Final = logging.getLogger(__name__)


class ApprovalDesk:
    """Agents ask at one side of it, people answer at the other."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        ledger: LedgerWriter,
        policies: Policies,
        tools: ToolTable,
        *,
        state: Path,
        redact: Redact | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._policies: Final = policies
        self._redact: Final = redact
        self.gate: Final = PassphraseGate(state / PASSPHRASE)
        self._notifier: Notifier | None = None
        self.book: Final = Book(connection, ledger, tools=tools, clock=clock)
        self.tickets: Final = Tickets(self.book, redact=redact, announce=self._announce)
        self.work: Final = WorkRequests(
            self.book, redact=redact, announce=self._announce, contents=WorkContent(os.environ)
        )
        self.asking: Final = Asking(self.tickets)

    def open(self, committer: Committer, agents: Agents, identities: Identities) -> Methods:
        """Begin to serve people; gives the methods by which they answer."""
        self.asking.commit_soon = committer.soon
        self._notifier = Notifier(committer.note)
        return Approving(
            self.book,
            Answers(self.book, self._in_force, redact=self._redact, work=self.work),
            self.work,
            agents,
            identities=identities,
            note=committer.note,
            gate=self.gate,
            commit=committer.commit,
            answered=self.asking.answered,
        ).methods

    def _announce(self, request: Request, rules: ApprovalRules) -> None:
        if self._notifier is None or not (rules.webhook or rules.desktop):
            return
        try:
            notice = request_notice(request, self.book.tools)
        except InterlockError as error:
            _log.warning("not announced: %s", error)
            return
        self._notifier.tell(notice, Ways(webhook=rules.webhook, desktop=rules.desktop))

    def _in_force(self, request: Request) -> InForce:
        """The policy that would judge the call if it were made now."""
        loaded = self._policies.for_folder(request.content.cwd, request.project or None)
        return InForce(revision=loaded.revision, rules=APPROVAL.of(loaded))

    async def close(self) -> None:
        """Leave nothing under way."""
        if self._notifier is not None:
            await self._notifier.close()
