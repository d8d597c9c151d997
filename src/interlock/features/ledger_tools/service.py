"""The ledger as a whole, in the daemon: its end is signed, its front removed, others' entries taken in."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any, Final

from interlock.daemon.extension import DaemonContext
from interlock.daemon.jsonrpc import Methods
from interlock.features.ledger_tools.auto_checkpoint import AutoCheckpointer
from interlock.features.ledger_tools.rpc import LedgerAdmin
from interlock.ledger.signing import FILE as SIGNING_KEY
from interlock.ledger.signing import Signer
from interlock.policy.settings.ledger import CHECKPOINTS


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
            settings=lambda: CHECKPOINTS.of(context.policies.for_folder("")),
            head=lambda: context.ledger.head.seq,
        )
        return self._look_after_retention(), checkpoints.watch()

    async def _look_after_retention(self) -> None:
        self._admin.watch()
        try:
            await asyncio.Future()
        finally:
            self._admin.close()
