"""Which handler handles which event, for hooks and for requests."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any, Final

from interlock.errors import StoreError
from interlock.events.bounded_dict import BoundedDict
from interlock.events.event import Event
from interlock.events.hook import CallView
from interlock.events.names import EventName
from interlock.events.tool import JsonObject
from interlock.events.verdict import NO_OPINION, Verdict, Vote
from interlock.features.work import call_handlers, notice_handlers, session_handlers
from interlock.features.work.effort_operations import SKILL_TOOL
from interlock.features.work.event_context import Answer, EventContext, HandlerServices
from interlock.features.work.own_commands import OwnCommand, own_command
from interlock.features.work.records import RefusedError
from interlock.features.work.requests import REQUESTS, read_request
from interlock.features.work.settings import WorkRules
from interlock.features.work.skills import user_skill_folders

__all__ = ["HandlerServices", "WorkHooks", "user_skill_folders"]  # what the service needs
HANDLERS: Final[dict[str, Callable[[EventContext], Answer]]] = {
    EventName.SESSION_START: session_handlers.session_start,
    EventName.SESSION_END: session_handlers.session_end,
    EventName.PRE_COMPACT: session_handlers.pre_compact,
    EventName.PRE_TOOL_USE: call_handlers.pre_tool_use,
    EventName.POST_TOOL_USE: call_handlers.post_tool_use,
    EventName.POST_TOOL_USE_FAILURE: call_handlers.post_tool_use_failure,
    EventName.STOP: session_handlers.stop,
    EventName.STOP_FAILURE: session_handlers.stop,  # an error of the host ended the turn
    EventName.USER_PROMPT_SUBMIT: session_handlers.user_prompt,
    EventName.NOTIFICATION: notice_handlers.notification,
    EventName.PERMISSION_REQUEST: call_handlers.permission_request,
    EventName.TEAMMATE_IDLE: notice_handlers.teammate_idle,
    EventName.TASK_COMPLETED: notice_handlers.task_completed,
    EventName.SUBAGENT_START: notice_handlers.subagent_start,
    EventName.SUBAGENT_STOP: notice_handlers.subagent_stop,
    EventName.CONFIG_CHANGE: notice_handlers.config_change,
}


_log: Final = logging.getLogger(__name__)
_MOST: Final = 8_192  # sessions remembered
# Events by which an agent shows that it is working.
_CALLS: Final = frozenset({EventName.PRE_TOOL_USE, EventName.POST_TOOL_USE})
# Events at which an agent is registered, with what the policy says about it.
_BEGINNINGS: Final = frozenset({EventName.SESSION_START, EventName.USER_PROMPT_SUBMIT})
# Their `agent_id` is the sub-agent they are about, not the one the event happened in.
_ABOUT_SUB_AGENTS: Final = frozenset({EventName.SUBAGENT_START, EventName.SUBAGENT_STOP})

RulesOf = Callable[[str, str | None], WorkRules]  # by folder and project
Asker = Callable[[Event], CallView]


class WorkHooks:
    """Turns events into answers, and answers into verdicts; a session without an effort costs one lookup."""

    def __init__(self, services: HandlerServices, rules: RulesOf, look: Asker) -> None:
        self.services: Final = services
        self._rules: Final = rules
        self._look: Final = look  # analyses a call that came by a request
        # Sessions and their sub-agents that need nothing at a call.
        self._idle: Final[BoundedDict[str, set[str | None]]] = BoundedDict(_MOST)

    def concerns(self, event: Event) -> bool:
        """Whether there is anything to do; False for calls of sessions known to have no effort."""
        if event.name not in _CALLS or event.agent_id not in self._idle.get(event.session_id, ()):
            return True
        if event.tool is not None and event.tool.name == SKILL_TOOL:
            return True  # `/effort start` may be called as one
        gated = event.name == EventName.PRE_TOOL_USE and event.agent_id is None
        return gated and self._rules(event.cwd, event.project).session_gate != "off"

    def forget(self) -> None:
        """Somebody changed what sessions are working on."""
        self._idle.clear()

    def handle(self, view: CallView) -> Verdict:
        """The verdict about an event; no vote when the state of the work cannot be stored."""
        event = view.event
        if event.name not in HANDLERS or not event.session_id:
            return NO_OPINION
        try:
            answer = self._run(event, lambda: own_command(view, self.services.is_program))
        except (StoreError, RefusedError) as error:
            _log.warning("the work of session %s could not be stored: %s", event.session_id, error)
            return Verdict(reason=f"the state of the work could not be stored: {error}")
        if answer.deny is not None:
            return Verdict(vote=Vote.DENY, reason=answer.deny, context=answer.context)
        return NO_OPINION if answer.context is None else Verdict(context=answer.context)

    def ask(self, name: str, params: Mapping[str, Any], env: Mapping[str, str]) -> JsonObject:
        """The same for a request, which is checked first and gets the whole answer."""
        event = read_request(name, params, env)
        return {**REQUESTS[name].answer, **self._run(event, lambda: self._asked_command(event)).result}

    def _run(self, event: Event, command: Callable[[], OwnCommand | None]) -> Answer:
        is_call = event.name in _CALLS
        if not is_call:
            self._idle.pop(event.session_id, None)
        with self.services.work.step():
            context = self._context(event, command)
            if is_call and context.agent is not None and context.agent.status != "working":
                context.mark("working")  # an agent that calls a tool no longer waits for anybody
            answer = HANDLERS[event.name](context)
            if event.name in _BEGINNINGS:
                _note_managed(context)
        session = context.session
        if answer.begins:
            self.forget()
        elif is_call and context.effort is None and not (session and session.pending_injections):
            self._idle.setdefault(event.session_id, set()).add(event.agent_id)
        if event.name == EventName.TEAMMATE_IDLE:
            self._idle.clear()  # something may be pending for another session now
        return answer

    def _context(self, event: Event, command: Callable[[], OwnCommand | None]) -> EventContext:
        name = event.extra.get("env_agent_id")  # the agent's own name; the payload cannot set it
        name = name if isinstance(name, str) and name else None
        sub_agent = None if event.name in _ABOUT_SUB_AGENTS else event.agent_id
        return EventContext(
            event=event,
            ids=self.services.work.resolve(event.cwd, name, event.session_id, sub_agent),
            agent_id=name or event.session_id,
            named=name is not None,
            rules=self._rules(event.cwd, event.project),
            services=self.services,
            command=command,
        )

    def _asked_command(self, event: Event) -> OwnCommand | None:
        return own_command(self._look(event), self.services.is_program) if event.tool is not None else None


def _note_managed(context: EventContext) -> None:
    """Store which agents the policy says this one manages, so that views can show a coordinator."""
    manages = context.rules.manages.get(context.agent_id) or context.rules.manages.get(context.label or "")
    if manages:
        context.work.agents.set_manages(context.agent_id, manages)
