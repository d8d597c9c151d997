"""Who asks about the work, for which session, and in which folder."""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePath
from typing import Any, Final

import msgspec

from interlock.daemon.agent_processes import Agents
from interlock.daemon.caller_kind import Kind
from interlock.daemon.jsonrpc import PEER
from interlock.daemon.policy_loader import Policies
from interlock.daemon.session_context import SessionContext
from interlock.features.work.efforts.operations import Caller
from interlock.features.work.errors import Code, RefusedError
from interlock.features.work.records import Session
from interlock.features.work.store import WorkStore
from interlock.policy.protected_paths import Guarded

_LONGEST: Final = 200  # characters of a name
_POLICY: Final = ".interlock"  # the folder of a project's own
_EFFORT: Final = re.compile(r"[eE]?(\d{1,18})")


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody who asks."""

    doer: Caller
    actor: str  # for the record
    project_dir: str


class WorkCallers:
    """An agent's process is its session, whatever it says; a person may speak for any."""

    def __init__(
        self,
        work: WorkStore,
        agents: Agents,
        policies: Policies,
        *,
        guarded: Guarded,
        person: str,
        sessions: SessionContext,
    ) -> None:
        self._work: Final = work
        self._agents: Final = agents
        self._policies: Final = policies
        self._guarded: Final = guarded
        self._person: Final = person
        self._sessions: Final = sessions  # what each session's host says of it

    def asked(self, params: dict[str, Any]) -> Asked:
        """Who asks, and for whom."""
        cwd = text_in(params, "cwd", required=True)
        if not cwd.startswith(os.sep):
            raise RefusedError(Code.VALIDATION_ERROR, f"`{cwd}` is no absolute folder", "send the whole path")
        project_dir = self._policies.marked(cwd) or os.path.realpath(cwd)
        found = self._agents.standing(params[PEER])
        if found.kind is Kind.PERSON and not params.get("mark"):
            return Asked(doer=self._for(params, cwd), actor=self._person, project_dir=project_dir)
        session = found.session or None
        doer = Caller(
            host_session_id=session,
            agent_id=self._name(session, params),
            cwd=cwd,
            # Where its shell happens to be makes no other project the agent's.
            project_dir=(self._sessions.project(session) if session else None) or project_dir,
        )
        chosen = self._sessions.chosen(session) if session else None
        actor = self._policies.for_folder(project_dir).actors.of_main(chosen)
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
        """As its hooks told it; a name that a process claims counts where nobody else has it."""
        known = self._work.agents.of_host(session) if session else None
        if known is not None:
            return known.id
        claimed = text_in(params, "agent_id")[:_LONGEST]
        row = self._work.agents.get(claimed) if claimed else None
        taken = row is not None and row.host_session_id not in {None, session}
        return claimed if claimed and not taken else session

    def session(self, text: str) -> Session:
        """The one session a number, a host's id or the beginning of one stands for."""
        found = self._work.sessions.named(text)
        if not found:
            raise RefusedError(
                Code.NOT_FOUND, f"there is no session `{text}`", "see `interlock session list --all`"
            )
        if len({one.host_session_id for one in found}) > 1:
            raise RefusedError(
                Code.NOT_FOUND, f"`{text}` begins the names of several sessions", "write more of it"
            )
        return found[0]

    def folder(self, asked: Asked, path: str) -> str:
        """A task's folder as a real path; raise RefusedError for one of our own.

        We make it and write its logs, so an agent names none outside the project it is in.
        """
        real = os.path.realpath(Path(asked.doer.cwd or "/") / path)
        outside = not asked.doer.person and not PurePath(real).is_relative_to(asked.project_dir)
        if outside:
            raise RefusedError(
                Code.VALIDATION_ERROR, f"`{path}` is outside the project", "name a folder in it", path=real
            )
        ours = any(PurePath(real).is_relative_to(one) for one in self._guarded.folders)
        if ours or _POLICY in PurePath(real).parts:
            raise RefusedError(
                Code.VALIDATION_ERROR, f"`{path}` belongs to Interlock", "name a folder of the project"
            )
        return real


def text_in(params: dict[str, Any], name: str, *, required: bool = False) -> str:
    """A text; empty where it is not said and need not be."""
    value = params.get(name)
    if value is None and not required:
        return ""
    if not isinstance(value, str) or "\0" in value:
        raise RefusedError(Code.VALIDATION_ERROR, f"`{name}` is no text", "write it as one", field=name)
    if required and not value.strip():
        raise RefusedError(Code.VALIDATION_ERROR, f"`{name}` is empty", "say something", field=name)
    return value


def effort_in(params: dict[str, Any]) -> int | None:
    """The number of the effort that is meant, as people write it, `e16`, or bare; None where none is said."""
    value = params.get("effort")
    if not isinstance(value, str):
        return number_in(params, "effort")
    found = _EFFORT.fullmatch(value.strip())
    if found is None:
        raise RefusedError(
            Code.VALIDATION_ERROR,
            f"`{value}` is no effort",
            "write its number as `interlock effort list --all` shows it, as in `e16`",
            field="effort",
        )
    return int(found[1])


def number_in(params: dict[str, Any], name: str) -> int | None:
    """A number of ours; None where it is not said."""
    value = params.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << 62:
        raise RefusedError(
            Code.VALIDATION_ERROR, f"`{name}` is no number", "write it as lists show it", field=name
        )
    return value
