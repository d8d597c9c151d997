"""`hooks.sessionStart` … `hooks.configChange`: the event handlers as methods on the socket."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final, final

import msgspec

from interlock.daemon.extension import DaemonContext
from interlock.daemon.jsonrpc import PEER, Methods
from interlock.daemon.people_only import person_name
from interlock.events.names import EventName
from interlock.features.work.errors import Code, RefusedError
from interlock.features.work.rpc_callers import answering
from interlock.features.work.service import WorkService
from interlock.features.work.skills.project_skills import fleet_start

METHODS: Final[dict[str, EventName]] = {
    "hooks.sessionStart": EventName.SESSION_START,
    "hooks.sessionEnd": EventName.SESSION_END,
    "hooks.preCompact": EventName.PRE_COMPACT,
    "hooks.preToolUse": EventName.PRE_TOOL_USE,
    "hooks.postToolUse": EventName.POST_TOOL_USE,
    "hooks.postToolUseFailure": EventName.POST_TOOL_USE_FAILURE,
    "hooks.stop": EventName.STOP,
    "hooks.userPrompt": EventName.USER_PROMPT_SUBMIT,
    "hooks.userPromptSubmit": EventName.USER_PROMPT_SUBMIT,
    "hooks.notification": EventName.NOTIFICATION,
    "hooks.permissionRequest": EventName.PERMISSION_REQUEST,
    "hooks.teammateIdle": EventName.TEAMMATE_IDLE,
    "hooks.taskCompleted": EventName.TASK_COMPLETED,
    "hooks.subagentStart": EventName.SUBAGENT_START,
    "hooks.subagentStop": EventName.SUBAGENT_STOP,
    "hooks.configChange": EventName.CONFIG_CHANGE,
}
FLEET_START: Final = "hooks.fleetStart"
_BESIDE: Final = (PEER, "env", "mark")  # sent with the event, but not part of it


@final
class WorkHookMethods:
    """The handlers that hooks run; an agent's process may only report its own session."""

    def __init__(self, service: WorkService, context: DaemonContext) -> None:
        self._service: Final = service
        self._context: Final = context

    @property
    def methods(self) -> Methods:
        """By name."""
        found = {name: answering(partial(self._handle, name)) for name in METHODS}
        return {**found, FLEET_START: answering(self._fleet_start)}

    def _handle(self, method: str, params: dict[str, Any]) -> Any:
        given = {name: value for name, value in params.items() if name not in _BESIDE}
        session = given.get("session_id", given.get("sessionId"))
        actor = self._actor(params, session)
        result = self._service.hooks.ask(METHODS[method], given, _environment(params))
        self._record(method, actor, {"session_id": session}, str(given.get("cwd") or ""))
        return msgspec.to_builtins(result)

    def _fleet_start(self, params: dict[str, Any]) -> Any:
        cwd = params.get("cwd")
        if not isinstance(cwd, str) or not cwd.startswith("/"):
            wrong = "the field `cwd` is missing" if cwd is None else f"`{cwd}` is not an absolute path"
            raise RefusedError(Code.VALIDATION_ERROR, wrong, "send `cwd` as an absolute path")
        actor = self._actor(params, None)
        work, services = self._service.work, self._service.hooks.services
        with work.step():
            project = work.projects.find(cwd) or work.projects.of(self._context.policies.marked(cwd) or cwd)
            result = fleet_start(work, project, services.skill_folders)
        self._record(FLEET_START, actor, {"skills": len(result.skills), "errors": len(result.errors)}, cwd)
        return msgspec.to_builtins(result)

    def _actor(self, params: dict[str, Any], session: object) -> str:
        """Who makes the request; raise RefusedError for an agent that reports another's session."""
        above = self._context.agents.above(params[PEER])
        if above is None:
            return person_name()
        if session is not None and session != above:
            raise RefusedError(
                Code.NOT_YOURS,
                f"this process belongs to session `{above}`, not to `{session}`",
                "report your own session",
            )
        return self._context.policies.for_folder(str(params.get("cwd") or "")).actors.of_main(None)

    def _record(self, method: str, actor: str, about: dict[str, object], cwd: str) -> None:
        """A change needs an entry; without one it is undone."""
        self._context.ledger.append(
            "work", actor, self._context.policies.marked(cwd) or cwd, {"deed": method, **about}
        )
        if not self._context.committer.commit():
            raise ValueError("this could not be recorded, so nothing was changed; try again in a moment")


def _environment(params: Mapping[str, Any]) -> dict[str, str]:
    """The environment variables sent with the request."""
    env = params.get("env") or {}
    if not isinstance(env, dict) or not all(isinstance(value, str) for value in env.values()):
        raise RefusedError(
            Code.VALIDATION_ERROR, "`env` is not an object of strings", 'write {"AGENT_ID": "…"}'
        )
    return env
