"""Everything that approvals need in the daemon, put together in one place."""

from __future__ import annotations

import logging
import os
from typing import Any, Final

import msgspec

from interlock.daemon.extension import DaemonContext
from interlock.daemon.jsonrpc import Methods
from interlock.errors import InterlockError
from interlock.events.tool import ToolTable
from interlock.features.approvals.answering import Answers, InForce
from interlock.features.approvals.project_content import WorkContent
from interlock.features.approvals.render import render_request, summary
from interlock.features.approvals.requests import Request
from interlock.features.approvals.settings import APPROVAL, ApprovalRules
from interlock.features.approvals.settlement import AskSettlement
from interlock.features.approvals.store import ApprovalStore
from interlock.features.approvals.tickets import Tickets
from interlock.features.approvals.work_requests import WorkRequests
from interlock.features.notifications.service import Notice, Notifier, Ways

_SHORT: Final = 200


def request_notice(request: Request, tools: ToolTable) -> Notice:
    """What the desktop and a webhook are told of a request; raise InterlockError where it is unreadable."""
    line, lines = summary(request, tools), render_request(request, tools).lines
    return Notice(
        title=f"Interlock: {request.name} needs your approval",
        text=line[:_SHORT],
        document=_document(request, lines),
    )


def _document(request: Request, lines: list[str]) -> dict[str, Any]:
    """What a webhook gets: enough to know what waits, and no way to answer."""
    return {
        "event": "approval_requested",
        "approval": request.name,
        "session_id": request.session_id,
        "actor": request.actor,
        "tool": request.tool,
        "project": request.root,
        "reason": request.reason,
        "rule": request.rule,
        "approvers": request.approvers,
        "digest": request.digest,
        "call": msgspec.json.decode(request.call),
        "shown": lines,
        "requested_at": request.requested_at,
        "expires_at": request.expires_at,
        "next": f"interlock approvals show {request.name}",
    }


_log: Final = logging.getLogger(__name__)


class ApprovalService:
    """Agents ask at one side of it, people answer at the other."""

    def __init__(self, context: DaemonContext) -> None:
        self._context: Final = context
        self._redact: Final = context.redactor.call
        self._notifier: Final = Notifier(context.committer.note)
        self._store: Final = ApprovalStore(
            context.connection, context.ledger, tools=context.tools, clock=context.clock
        )
        self.tickets: Final = Tickets(self._store, redact=self._redact, announce=self._announce)
        self.work: Final = WorkRequests(
            self._store, redact=self._redact, announce=self._announce, contents=WorkContent(os.environ)
        )
        self._settlement: Final = AskSettlement(self.tickets, commit_soon=context.committer.soon)

    @property
    def parts(self) -> tuple[AskSettlement]:
        """Who settles asks."""
        return (self._settlement,)

    def methods(self) -> Methods:
        """By which people see and answer what agents ask."""
        from interlock.features.approvals.rpc import ApprovalMethods

        context = self._context
        return ApprovalMethods(
            self._store,
            Answers(self._store, self._in_force, redact=self._redact, work=self.work),
            self.work,
            context.agents,
            identities=context.identities,
            note=context.committer.note,
            gate=context.passphrase,
            commit=context.committer.commit,
            answered=self._settlement.answered,
        ).methods

    def _announce(self, request: Request, rules: ApprovalRules) -> None:
        if not (rules.webhook or rules.desktop):
            return
        try:
            notice = request_notice(request, self._store.tools)
        except InterlockError as error:
            _log.warning("not announced: %s", error)
            return
        self._notifier.tell(notice, Ways(webhook=rules.webhook, desktop=rules.desktop))

    def _in_force(self, request: Request) -> InForce:
        """The policy that would judge the call if it were made now."""
        loaded = self._context.policies.for_folder(request.content.cwd, request.project or None)
        return InForce(revision=loaded.revision, rules=APPROVAL.of(loaded))

    async def close(self) -> None:
        """Leave nothing under way."""
        await self._notifier.close()
