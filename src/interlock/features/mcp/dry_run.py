"""What would become of a call before it is made: explained, or asked about ahead of time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from interlock.daemon.policy_loader import Loaded
from interlock.engine.rules_only import NOT_RUN, RulesOnlyEngine, not_run
from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.tool import JsonObject, ToolTable
from interlock.events.verdict import Outcome, Vote
from interlock.features.approvals.grants import Grant
from interlock.features.approvals.requests import Request
from interlock.features.approvals.settings import APPROVAL, standing_answer
from interlock.features.approvals.tickets import Tickets
from interlock.features.commitments.records import Code, RefusedError

_MOST_RULES: Final = 20  # rules


class DryRun:
    """Answers agents about calls they have not made; only a request for approval leaves a trace."""

    def __init__(
        self, rules: RulesOnlyEngine, tickets: Tickets, tools: ToolTable, commit: Callable[[], bool]
    ) -> None:
        self._list_votes: Final = rules
        self._tickets: Final = tickets
        self._tools: Final = tools
        self._commit: Final = commit

    async def explain(self, event: Event, loaded: Loaded) -> JsonObject:
        """How the call would be decided, by which rules, and what to do then."""
        decision = await self._decide(event, loaded)
        missing = not_run(decision)
        document: JsonObject = {
            "decision": decision.outcome,
            "reason": decision.reason,
            "decided_by": decision.decided_by,
            "rules": _list_votes(decision)[:_MOST_RULES],
            "not_run": missing,
            "unread": decision.unread,
            "updated_input": decision.updated_input,
            "context": list(decision.context),
            "actor": event.actor,
            "cwd": event.cwd,
            "next": _describe_next(decision, missing),
        }
        return _without_empty(document)

    async def request(self, event: Event, loaded: Loaded) -> JsonObject:
        """Open a request for exactly this call where the policy asks for one, and say how to go on."""
        decision = await self._decide(event, loaded)
        if decision.denied:
            return {"state": "forbidden", "reason": decision.reason, "next": _FORBIDDEN}
        if decision.vote is not Vote.ASK:
            later = not_run(decision)
            return {"state": "not_needed", "reason": decision.reason or _NOBODY, "next": _describe_go(later)}
        answer = self._tickets.request_ahead(event, decision, root=loaded.root, rules=APPROVAL.get(loaded))
        if not self._commit():
            raise RefusedError(
                Code.WORKSPACE_LOCKED, "the request cannot be recorded now", "try again in a moment"
            )
        if isinstance(answer, Grant):
            reason = f"granted by {answer.granted_by} ({answer.name})"
            return {"state": "granted", "grant": answer.name, "reason": reason, "next": _describe_go([])}
        return _request_answer(answer, decision)

    async def _decide(self, event: Event, loaded: Loaded) -> Decision:
        if not loaded.usable:
            raise RefusedError(
                Code.PERMISSION_DENIED,
                f"the policy does not load: {loaded.problem}",
                "every call is denied until a person corrects it",
            )
        hooks, root = loaded.engine.hooks, loaded.root
        decision = await self._list_votes.decide(event, hooks, root=root, revision=loaded.revision)
        granted = standing_answer(event, decision, loaded, self._tools)
        return decision if granted is None else granted


def _request_answer(request: Request, decision: Decision) -> JsonObject:
    document: JsonObject = {
        "state": request.state,
        "approval": request.name,
        "reason": decision.reason,
        "approvers": [list(names) for names in request.approvers],
        "answered_by": request.decided_by,
        "note": request.note,
        "expires_at": request.expires_at,
        "next": _NEXT[request.state].format(name=request.name),
    }
    return _without_empty(document)


def _without_empty(document: JsonObject) -> JsonObject:
    return {name: value for name, value in document.items() if value not in (None, [])}


def _list_votes(decision: Decision) -> list[JsonObject]:
    """What each rule said that had something to say."""
    return [
        {"rule": row.hook, "vote": str(row.vote), **({"reason": row.reason} if row.reason else {})}
        for row in decision.trace
        if row.outcome is not Outcome.SKIPPED
        and row.reason != NOT_RUN
        and (row.reason is not None or row.vote is not Vote.ABSTAIN)
        and not row.shadow
    ]


_NOBODY: Final = "no rule asks for it"
_FORBIDDEN: Final = "nobody can approve this; do something else"
_NEXT: Final = {
    "pending": "ask the user to run `interlock approve {name}`, then make exactly this call",
    "approved": "make exactly this call now; the approval covers one call",
    "denied": "a person denied {name}; do something else",
}


def _describe_next(decision: Decision, missing: list[str]) -> str:
    if decision.denied:
        return "do not make this call"
    if decision.vote is Vote.ASK:
        return "call `request_approval` with the same tool and input, or make the call and wait"
    return _describe_go(missing)


def _describe_go(missing: list[str]) -> str:
    if not missing:
        return "make the call"
    return f"make the call; {', '.join(missing)} will check it then"
