"""Approvals in the daemon: an ask goes to the host's prompt, becomes a ticket, or waits for an answer."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Iterable, Iterator, Sized
from typing import Any, Final

import msgspec

from interlock.daemon.call_intake import ParsedCall
from interlock.daemon.extension import DaemonContext
from interlock.daemon.jsonrpc import Methods
from interlock.errors import InterlockError
from interlock.events.bounded_dict import BoundedDict
from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.names import CLOSED, EventName
from interlock.events.tool import ToolTable
from interlock.events.verdict import Vote
from interlock.features.approvals.answering import Answers, InForce
from interlock.features.approvals.render import render_request, summary
from interlock.features.approvals.requests import ApprovalStore, Request
from interlock.features.approvals.settings import APPROVAL, ApprovalRules, standing_answer
from interlock.features.approvals.tickets import Tickets
from interlock.features.approvals.work_requests import WorkContent, WorkRequests
from interlock.features.notifications.service import Notice, Notifier, Ways

_REMEMBERED: Final = 4_096
_RAN: Final = frozenset({EventName.POST_TOOL_USE, EventName.POST_TOOL_USE_FAILURE})
# By now the person has answered: the turn is over, or the next one begins.
_ENDS: Final = frozenset({EventName.STOP, EventName.STOP_FAILURE, EventName.USER_PROMPT_SUBMIT})
_BY: Final = "host prompt"


class HostPrompts:
    """Remembers questions until later events show the answer. A forgotten one is never recorded."""

    def __init__(self) -> None:
        # By session and call: the agent that asked, and what to record once the answer is known.
        self._questions: Final[BoundedDict[tuple[str, str], tuple[str | None, dict[str, object]]]] = (
            BoundedDict(_REMEMBERED)
        )
        self.waiting: Final[Sized] = self._questions  # without a known answer

    def remember(self, event: Event, decision: Decision) -> None:
        if event.name != EventName.PRE_TOOL_USE or event.tool is None or not event.tool.use_id:
            return
        body: dict[str, object] = {
            "inferred": True,
            "by": _BY,
            "session_id": event.session_id,
            "tool_use_id": event.tool.use_id,
            "actor": event.actor,
            "tool": event.tool.name,
            "decided_by": decision.decided_by,
            "revision": decision.revision,
        }
        self._questions[event.session_id, event.tool.use_id] = (event.agent_id, body)

    def infer(self, event: Event) -> Iterator[dict[str, object]]:
        """What an event shows about earlier questions, as bodies for the ledger."""
        if event.name in _RAN and event.tool is not None and event.tool.use_id:
            if (question := self._questions.pop((event.session_id, event.tool.use_id), None)) is not None:
                yield {"state": "approved", **question[1]}
            return
        for key in [key for key, (agent, _) in self._questions.items() if _is_answered(event, key[0], agent)]:
            yield {"state": "not run", **self._questions.pop(key)[1]}


def _is_answered(event: Event, session_id: str, agent: str | None) -> bool:
    if event.session_id != session_id:
        return False
    if event.name == EventName.SESSION_END:
        return True
    if event.name == EventName.SUBAGENT_STOP:
        return agent is not None and agent == event.agent_id
    # A sub-agent may still be asking when the turn of the main agent is over.
    return event.name in _ENDS and agent is None


_TURNS: Final = frozenset({EventName.USER_PROMPT_SUBMIT, EventName.STOP})


class AskSettlement:
    """Settles asks; silence is not consent."""

    def __init__(self, tickets: Tickets, *, commit_soon: Callable[[], object] = lambda: None) -> None:
        self._tickets: Final = tickets
        self._prompts: Final = HostPrompts()
        self._commit_soon: Final = commit_soon  # people can only see a request that is committed
        # By call that waits here: its request, and the task that answers it.
        self._waiting: Final[dict[asyncio.Future[bool], tuple[str, object]]] = {}

    def settle(self, opened: ParsedCall, decision: Decision) -> Decision:
        """The decision with its ask answered, or left to a person at the host."""
        if decision.vote is not Vote.ASK:
            return decision
        if (
            standing := standing_answer(opened.event, decision, opened.loaded, opened.host.tools)
        ) is not None:
            return standing
        rules, root = APPROVAL.get(opened.loaded), opened.loaded.root
        if self._to_host(opened, decision):
            if (granted := self._tickets.granted(opened.event, decision, root=root, rules=rules)) is not None:
                return granted
            self._prompts.remember(opened.event, decision)
            return decision
        return self._tickets.settle(opened.event, decision, root=root, rules=rules)

    def at_turn(self, opened: ParsedCall, decision: Decision) -> Decision:
        """Tell the agent what a person denied meanwhile: at the next prompt, or else before the turn ends."""
        event = opened.event
        if event.name not in _TURNS or decision.vote is Vote.DENY:
            return decision
        ends = event.name == EventName.STOP
        if (ends and not opened.host.most_rounds) or not (
            denials := self._tickets.take_denials(event.session_id)
        ):
            return decision
        if not ends:
            return msgspec.structs.replace(decision, context=(*decision.context, *denials))
        reason = f"{'; '.join(denials)}. Take this into account, then end your turn again."
        return msgspec.structs.replace(decision, vote=Vote.DENY, reason=reason, decided_by="approvals")

    def holds(self, opened: ParsedCall, decision: Decision) -> bool:
        """Whether a call waits here for its answer instead of getting a ticket at once."""
        return (
            decision.vote is Vote.ASK
            and APPROVAL.get(opened.loaded).wait_s > 0
            and opened.event.name in CLOSED
            and not self._to_host(opened, decision)
            and standing_answer(opened.event, decision, opened.loaded, opened.host.tools) is None
        )

    async def hold(self, opened: ParsedCall, decision: Decision, seconds: float) -> Decision:
        """The decision after a person had some time to answer; raises as `settle` does."""
        ticket = self.settle(opened, decision)
        name = ticket.approval or ""
        if not self._tickets.waits(name):
            return ticket
        self._commit_soon()
        if await self._answer(name, min(APPROVAL.get(opened.loaded).wait_s, seconds)):
            return self.settle(opened, decision)
        self._tickets.abandon(name)
        return msgspec.structs.replace(ticket, reason=f"the agent that asked for {name} is gone")

    async def _answer(self, name: str, seconds: float) -> bool:
        """Wait until a request is answered or time is up; False if the agent has gone."""
        future: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting[future] = (name, asyncio.current_task())
        try:
            return await asyncio.wait_for(future, max(0.0, seconds))
        except TimeoutError:
            return True
        finally:
            del self._waiting[future]

    @staticmethod
    def _to_host(opened: ParsedCall, decision: Decision) -> bool:
        # The person at the host need not be a named approver.
        return not decision.approvers and opened.host.attended(opened.event)

    def observed(self, event: Event) -> Iterable[dict[str, object]]:
        """What an event shows about questions that went to the host's prompt; usually there are none."""
        return self._prompts.infer(event) if self._prompts.waiting else ()

    def answered(self, name: str) -> None:
        """A person's answer is on disk."""
        self._let_go(future for future, (waited, _) in self._waiting.items() if waited == name)

    def abandon(self, answer: Any) -> None:
        """The client no longer waits for the answer that this task makes."""
        self._let_go((future for future, (_, by) in self._waiting.items() if by is answer), still_there=False)

    def let_go(self) -> None:
        """The daemon ends: calls that wait get a ticket."""
        self._let_go(self._waiting)

    @staticmethod
    def _let_go(futures: Iterable[asyncio.Future[bool]], *, still_there: bool = True) -> None:
        for future in list(futures):
            if not future.done():
                future.set_result(still_there)


_SHORT: Final = 200


def request_notice(request: Request, tools: ToolTable) -> Notice:
    """For the desktop and a webhook, with no way to answer; raise InterlockError if it is unreadable."""
    document = {
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
        "shown": render_request(request, tools).lines,
        "requested_at": request.requested_at,
        "expires_at": request.expires_at,
        "next": f"interlock approvals show {request.name}",
    }
    title = f"Interlock: {request.name} needs your approval"
    return Notice(title=title, text=summary(request, tools)[:_SHORT], document=document)


_log: Final = logging.getLogger(__name__)


class ApprovalService:
    def __init__(self, context: DaemonContext) -> None:
        self._context: Final = context
        self._notifier: Final = Notifier(context.committer.note)
        self._store: Final = ApprovalStore(
            context.connection,
            context.ledger,
            tools=context.tools,
            clock=context.clock,
            redact=context.redactor.body,
            announce=self._announce,
        )
        self.tickets: Final = Tickets(self._store)
        self.work: Final = WorkRequests(self._store, WorkContent(os.environ))
        self._settlement: Final = AskSettlement(self.tickets, commit_soon=context.committer.soon)

    @property
    def parts(self) -> tuple[AskSettlement]:
        return (self._settlement,)

    def methods(self) -> Methods:
        from interlock.features.approvals.rpc import ApprovalMethods

        answers = Answers(self._store, self._in_force, self.work)
        settled = self._settlement.answered
        return ApprovalMethods(self._context, self._store, answers, self.work, settled).methods

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
        return InForce(revision=loaded.revision, rules=APPROVAL.get(loaded))

    async def close(self) -> None:
        await self._notifier.close()
