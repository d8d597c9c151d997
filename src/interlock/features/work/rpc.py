"""The requests on the socket that change something in the work, and those that report a host's event."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final, final

import msgspec

from interlock.daemon.extension import DaemonContext
from interlock.daemon.jsonrpc import PEER, Methods
from interlock.daemon.people_only import person_name
from interlock.events.names import EventName
from interlock.features.work.effort_operations import Assignment, EffortOperations
from interlock.features.work.files import append_entry, read_payload
from interlock.features.work.hook import WorkHook
from interlock.features.work.phase_rules import problems
from interlock.features.work.records import Code, RefusedError, Session, invalid
from interlock.features.work.recovery_text import recovery_for
from interlock.features.work.requests import REQUESTS
from interlock.features.work.rpc_views import (
    Requester,
    WorkCallers,
    WorkViews,
    as_plain,
    effort_in,
    effort_row,
    session_row,
    text_in,
)
from interlock.features.work.service import WorkService
from interlock.features.work.skills import fleet_start, skill_problem
from interlock.features.work.store import WorkStore

# `hooks.sessionStart`, `hooks.preToolUse` …; prompts have a shorter name as well.
METHODS: Final[dict[str, str]] = {f"hooks.{name[0].lower()}{name[1:]}": name for name in REQUESTS} | {
    "hooks.userPrompt": EventName.USER_PROMPT_SUBMIT
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
        return {**{name: partial(self._handle, name) for name in METHODS}, FLEET_START: self._fleet_start}

    def _handle(self, method: str, params: dict[str, Any]) -> Any:
        event = {name: value for name, value in params.items() if name not in _BESIDE}
        session = event.get("session_id", event.get("sessionId"))
        actor = self._actor(params, session)
        result = self._service.hooks.ask(METHODS[method], event, _environment(params))
        self._record(method, actor, {"session_id": session}, str(event.get("cwd") or ""))
        return msgspec.to_builtins(result)

    def _fleet_start(self, params: dict[str, Any]) -> Any:
        cwd = params.get("cwd")
        if not isinstance(cwd, str) or not cwd.startswith("/"):
            wrong = "the field `cwd` is missing" if cwd is None else f"`{cwd}` is not an absolute path"
            raise invalid(wrong, "send `cwd` as an absolute path")
        actor = self._actor(params, None)
        work, services = self._service.work, self._service.hooks.services
        with work.step():
            project = work.projects.find(cwd) or work.projects.ensure(
                self._context.policies.marked(cwd) or cwd
            )
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

    def _record(self, method: str, actor: str, details: dict[str, object], cwd: str) -> None:
        """A change needs an entry; without one it is undone."""
        folder = self._context.policies.marked(cwd) or cwd
        self._context.ledger.append("work", actor, folder, {"deed": method, **details})
        _commit(self._context)


def _environment(params: Mapping[str, Any]) -> dict[str, str]:
    env = params.get("env") or {}
    if not isinstance(env, dict) or not all(isinstance(value, str) for value in env.values()):
        raise invalid("`env` is not an object of strings", 'write {"AGENT_ID": "…"}')
    return env


_MOST: Final = 3  # running sessions to name
_NO_PACK: Final = (
    "the pack `work` is not enabled here, so sessions are not told about efforts; add `settings: "
    "{packs: [work]}` to your policy"
)
Params = dict[str, Any]


def work_methods(service: WorkService, context: DaemonContext) -> Methods:
    callers = WorkCallers(service.work, context)
    return {
        **WorkMethods(service.work, callers, context, service.forget).methods,
        **WorkViews(service.work, callers).methods,
        **WorkHookMethods(service, context).methods,
    }


class WorkMethods:
    """Requests that change something; each is recorded with who made it, and files are written after that."""

    def __init__(
        self, work: WorkStore, callers: WorkCallers, context: DaemonContext, changed: Callable[[], None]
    ) -> None:
        self._work: Final = work
        self._callers: Final = callers
        self._context: Final = context
        self._changed: Final = changed  # sessions may be working on something else now
        self._operations: Final = EffortOperations(work)

    @property
    def methods(self) -> Methods:
        return {
            "work.effort.start": self._start,
            "work.effort.resume": self._resume,
            "work.effort.finish": self._finish,
            "work.effort.phase": self._phase,
            "work.session.dehydrate": self._dehydrate,
            "work.log": self._log,
        }

    def _start(self, params: Params) -> Any:
        requester = self._callers.identify(params)
        task_dir = self._callers.folder(requester, text_in(params, "task", required=True))
        metadata = params.get("metadata")
        if metadata is not None and not isinstance(metadata, dict):
            raise invalid("`metadata` is not an object", "send a JSON object")
        if metadata and not requester.caller.person:
            raise invalid("only a person may set an effort's metadata", "leave it out")
        _check_guards(metadata or {})
        with self._lasting_step():
            assignment = self._operations.start(
                requester.caller,
                project_dir=requester.project_dir,
                task_dir=task_dir,
                skill=text_in(params, "skill", required=True),
                mode=text_in(params, "mode") or None,
                title=text_in(params, "title") or None,
                metadata=metadata,
            )
            problem = skill_problem(self._work, assignment.effort, keep=True)
            self._record(requester, "effort.start", _ledger_fields(assignment))
        _make_folder(assignment.task.dir_path)
        return {**self._describe(assignment, requester), "skill_problem": problem}

    def _resume(self, params: Params) -> Any:
        requester = self._callers.identify(params)
        task = text_in(params, "task")
        task_dir = self._callers.folder(requester, task) if task else None
        with self._lasting_step():
            assignment = self._operations.resume(requester.caller, effort_in(params), task_dir)
            problem = skill_problem(self._work, assignment.effort, keep=True)
            self._record(requester, "effort.resume", _ledger_fields(assignment))
        recovery = recovery_for(self._work, assignment.effort, assignment.session)
        return {**self._describe(assignment, requester), "recovery": recovery, "skill_problem": problem}

    def _finish(self, params: Params) -> Any:
        requester, keywords = self._callers.identify(params), params.get("keywords") or []
        if not isinstance(keywords, list) or not all(isinstance(word, str) for word in keywords):
            raise invalid("`keywords` is not a list of strings", "send a JSON list of strings")
        with self._lasting_step():
            effort = self._operations.finish(requester.caller, effort_in(params), keywords)
            self._record(requester, "effort.finish", {"effort": effort.id, "skill": effort.skill})
        return {"effort": effort_row(self._work, effort)}

    def _phase(self, params: Params) -> Any:
        requester = self._callers.identify(params)
        label, reason = text_in(params, "label", required=True), text_in(params, "reason") or None
        with self._lasting_step():
            current = self._operations.effort_of(requester.caller, effort_in(params))
            skill_problem(self._work, current, keep=True)
            effort, change = self._operations.enter(
                requester.caller, label, effort_id=current.id, proof=params.get("proof"), reason=reason
            )
            body = {"effort": effort.id, "phase": effort.current_phase, "reason": reason}
            self._record(requester, "effort.phase", {**body, "changed": change is not None})
        return {"effort": effort_row(self._work, effort), "change": as_plain(change) if change else None}

    def _log(self, params: Params) -> Any:
        requester, text = self._callers.identify(params), text_in(params, "text", required=True)
        with self._lasting_step():
            logged = self._operations.log(requester.caller, text, effort_in(params))
            self._record(requester, "log", {"effort": logged.effort.id, "path": str(logged.path)})
        append_entry(logged.path, logged.entry)
        heading = next(line for line in logged.entry.splitlines() if line.startswith("## ["))
        return {"effort": logged.effort.id, "path": str(logged.path), "heading": heading}

    def _dehydrate(self, params: Params) -> Any:
        requester = self._callers.identify(params)
        payload = read_payload(params.get("payload"))
        with self._lasting_step():
            session = self._operations.dehydrate(requester.caller, payload)
            self._record(requester, "session.dehydrate", {"session": session.id, "effort": session.effort_id})
        return {"session": session_row(session)}

    def _describe(self, assignment: Assignment, requester: Requester) -> dict[str, Any]:
        return {
            "effort": effort_row(self._work, assignment.effort),
            "task": as_plain(assignment.task),
            "session": session_row(assignment.session) if assignment.session else None,
            **self._next_steps(assignment, requester.caller.agent_id),
        }

    def _next_steps(self, assignment: Assignment, agent: str | None) -> dict[str, Any]:
        """Who takes the effort up, if no session is working on it yet, and what is missing for that."""
        project = self._work.projects.get(assignment.task.project_id)
        folder = project.path if project else assignment.task.dir_path
        hooks = self._context.policies.for_folder(folder).engine.hooks
        begins = EventName.SESSION_START
        has_pack = any(isinstance(hook.handler, WorkHook) and begins in hook.events for hook in hooks)
        missing = [] if has_pack else [_NO_PACK]
        if assignment.session is not None:
            return {"takes_up": None, "running": [], "missing": missing}
        if agent is not None:
            name = shlex.quote(agent)
            who = (
                f"the next session of the agent `{agent}`; start it with `AGENT_ID={name}` "
                f"or `interlock watch --agent {name} -- claude`"
            )
            return {"takes_up": who, "running": [], "missing": missing}
        running = [
            f"session {session.id}, which is already running; to use it, run "
            f"`interlock effort resume {assignment.effort.name} --session {session.id}`"
            for session in self._running_in(folder)
        ]
        who = f"the next session in `{folder}` that has no AGENT_ID"
        return {"takes_up": who, "running": running, "missing": missing}

    def _running_in(self, folder: str) -> list[Session]:
        """Sessions that are running in the project; they keep what they are working on."""
        alive, project = self._context.agents.alive, self._context.sessions.project
        return [
            session
            for session in self._work.sessions.listed(open_only=True)
            if session.agent_id is None
            and alive(session.host_session_id)
            and project(session.host_session_id) == folder
        ][:_MOST]

    def _record(self, requester: Requester, deed: str, body: dict[str, Any]) -> None:
        values = {name: value for name, value in body.items() if value is not None}
        entry = {"deed": deed, "session_id": requester.caller.host_session_id or "", **values}
        self._context.ledger.append("work", requester.actor, requester.project_dir, entry)

    @contextmanager
    def _lasting_step(self) -> Iterator[None]:
        """One change, which is on disk afterwards."""
        try:
            with self._work.step():
                yield
        finally:
            self._changed()
        _commit(self._context)


def _commit(context: DaemonContext) -> None:
    if not context.committer.commit():
        raise ValueError("this could not be recorded, so nothing was changed; try again in a moment")


def _check_guards(metadata: dict[str, Any]) -> None:
    """Refuse a rule that can never hold; it would be kept and never fire."""
    wrong = problems(metadata["guards"]) if "guards" in metadata else ()
    if wrong:
        sentence, _, next_step = wrong[0].partition("; ")
        raise invalid(sentence, next_step or "correct it", field="guards")


def _ledger_fields(assignment: Assignment) -> dict[str, Any]:
    effort, session = assignment.effort, assignment.session
    values = {
        "effort": effort.id,
        "skill": effort.skill,
        "mode": effort.mode,
        "task": assignment.task.dir_path,
    }
    return {**values, "session": session.id if session else None}


def _make_folder(path: str) -> None:
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise invalid(
            f"the effort was started, but the folder `{path}` cannot be created: {error.strerror or error}",
            "create the folder yourself",
            path=path,
        ) from error
