"""The list of handlers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from interlock.events.names import EventName
from interlock.features.work.event_context import Answer, Case
from interlock.features.work.handlers.config_change import config_change
from interlock.features.work.handlers.notification import notification
from interlock.features.work.handlers.permission_request import permission_request
from interlock.features.work.handlers.post_tool_use import post_tool_use
from interlock.features.work.handlers.post_tool_use_failure import post_tool_use_failure
from interlock.features.work.handlers.pre_compact import pre_compact
from interlock.features.work.handlers.pre_tool_use import pre_tool_use
from interlock.features.work.handlers.session_end import session_end
from interlock.features.work.handlers.session_start import session_start
from interlock.features.work.handlers.stop import stop
from interlock.features.work.handlers.subagent_start import subagent_start
from interlock.features.work.handlers.subagent_stop import subagent_stop
from interlock.features.work.handlers.task_completed import task_completed
from interlock.features.work.handlers.teammate_idle import teammate_idle
from interlock.features.work.handlers.user_prompt import user_prompt

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
