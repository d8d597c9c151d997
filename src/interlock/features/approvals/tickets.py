"""The agent's side of a request: allowed by an approval or a grant, otherwise denied with a ticket."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from interlock.errors import ApprovalError
from interlock.events.actor import are_all_named, in_words
from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.tool import ToolTable
from interlock.events.verdict import Vote
from interlock.features.approvals.grants import Grant, objection
from interlock.features.approvals.render import summary
from interlock.features.approvals.requests import (
    PREFIX,
    Request,
    digest_of,
    number_of,
    redact_name,
    redact_text,
    redacted_call_bytes,
)
from interlock.features.approvals.settings import ApprovalRules
from interlock.features.approvals.store import SYSTEM, ApprovalStore

_DEFAULT: Final = ApprovalRules()


class Tickets:
    """Requests bound to the digest of the call, the session, the actor and the policy revision."""

    def __init__(self, store: ApprovalStore) -> None:
        self._store: Final = store

    def settle(
        self, event: Event, decision: Decision, *, root: str = "", rules: ApprovalRules = _DEFAULT
    ) -> Decision:
        """Turn an ask into an allow if a person allowed it, else into a denial that says how to go on."""
        final = _final(event, decision)
        self._store.expire()
        about = self._about(final, decision, root, rules)
        with self._store.step():
            return self._settle(final, decision, about, rules)

    def granted(
        self, event: Event, decision: Decision, *, root: str = "", rules: ApprovalRules = _DEFAULT
    ) -> Decision | None:
        """The ask as an allow if it was approved before, even where somebody could be asked; else None."""
        final = _final(event, decision)
        about = self._about(final, decision, root, rules)
        with self._store.step():
            if (used := self._used(final, decision, self._store.requests.find(about), about)) is not None:
                return used
            grant = self._covering(final, decision, about, rules)
            return self._by_grant(final, decision, grant, None) if grant else None

    def ahead(
        self, event: Event, decision: Decision, *, root: str = "", rules: ApprovalRules = _DEFAULT
    ) -> Request | Grant:
        """The answer, grant or request for a call that will be made later. None of them is used up."""
        final = _final(event, decision)
        self._store.expire()
        about = self._about(final, decision, root, rules)
        with self._store.step():
            found = self._store.requests.find(about)
            if found is not None and (found.state != "approved" or _entitled(found, decision)):
                return found
            return self._covering(final, decision, about, rules) or self._store.open(about, rules)

    def _about(self, event: Event, decision: Decision, root: str, rules: ApprovalRules) -> dict[str, Any]:
        redact = self._store.redact
        call = redacted_call_bytes(event, self._store.tools, redact)
        return {
            "digest": digest_of(call),
            "session_id": event.session_id,
            "actor": redact_name(event.actor, redact),
            "revision": decision.revision,
            "call": call,
            "reason": redact_text(decision.reason, redact),
            "approvers": msgspec.json.encode(decision.approvers).decode(),
            "now": self._store.now(),
            "expires_at": self._store.now(rules.expires),
            "root": redact_name(root, redact),
            "project": redact_name(event.project or "", redact),
            "tool": event.tool.name if event.tool else None,
            "rule": decision.decided_by,
            "commitment": event.commitment_id,
            "seen": None,
        }

    def _settle(
        self, event: Event, decision: Decision, about: dict[str, Any], rules: ApprovalRules
    ) -> Decision:
        store = self._store
        found = store.requests.find(about)
        if found is not None and found.state == "denied":
            note = f": {found.note}" if found.note else ""
            reason = (
                f"{found.decided_by} denied this ({found.name}){note}. Do something else, or ask the user. "
                f"Reason: {decision.reason}"
            )
            store.requests.tell(found.id)
            return _decided(decision, Vote.DENY, reason, found.name)
        if found is not None and found.state == "approved":
            if (used := self._used(event, decision, found, about)) is not None:
                return used
            found = None
        grant = self._covering(event, decision, about, rules)
        if grant is not None:
            return self._by_grant(event, decision, grant, found)
        return _requested(decision, found or store.open(about, rules))

    def _used(
        self, event: Event, decision: Decision, found: Request | None, about: dict[str, Any]
    ) -> Decision | None:
        """The ask as an allow if a person approved exactly this call; that uses the approval up."""
        if found is None or found.state != "approved" or not _entitled(found, decision):
            return None
        if not self._store.requests.change("use", {"id": found.id, "now": about["now"]}):
            return None
        self._store.record(found, "used", event.actor)
        reason = f"approved by {found.decided_by} ({found.name})"
        return _decided(decision, Vote.ALLOW, reason, found.name)

    def _covering(
        self, event: Event, decision: Decision, about: dict[str, Any], rules: ApprovalRules
    ) -> Grant | None:
        tools = self._store.tools

        def entitled(person: str) -> bool:
            own = person == event.actor
            return not own and objection(person, event, decision.approvers, rules, tools) is None

        return self._store.grants.covering(event, about, entitled)

    def _by_grant(self, event: Event, decision: Decision, grant: Grant, waiting: Request | None) -> Decision:
        store = self._store
        if waiting is not None and store.requests.end(waiting.id, f"answered by {grant.name}"):
            store.record(waiting, "expired", SYSTEM, note=f"answered by {grant.name}")
        tool = event.tool.name if event.tool else None
        store.record_grant(grant, "used", event.actor, session_id=event.session_id, tool=tool)
        return _decided(decision, Vote.ALLOW, f"granted by {grant.granted_by} ({grant.name})", grant.name)

    def untold(self, session_id: str) -> list[str]:
        """The denials of a session that its agent has not heard of, in words. It counts as told now."""
        found = self._store.requests.untold(session_id, self._store.now())
        if found:
            with self._store.step():
                for request in found:
                    self._store.requests.tell(request.id)
        return [_refused(request, self._store.tools) for request in found]

    def waits(self, name: str) -> bool:
        found = self._store.requests.get(number_of(name)) if name.startswith(PREFIX) else None
        return found is not None and found.state == "pending"

    def abandon(self, name: str) -> None:
        """Nobody waits for this call's answer any more, so a later approval must do nothing."""
        note = "the agent stopped waiting"
        with self._store.step():
            request = self._store.requests.get(number_of(name))
            if request is not None and self._store.requests.end(request.id, note):
                self._store.record(request, "expired", SYSTEM, note=note)


def _entitled(found: Request, decision: Decision) -> bool:
    """Whether whoever approved is among the approvers now: the rule may have changed since."""
    return all(are_all_named(found.decided_by, names) for names in decision.approvers)


def _requested(decision: Decision, request: Request) -> Decision:
    who = " and ".join(in_words(group) for group in decision.approvers) or "the user"
    loss = decision.reason or "This is held back."
    end = "" if loss.endswith((".", "!", "?")) else "."
    reason = f"{loss}{end} To allow it, ask {who} to run `interlock approve {request.name}`, then try again."
    return _decided(decision, Vote.DENY, reason, request.name)


def _refused(request: Request, tools: ToolTable) -> str:
    try:
        about = f" ({summary(request, tools)})"
    except ApprovalError:
        about = ""
    note = f": {request.note}" if request.note else ""
    return f"{request.decided_by} denied {request.name}{about}{note}"


def _final(event: Event, decision: Decision) -> Event:
    """What is approved is what would run: the input as the hooks left it."""
    return event if decision.updated_input is None else event.with_input(decision.updated_input)


def _decided(decision: Decision, vote: Vote, reason: str, approval: str) -> Decision:
    return msgspec.structs.replace(decision, vote=vote, reason=reason, approval=approval)
