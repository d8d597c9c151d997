"""How the work stands, asked for on the socket; an agent sees what was said only in its own effort."""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePath
from typing import Any, Final

import msgspec

from interlock.daemon.caller_kind import Kind
from interlock.daemon.extension import DaemonContext
from interlock.daemon.jsonrpc import PEER, Methods
from interlock.daemon.people_only import person_name
from interlock.features.work.effort_operations import Caller, EffortOperations
from interlock.features.work.files import artifacts_in
from interlock.features.work.records import Code, Effort, RefusedError, Session, Task, invalid
from interlock.features.work.skills import skill_problem
from interlock.features.work.store import WorkStore

Params = dict[str, Any]
Row = dict[str, Any]

_LONGEST: Final = 200  # characters of a name
_POLICY: Final = ".interlock"  # the folder of a project's own
_EFFORT: Final = re.compile(r"[eE]?(\d{1,18})")


class Requester(msgspec.Struct, frozen=True, kw_only=True):
    caller: Caller
    actor: str  # for the ledger
    project_dir: str


class WorkCallers:
    """An agent's process is its session, whatever it claims; a person may speak for any session."""

    def __init__(self, work: WorkStore, context: DaemonContext) -> None:
        self._work: Final = work
        self._context: Final = context
        self._person: Final = person_name()

    def identify(self, params: Params) -> Requester:
        """Who makes a request, and for whom."""
        cwd = text_in(params, "cwd", required=True)
        if not cwd.startswith(os.sep):
            raise invalid(f"`{cwd}` is not an absolute path", "send the absolute path of the folder")
        project_dir = self._context.policies.marked(cwd) or os.path.realpath(cwd)
        standing = self._context.agents.standing(params[PEER])
        if standing.kind is Kind.PERSON and not params.get("mark"):
            return Requester(
                caller=self._person_for(params, cwd), actor=self._person, project_dir=project_dir
            )
        session, sessions = standing.session or None, self._context.sessions
        caller = Caller(
            host_session_id=session,
            agent_id=self._name(session, params),
            cwd=cwd,
            # Changing the shell's folder does not change the agent's project.
            project_dir=(sessions.project(session) if session else None) or project_dir,
        )
        actors = self._context.policies.for_folder(project_dir).actors
        actor = actors.of_main(sessions.chosen(session) if session else None)
        return Requester(caller=caller, actor=actor, project_dir=project_dir)

    def _person_for(self, params: Params, cwd: str) -> Caller:
        session, agent = text_in(params, "session"), text_in(params, "agent") or None
        owner = self.session(session) if session else self._work.agents.get(agent or "")
        host = owner.host_session_id if owner else None
        return Caller(host_session_id=host, agent_id=agent, person=True, cwd=cwd)

    def _name(self, session: str | None, params: Params) -> str | None:
        """The name its hooks reported; a name that a process claims counts if no other session has it."""
        agent = self._work.agents.of_host(session) if session else None
        if agent is not None:
            return agent.id
        claimed = text_in(params, "agent_id")[:_LONGEST]
        row = self._work.agents.get(claimed) if claimed else None
        taken = row is not None and row.host_session_id not in {None, session}
        return claimed if claimed and not taken else session

    def session(self, text: str) -> Session:
        """The one session with this number, or whose host id begins with this text."""
        sessions = self._work.sessions.find_all(text)
        if not sessions:
            raise RefusedError(
                Code.NOT_FOUND, f"there is no session `{text}`", "run `interlock session list --all`"
            )
        if len({session.host_session_id for session in sessions}) > 1:
            raise RefusedError(
                Code.NOT_FOUND, f"several session ids begin with `{text}`", "write more of the id"
            )
        return sessions[0]

    def folder(self, requester: Requester, path: str) -> str:
        """A task's folder as a real path; raise RefusedError for one of Interlock's own.

        The daemon creates it and writes logs there, so an agent may only name one inside its project.
        """
        real = os.path.realpath(Path(requester.caller.cwd or "/") / path)
        if not requester.caller.person and not PurePath(real).is_relative_to(requester.project_dir):
            raise invalid(f"`{path}` is outside the project", "name a folder inside it", path=real)
        ours = any(PurePath(real).is_relative_to(place) for place in self._context.guarded.folders)
        if ours or _POLICY in PurePath(real).parts:
            raise invalid(f"`{path}` belongs to Interlock", "name another folder of the project")
        return real


def text_in(params: Params, name: str, *, required: bool = False) -> str:
    """A string; empty if it is left out and optional."""
    value = params.get(name)
    if value is None and not required:
        return ""
    if not isinstance(value, str) or "\0" in value:
        raise invalid(f"`{name}` is not a string", "send a string", field=name)
    if required and not value.strip():
        raise invalid(f"`{name}` is empty", "give it a value", field=name)
    return value


def effort_in(params: Params) -> int | None:
    """The number of an effort, written `e16` or as a number; None if it is left out."""
    value = params.get("effort")
    if not isinstance(value, str):
        return number_in(params, "effort")
    match = _EFFORT.fullmatch(value.strip())
    if match is None:
        raise invalid(
            f"`{value}` is not an effort",
            "write it as `interlock effort list --all` shows it, such as `e16`",
            field="effort",
        )
    return int(match[1])


def number_in(params: Params, name: str) -> int | None:
    """An id; None if it is left out."""
    value = params.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << 62:
        raise invalid(f"`{name}` is not a valid number", "write it as the lists show it", field=name)
    return value


_SHOWN: Final = 50  # of what belongs to one thing


def as_plain(record: msgspec.Struct) -> Row:
    document: Row = msgspec.to_builtins(record)
    return document


def effort_row(work: WorkStore, effort: Effort) -> Row:
    session = work.sessions.open_main_of(effort.id)
    names = ("id", "host_session_id", "heartbeat_counter", "context_usage")
    held = {name: getattr(session, name) for name in names} if session is not None else None
    return {**as_plain(effort), "task_dir": work.tasks.get(effort.task_id).dir_path, "session": held}


def effort_details(work: WorkStore, effort: Effort) -> Row:
    task = work.tasks.get(effort.task_id)
    sessions = work.sessions.listed(effort_id=effort.id, most=_SHOWN)
    files = artifacts_in(task.dir_path, effort.ordinal)
    return {
        **effort_row(work, effort),
        "task": as_plain(task),
        "phases": [str(label) for label in work.phases.declared(effort)],
        "history": [as_plain(change) for change in work.phases.of_effort(effort.id)],
        "sessions": [session_row(item) for item in sessions],
        "artifacts": [as_plain(item) for item in files[:_SHOWN]],
    }


def task_details(work: WorkStore, task: Task) -> Row:
    efforts = work.efforts.listed(task_id=task.id, most=_SHOWN)
    return {
        **as_plain(work.tasks.summary(task.id)),
        "efforts": [effort_row(work, effort) for effort in efforts],
    }


def session_row(session: Session) -> Row:
    """A session without what fills a page."""
    row = as_plain(session)
    for name in ("recent_calls", "dehydration_payload", "pending_injections"):
        del row[name]
    return {**row, "open": session.open, "dehydrated": session.dehydration_payload is not None}


def session_details(work: WorkStore, session: Session, messages: int) -> Row:
    """A session with its effort, what it left behind, and the last that was said."""
    effort = work.efforts.get(session.effort_id) if session.effort_id is not None else None
    newest = work.messages.of_session(session.id, messages) if messages else []
    return {
        **as_plain(session),
        **session_row(session),
        "effort": effort_row(work, effort) if effort else None,
        "message_count": work.messages.count(session.id),
        "messages": [as_plain(message) for message in newest],
    }


_MOST: Final = 1_000  # rows at once
_USUAL: Final = 50


class WorkViews:
    """Nothing here changes anything."""

    def __init__(self, work: WorkStore, callers: WorkCallers) -> None:
        self._work: Final = work
        self._callers: Final = callers
        self._operations: Final = EffortOperations(work)

    @property
    def methods(self) -> Methods:
        return {
            "work.effort.list": self._efforts,
            "work.effort.show": self._effort,
            "work.task.list": self._tasks,
            "work.task.show": self._task,
            "work.session.list": self._sessions,
            "work.session.show": self._session,
            "work.agents": self._agents,
            "work.messages": self._messages,
        }

    def _efforts(self, params: Params) -> Any:
        requester, task = self._callers.identify(params), text_in(params, "task")
        task_id = self._named_task(requester, task).id if task else None
        project_id = None if task or params.get("everywhere") is True else self._project(requester)
        efforts = self._work.efforts.listed(
            task_id=task_id, project_id=project_id, active=params.get("all") is not True, most=_most(params)
        )
        return {"efforts": [effort_row(self._work, effort) for effort in efforts]}

    def _effort(self, params: Params) -> Any:
        requester, number = self._callers.identify(params), effort_in(params)
        given_effort = self._work.efforts.get(number) if number is not None else None
        effort = given_effort or self._operations.effort_of(requester.caller)
        problem = skill_problem(self._work, effort, keep=False)
        return {**effort_details(self._work, effort), "skill_problem": problem}

    def _tasks(self, params: Params) -> Any:
        requester = self._callers.identify(params)
        project_id = None if params.get("everywhere") is True else self._project(requester)
        return {"tasks": [as_plain(task) for task in self._work.tasks.listed(project_id, most=_most(params))]}

    def _task(self, params: Params) -> Any:
        requester, name = self._callers.identify(params), text_in(params, "task")
        if name:
            return task_details(self._work, self._named_task(requester, name))
        effort = self._operations.effort_of(requester.caller)
        return task_details(self._work, self._work.tasks.get(effort.task_id))

    def _sessions(self, params: Params) -> Any:
        requester = self._callers.identify(params)
        sessions = self._work.sessions.listed(
            effort_id=effort_in(params),
            project_id=self._project(requester) if params.get("here") is True else None,
            open_only=params.get("all") is not True,
            most=_most(params),
        )
        return {"sessions": [self._row(session) for session in sessions]}

    def _row(self, session: Session) -> Row:
        effort = self._work.efforts.get(session.effort_id) if session.effort_id is not None else None
        effort_facts = {"skill": effort.skill, "phase": effort.current_phase} if effort else {}
        return {**session_row(session), "skill": None, "phase": None, **effort_facts}

    def _session(self, params: Params) -> Any:
        requester = self._callers.identify(params)
        session = self._find_session(requester, text_in(params, "id"))
        count = _most({"limit": params.get("messages", 10)}, least=0)
        return session_details(self._work, session, count if self._may_read(requester, session) else 0)

    def _agents(self, params: Params) -> Any:
        return {"agents": [as_plain(agent) for agent in self._work.agents.listed(most=_most(params))]}

    def _messages(self, params: Params) -> Any:
        requester, most, before = self._callers.identify(params), _most(params), number_in(params, "before")
        effort_id, messages = effort_in(params), self._work.messages
        if effort_id is not None:
            effort = self._work.efforts.get(effort_id)
            may = requester.caller.person or self._operations.effort_of(requester.caller).id == effort.id
            rows = messages.of_effort(effort.id, most, before) if may else []
        else:
            session = self._find_session(requester, text_in(params, "id"))
            may = self._may_read(requester, session)
            rows = messages.of_session(session.id, most, before) if may else []
        if not may:
            raise RefusedError(
                Code.NOT_YOURS,
                "only people may read the messages of other efforts",
                "read your own with `interlock messages`",
            )
        return {"messages": [as_plain(message) for message in rows]}

    def _find_session(self, requester: Requester, text: str) -> Session:
        """The session that is named, or the one somebody is in."""
        if text:
            return self._callers.session(text)
        if requester.caller.host_session_id:
            last = self._work.sessions.last_of(requester.caller.host_session_id)
            if last is not None:
                return last
        raise RefusedError(
            Code.NO_SESSION, "no session given", "give its number as `interlock session list` shows it"
        )

    def _may_read(self, requester: Requester, session: Session) -> bool:
        caller = requester.caller
        if caller.person or session.host_session_id == caller.host_session_id:
            return True
        last = self._work.sessions.last_of(caller.host_session_id) if caller.host_session_id else None
        return last is not None and last.effort_id is not None and last.effort_id == session.effort_id

    def _named_task(self, requester: Requester, text: str) -> Task:
        if text.isdecimal() and len(text) < len(str(1 << 31)):
            return self._work.tasks.get(int(text))
        task = self._work.tasks.find(self._callers.folder(requester, text))
        if task is None:
            raise RefusedError(
                Code.NOT_FOUND, f"`{text}` is not a task", "run `interlock task list --everywhere`"
            )
        return task

    def _project(self, requester: Requester) -> int:
        """The project somebody is in; 0, which is none, where nothing was begun yet."""
        project = self._work.projects.find(requester.project_dir)
        return project.id if project else 0


def _most(params: Params, least: int = 1) -> int:
    number = number_in(params, "limit")
    return min(max(_USUAL if number is None else number, least), _MOST)
