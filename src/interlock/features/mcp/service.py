"""The tools of `interlock mcp`, answered in the daemon."""

from __future__ import annotations

from typing import Final

from interlock.daemon.extension import DaemonContext
from interlock.daemon.jsonrpc import Methods
from interlock.effects.classification.book import NO_BOOK, CallBook
from interlock.features.approvals.service import ApprovalService
from interlock.features.commitments.service import CommitmentService


class McpService:
    """Everything is imported with the first request."""

    def __init__(self, context: DaemonContext) -> None:
        self._context: Final = context

    def methods(self) -> Methods:
        """One for all tools."""
        from interlock.engine.rules_only import RulesOnlyEngine  # noqa: PLC0415 - only requests need it
        from interlock.features.mcp.dry_run import DryRun  # noqa: PLC0415 - as above
        from interlock.features.mcp.ledger_search import OwnEntries  # noqa: PLC0415 - as above
        from interlock.features.mcp.rpc import AgentTools  # noqa: PLC0415 - as above

        context = self._context
        book = context.services.find(CallBook) or NO_BOOK
        rules = RulesOnlyEngine(context.tools, context.once, context.reader, book)
        tickets = context.need(ApprovalService).tickets
        return AgentTools(
            context.need(CommitmentService).operations,
            context.policies,
            context.agents,
            context.sessions,
            ahead=DryRun(rules, tickets, context.tools, context.committer.commit),
            entries=OwnEntries(context.places.database, context.redactor),
        ).methods
