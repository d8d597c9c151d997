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
    SYSTEM,
    ApprovalStore,
    Request,
    digest_of,
    number_of,
    redact_name,
    redact_text,
    redacted_call_bytes,
)
from interlock.features.approvals.settings import ApprovalRules

_DEFAULT: Final = ApprovalRules()


class Ask(msgspec.Struct, frozen=True, kw_only=True):
    """A call that needs approval."""

    event: Event  # with the input as the hooks left it: what is approved is what would run
    decision: Decision
    rules: ApprovalRules
    values: dict[str, Any]  # of its row

    def answer(self, vote: Vote, reason: str, approval: str) -> Decision:
        return msgspec.structs.replace(self.decision, vote=vote, reason=reason, approval=approval)


class Tickets:
    """Requests bound to the digest of the call, the session, the actor and the policy revision."""

    def __init__(self, store: ApprovalStore) -> None:
        self._store: Final = store

    def settle(
        self, event: Event, decision: Decision, *, root: str = "", rules: ApprovalRules = _DEFAULT
    ) -> Decision:
        """Turn an ask into an allow if a person allowed it, else into a denial that says how to go on."""
        self._store.expire()
        ask = self._ask(event, decision, root, rules)
        requests = self._store.requests
        with self._store.step():
            request = requests.find(ask.values)
            if request is not None and request.state == "denied":
                requests.tell(request.id)
                note = f": {request.note}" if request.note else ""
                denied = f"{request.decided_by} denied this ({request.name}){note}."
                reason = f"{denied} Do something else, or ask the user. Reason: {decision.reason}"
                return ask.answer(Vote.DENY, reason, request.name)
            if (used := self._use(ask, request)) is not None:
                return used
            waiting = request if request is not None and request.state == "pending" else None
            if (grant := self._grant(ask)) is not None:
                return self._use_grant(ask, grant, waiting)
            return _wait(ask, waiting or self._store.open(ask.values, rules))

    def granted(
        self, event: Event, decision: Decision, *, root: str = "", rules: ApprovalRules = _DEFAULT
    ) -> Decision | None:
        """The ask as an allow if it was approved before, even where somebody could be asked; else None."""
        ask = self._ask(event, decision, root, rules)
        with self._store.step():
            if (used := self._use(ask, self._store.requests.find(ask.values))) is not None:
                return used
            grant = self._grant(ask)
            return self._use_grant(ask, grant, None) if grant else None

    def request_ahead(
        self, event: Event, decision: Decision, *, root: str = "", rules: ApprovalRules = _DEFAULT
    ) -> Request | Grant:
        """The answer, grant or request for a call that will be made later. None of them is used up."""
        self._store.expire()
        ask = self._ask(event, decision, root, rules)
        with self._store.step():
            request = self._store.requests.find(ask.values)
            if request is not None and (request.state != "approved" or _entitled(request, decision)):
                return request
            return self._grant(ask) or self._store.open(ask.values, rules)

    def _ask(self, event: Event, decision: Decision, root: str, rules: ApprovalRules) -> Ask:
        final = event if decision.updated_input is None else event.with_input(decision.updated_input)
        redact = self._store.redact
        call = redacted_call_bytes(final, self._store.tools, redact)
        values = {
            "digest": digest_of(call),
            "session_id": final.session_id,
            "actor": redact_name(final.actor, redact),
            "revision": decision.revision,
            "call": call,
            "reason": redact_text(decision.reason, redact),
            "approvers": msgspec.json.encode(decision.approvers).decode(),
            **self._store.times(rules.expires),
            "root": redact_name(root, redact),
            "project": redact_name(final.project or "", redact),
            "tool": final.tool.name if final.tool else None,
            "rule": decision.decided_by,
            "commitment": final.commitment_id,
            "seen": None,
        }
        return Ask(event=final, decision=decision, rules=rules, values=values)

    def _use(self, ask: Ask, request: Request | None) -> Decision | None:
        """The ask as an allow if a person approved exactly this call; that uses the approval up."""
        if request is None or request.state != "approved" or not _entitled(request, ask.decision):
            return None
        if not self._store.requests.change("use", {"id": request.id, "now": ask.values["now"]}):
            return None
        self._store.record(request, "used", ask.event.actor)
        return ask.answer(Vote.ALLOW, f"approved by {request.decided_by} ({request.name})", request.name)

    def _grant(self, ask: Ask) -> Grant | None:
        event, approvers, tools = ask.event, ask.decision.approvers, self._store.tools

        def entitled(person: str) -> bool:
            return person != event.actor and objection(person, event, approvers, ask.rules, tools) is None

        return self._store.grants.covering(event, ask.values, entitled)

    def _use_grant(self, ask: Ask, grant: Grant, waiting: Request | None) -> Decision:
        store, event = self._store, ask.event
        if waiting is not None and store.requests.end(waiting.id, f"answered by {grant.name}"):
            store.record(waiting, "expired", SYSTEM, note=f"answered by {grant.name}")
        tool = event.tool.name if event.tool else None
        store.record_grant(grant, "used", event.actor, session_id=event.session_id, tool=tool)
        return ask.answer(Vote.ALLOW, f"granted by {grant.granted_by} ({grant.name})", grant.name)

    def take_denials(self, session_id: str) -> list[str]:
        """The denials of a session that its agent has not heard of, in words. It counts as told now."""
        requests = self._store.requests.untold(session_id, self._store.now())
        if requests:
            with self._store.step():
                for request in requests:
                    self._store.requests.tell(request.id)
        return [_describe_denial(request, self._store.tools) for request in requests]

    def waits(self, name: str) -> bool:
        request = self._store.requests.get(number_of(name)) if name.startswith(PREFIX) else None
        return request is not None and request.state == "pending"

    def abandon(self, name: str) -> None:
        """Nobody waits for this call's answer any more, so a later approval must do nothing."""
        note = "the agent stopped waiting"
        with self._store.step():
            request = self._store.requests.get(number_of(name))
            if request is not None and self._store.requests.end(request.id, note):
                self._store.record(request, "expired", SYSTEM, note=note)


def _entitled(request: Request, decision: Decision) -> bool:
    """Whether whoever approved is among the approvers now: the rule may have changed since."""
    return all(are_all_named(request.decided_by, names) for names in decision.approvers)


def _wait(ask: Ask, request: Request) -> Decision:
    who = " and ".join(in_words(group) for group in ask.decision.approvers) or "the user"
    loss = ask.decision.reason or "This is held back."
    end = "" if loss.endswith((".", "!", "?")) else "."
    reason = f"{loss}{end} To allow it, ask {who} to run `interlock approve {request.name}`, then try again."
    return ask.answer(Vote.DENY, reason, request.name)


def _describe_denial(request: Request, tools: ToolTable) -> str:
    try:
        call = f" ({summary(request, tools)})"
    except ApprovalError:
        call = ""
    note = f": {request.note}" if request.note else ""
    return f"{request.decided_by} denied {request.name}{call}{note}"
