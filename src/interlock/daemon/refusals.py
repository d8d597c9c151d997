"""Answers without a decision: closed or open by the moment, and an entry that says which it was."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import Final

from interlock.daemon.call_intake import ParsedCall, PendingAnswer, RejectedCall
from interlock.daemon.offline_files import PROMPTS, judges_prompts
from interlock.daemon.policy_loader import Loaded, Policies
from interlock.events.event import Event
from interlock.hosts.host import Host, Reply
from interlock.ledger.writer import LedgerWriter


class Refuser:
    """Writes refusals and, where the moment allows a call undecided, gaps."""

    def __init__(
        self,
        policies: Policies,
        ledger: LedgerWriter,
        withdraw: Callable[[Event], object],
    ) -> None:
        self._policies: Final = policies
        self._withdraw: Final = withdraw  # told of a call that was to be recorded and does not happen
        self._ledger: Final = ledger
        self.open_passes = 0  # calls that passed although nothing was decided

    def refuse(self, opened: ParsedCall, reason: str) -> PendingAnswer:
        """Answer a call that was read."""
        event = opened.event
        self._withdraw(event)
        reply = opened.host.refuse(event.name, reason, closed=closes(opened))
        body = {
            "event": event.name,
            "session_id": event.session_id,
            "tool": event.tool.name if event.tool else None,
            "tool_use_id": event.tool.use_id if event.tool else None,
            "reason": reason,
        }
        self._record(reply, event.actor, opened.loaded.root, body)
        return PendingAnswer(reply=reply, durable=True, event=event.name, identity=opened.identity)

    def refuse_unopened(self, found: RejectedCall) -> PendingAnswer:
        """Answer a call that could not be read, or whose host nobody knows."""
        if found.host is None:
            reply = Reply(exit_code=2, stderr=found.reason.encode("utf-8", "replace"))
            self._record(reply, "", "", {"reason": found.reason})
            return PendingAnswer(reply=reply, durable=True)
        return self._refuse_unread(found.host, found)

    def _refuse_unread(self, host: Host, found: RejectedCall) -> PendingAnswer:
        # Which folder it came from is not known, so the policy that holds everywhere says about prompts.
        closed = _holds_prompts(self._policies.for_folder("")) if found.event_name in PROMPTS else None
        reason = f"the event could not be read: {found.reason}"
        reply = host.refuse(found.event_name, reason, closed=closed)
        payload = found.call.payload
        body = {
            "host": host.name,
            "event": found.event_name,
            "kind": found.kind,
            "reason": found.reason,
            "bytes": len(payload),
            "sha256": hashlib.sha256(payload).hexdigest(),
        }
        self._record(reply, "", "", body)
        return PendingAnswer(reply=reply, durable=True, event=found.event_name)

    def _record(self, reply: Reply, actor: str, root: str, body: Mapping[str, object]) -> None:
        passed = reply == Reply()
        self.open_passes += passed
        said = {**body, "decision": "allow" if passed else "deny"}
        if passed:
            said["open_passes"] = 1
        self._ledger.append("gap" if passed else "refused", actor, root, said)


def closes(opened: ParsedCall) -> bool | None:
    """A prompt is held back only where a hook judges prompts; elsewhere the moment says."""
    return _holds_prompts(opened.loaded) if opened.event.name in PROMPTS else None


def _holds_prompts(loaded: Loaded) -> bool:
    return not loaded.usable or judges_prompts(loaded.engine.hooks)
