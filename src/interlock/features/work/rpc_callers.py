"""Who makes a request about the work, for which session, and in which folder."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path, PurePath
from typing import Any, Final

import msgspec

from interlock.daemon.caller_kind import Kind
from interlock.daemon.extension import DaemonContext
from interlock.daemon.jsonrpc import PEER
from interlock.daemon.people_only import person_name
from interlock.errors import StoreError
from interlock.features.work.efforts.operations import Caller
from interlock.features.work.errors import Code, RefusedError
from interlock.features.work.records import Session
from interlock.features.work.store import WorkStore

_LONGEST: Final = 200  # characters of a name
_POLICY: Final = ".interlock"  # the folder of a project's own
_EFFORT: Final = re.compile(r"[eE]?(\d{1,18})")


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """The caller of a request."""

    doer: Caller
    actor: str  # for the ledger
    project_dir: str


class WorkCallers:
    """An agent's process is its session, whatever it claims; a person may speak for any session."""

    def __init__(self, work: WorkStore, context: DaemonContext) -> None:
        self._work: Final = work
        self._context: Final = context
        self._person: Final = person_name()

    def asked(self, params: dict[str, Any]) -> Asked:
        """Who makes a request, and for whom."""
        cwd = text_in(params, "cwd", required=True)
        if not cwd.startswith(os.sep):
            raise RefusedError(
                Code.VALIDATION_ERROR,
                f"`{cwd}` is not an absolute path",
                "send the absolute path of the folder",
            )
        project_dir = self._context.policies.marked(cwd) or os.path.realpath(cwd)
        found = self._context.agents.standing(params[PEER])
        if found.kind is Kind.PERSON and not params.get("mark"):
            return Asked(doer=self._for(params, cwd), actor=self._person, project_dir=project_dir)
        session = found.session or None
        doer = Caller(
            host_session_id=session,
            agent_id=self._name(session, params),
            cwd=cwd,
            # Changing the shell's folder does not change the agent's project.
            project_dir=(self._context.sessions.project(session) if session else None) or project_dir,
        )
        chosen = self._context.sessions.chosen(session) if session else None
        actor = self._context.policies.for_folder(project_dir).actors.of_main(chosen)
        return Asked(doer=doer, actor=actor, project_dir=project_dir)

    def _for(self, params: dict[str, Any], cwd: str) -> Caller:
        named, agent = text_in(params, "session"), text_in(params, "agent") or None
        if named:
            host: str | None = self.session(named).host_session_id
        else:
            row = self._work.agents.get(agent) if agent else None
            host = row.host_session_id if row else None
        return Caller(host_session_id=host, agent_id=agent, person=True, cwd=cwd)

    def _name(self, session: str | None, params: dict[str, Any]) -> str | None:
        """The name its hooks reported; a name that a process claims counts if no other session has it."""
        known = self._work.agents.of_host(session) if session else None
        if known is not None:
            return known.id
        claimed = text_in(params, "agent_id")[:_LONGEST]
        row = self._work.agents.get(claimed) if claimed else None
        taken = row is not None and row.host_session_id not in {None, session}
        return claimed if claimed and not taken else session

    def session(self, text: str) -> Session:
        """The one session with this number, or whose host id begins with this text."""
        found = self._work.sessions.named(text)
        if not found:
            raise RefusedError(
                Code.NOT_FOUND, f"there is no session `{text}`", "run `interlock session list --all`"
            )
        if len({one.host_session_id for one in found}) > 1:
            raise RefusedError(
                Code.NOT_FOUND, f"several session ids begin with `{text}`", "write more of the id"
            )
        return found[0]

    def folder(self, asked: Asked, path: str) -> str:
        """A task's folder as a real path; raise RefusedError for one of Interlock's own.

        The daemon creates it and writes logs there, so an agent may only name one inside its project.
        """
        real = os.path.realpath(Path(asked.doer.cwd or "/") / path)
        outside = not asked.doer.person and not PurePath(real).is_relative_to(asked.project_dir)
        if outside:
            raise RefusedError(
                Code.VALIDATION_ERROR,
                f"`{path}` is outside the project",
                "name a folder inside it",
                path=real,
            )
        ours = any(PurePath(real).is_relative_to(one) for one in self._context.guarded.folders)
        if ours or _POLICY in PurePath(real).parts:
            raise RefusedError(
                Code.VALIDATION_ERROR, f"`{path}` belongs to Interlock", "name another folder of the project"
            )
        return real


def text_in(params: dict[str, Any], name: str, *, required: bool = False) -> str:
    """A string; empty if it is left out and optional."""
    value = params.get(name)
    if value is None and not required:
        return ""
    if not isinstance(value, str) or "\0" in value:
        raise RefusedError(Code.VALIDATION_ERROR, f"`{name}` is not a string", "send a string", field=name)
    if required and not value.strip():
        raise RefusedError(Code.VALIDATION_ERROR, f"`{name}` is empty", "give it a value", field=name)
    return value


def effort_in(params: dict[str, Any]) -> int | None:
    """The number of an effort, written `e16` or as a number; None if it is left out."""
    value = params.get("effort")
    if not isinstance(value, str):
        return number_in(params, "effort")
    found = _EFFORT.fullmatch(value.strip())
    if found is None:
        raise RefusedError(
            Code.VALIDATION_ERROR,
            f"`{value}` is not an effort",
            "write it as `interlock effort list --all` shows it, such as `e16`",
            field="effort",
        )
    return int(found[1])


def number_in(params: dict[str, Any], name: str) -> int | None:
    """An id; None if it is left out."""
    value = params.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << 62:
        raise RefusedError(
            Code.VALIDATION_ERROR,
            f"`{name}` is not a valid number",
            "write it as the lists show it",
            field=name,
        )
    return value


def answering(method: Callable[[dict[str, Any]], Any]) -> Callable[[dict[str, Any]], Any]:
    """The method, with an error of the store as its answer."""

    def answer(params: dict[str, Any]) -> Any:
        try:
            return method(params)
        except StoreError as error:
            raise ValueError(str(error)) from error

    return answer
