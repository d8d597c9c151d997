"""The fifteen handlers behind one door for hooks and one for requests."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from interlock.errors import StoreError
from interlock.events.event import Event
from interlock.events.hook import Sight
from interlock.events.names import EventName
from interlock.events.tool import ToolCall
from interlock.events.verdict import NO_OPINION, Verdict, Vote
from interlock.features.work.efforts.skill_call import SKILL_TOOL
from interlock.features.work.errors import RefusedError
from interlock.features.work.event_context import Answer, Case, Means
from interlock.features.work.handlers.notices import config_change, notification, task_completed
from interlock.features.work.handlers.sessions import (
    pre_compact,
    session_end,
    session_start,
    stop,
    user_prompt,
)
from interlock.features.work.handlers.subagents import subagent_start, subagent_stop, teammate_idle
from interlock.features.work.handlers.tools import (
    permission_request,
    post_tool_use,
    post_tool_use_failure,
    pre_tool_use,
)
from interlock.features.work.inputs import HookInput, ToolInput
from interlock.features.work.own_commands import OwnCommand, own_command
from interlock.features.work.parse_input import input_of, read_input
from interlock.features.work.results import Result
from interlock.features.work.settings import WorkRules

HANDLERS: Final[dict[str, Callable[[Case[Any]], Answer]]] = {
    EventName.SESSION_START: session_start,
    EventName.SESSION_END: session_end,
    EventName.PRE_COMPACT: pre_compact,
    EventName.PRE_TOOL_USE: pre_tool_use,
    EventName.POST_TOOL_USE: post_tool_use,
    EventName.POST_TOOL_USE_FAILURE: post_tool_use_failure,
    EventName.STOP: stop,
    EventName.USER_PROMPT_SUBMIT: user_prompt,
    EventName.NOTIFICATION: notification,
    EventName.PERMISSION_REQUEST: permission_request,
    EventName.TEAMMATE_IDLE: teammate_idle,
    EventName.TASK_COMPLETED: task_completed,
    EventName.SUBAGENT_START: subagent_start,
    EventName.SUBAGENT_STOP: subagent_stop,
    EventName.CONFIG_CHANGE: config_change,
}


_log: Final = logging.getLogger(__name__)
_MOST: Final = 8_192  # sessions remembered
# At these an agent shows that it goes on.
_CALLS: Final = frozenset({EventName.PRE_TOOL_USE, EventName.POST_TOOL_USE})
# At these an agent is taken notice of, with what people say of it.
_BEGINNINGS: Final = frozenset({EventName.SESSION_START, EventName.USER_PROMPT_SUBMIT})
# Handlers look at these fields of theirs, so they are not the window the event happened in.
_ABOUT_SUB_AGENTS: Final = frozenset({EventName.SUBAGENT_START, EventName.SUBAGENT_STOP})

RulesOf = Callable[[str, str | None], WorkRules]  # by folder and project
Asker = Callable[[Event], Sight]


class WorkHooks:
    """Turns events into inputs and results into verdicts; sessions at work on nothing cost a look."""

    def __init__(self, means: Means, rules: RulesOf, look: Asker) -> None:
        self.means: Final = means
        self._rules: Final = rules
        self._look: Final = look  # reads a call that nobody has read yet
        self._idle: Final[dict[str, set[str | None]]] = {}  # windows that need nothing at a call

    def concerns(self, event: Event) -> bool:
        """Whether there is anything to do; False for calls of sessions known to be at nothing."""
        if event.name not in _CALLS or event.agent_id not in self._idle.get(event.session_id, ()):
            return True
        if event.tool is not None and event.tool.name == SKILL_TOOL:
            return True  # `/effort start` may be called as one
        gated = event.name == EventName.PRE_TOOL_USE and event.agent_id is None
        return gated and self._rules(event.cwd, event.project).session_gate != "off"

    def forget(self) -> None:
        """Somebody changed what sessions are at."""
        self._idle.clear()

    def seen(self, sight: Sight) -> Verdict:
        """What the work has to say about an event; nothing, when its state cannot be kept."""
        event = sight.event
        given = input_of(event)
        if given is None or not event.session_id:
            return NO_OPINION
        try:
            answer = self._run(given, event, lambda: own_command(sight, self.means.is_program))
        except (StoreError, RefusedError) as error:
            _log.warning("the work of session %s is not kept: %s", event.session_id, error)
            return Verdict(reason=f"the state of the work is not kept: {error}")
        if answer.deny is not None:
            return Verdict(vote=Vote.DENY, reason=answer.deny, context=answer.context)
        return NO_OPINION if answer.context is None else Verdict(context=answer.context)

    def ask(self, name: str, params: Mapping[str, Any], env: Mapping[str, str]) -> Result:
        """The same for a caller that is no host: the input is checked, and the result is given as it is."""
        given = read_input(name, params)
        extra = {"env_agent_id": env["AGENT_ID"]} if env.get("AGENT_ID") else {}
        event = Event(
            name=name,
            session_id=given.session_id,
            cwd=given.cwd,
            agent_id=given.agent_id,
            host="claude-code",
            extra=extra,
        )
        return self._run(given, event, lambda: self._asked_command(given, event)).result

    def _run(self, given: HookInput, event: Event, command: Callable[[], OwnCommand | None]) -> Answer:
        is_call = event.name in _CALLS
        if not is_call:
            self._idle.pop(event.session_id, None)
        with self.means.work.step():
            case = self._case(given, event, command)
            if is_call:
                self._goes_on(case)
            answer = HANDLERS[str(given.event)](case)
            if event.name in _BEGINNINGS:
                _note_managed(case)
        if answer.begins:
            self.forget()
        elif is_call and case.effort is None and not (case.session and case.session.pending_injections):
            if len(self._idle) >= _MOST:
                self._idle.clear()
            self._idle.setdefault(event.session_id, set()).add(event.agent_id)
        if event.name == EventName.TEAMMATE_IDLE:
            self._idle.clear()  # something may wait for another session now
        return answer

    def _case(self, given: HookInput, event: Event, command: Callable[[], OwnCommand | None]) -> Case[Any]:
        name = _name_of(event)
        sub_agent = None if event.name in _ABOUT_SUB_AGENTS else event.agent_id
        return Case(
            given=given,
            ids=self.means.work.resolve(event.cwd, name, event.session_id, sub_agent),
            agent_id=name or event.session_id,
            named=name is not None,
            host=event.host,
            pane=_text(event, "tmux_pane"),
            tmux=_text(event, "tmux"),
            project_dir=event.project,
            rules=self._rules(event.cwd, event.project),
            means=self.means,
            command=command,
            turn_failed=event.name == EventName.STOP_FAILURE,
        )

    def _asked_command(self, given: HookInput, event: Event) -> OwnCommand | None:
        if not isinstance(given, ToolInput):
            return None
        tool = ToolCall(name=given.tool_name, input=given.tool_input)
        return own_command(self._look(msgspec.structs.replace(event, tool=tool)), self.means.is_program)

    @staticmethod
    def _goes_on(case: Case[Any]) -> None:
        """An agent that calls a tool waits for nobody any more."""
        if case.agent is not None and case.agent.status != "working":
            case.mark("working")


def _note_managed(case: Case[Any]) -> None:
    """Keep whom the policy says that an agent manages, so that views can show a coordinator."""
    manages = case.rules.manages.get(case.agent_id) or case.rules.manages.get(case.label or "")
    if manages:
        case.work.agents.set_manages(case.agent_id, manages)


def _name_of(event: Event) -> str | None:
    """The agent's own name, which its environment has; a payload cannot claim it."""
    return _text(event, "env_agent_id")


def _text(event: Event, name: str) -> str | None:
    value = event.extra.get(name)
    return value if isinstance(value, str) and value else None
