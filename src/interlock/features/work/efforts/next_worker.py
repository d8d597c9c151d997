"""Who will take an effort up that nobody is at work on yet, and what is missing for that."""

from __future__ import annotations

import shlex
from typing import Any, Final, final

from interlock.daemon.agent_processes import Agents
from interlock.daemon.policy_loader import Policies
from interlock.daemon.session_context import SessionContext
from interlock.events.names import EventName
from interlock.features.work.efforts.operations import StartedEffort
from interlock.features.work.hook import WorkHook
from interlock.features.work.records import Session
from interlock.features.work.store import WorkStore

_MOST: Final = 3  # running sessions that are named
_NO_PACK: Final = (
    "the pack `work` is not on here, so no session hears of efforts; "
    "add `settings: {packs: [work]}` to your policy"
)


@final
class NextWorker:
    """For the person who begins an effort: the next steps, as the policy and the running agents have them."""

    def __init__(self, work: WorkStore, agents: Agents, policies: Policies, sessions: SessionContext) -> None:
        self._work: Final = work
        self._agents: Final = agents
        self._policies: Final = policies
        self._context: Final = sessions

    def next_steps(self, begun: StartedEffort, agent: str | None) -> dict[str, Any]:
        """`takes_up` and `running`, where no session is at work on it yet, and what is `missing`."""
        project = self._work.projects.get(begun.task.project_id)
        folder = project.path if project else begun.task.dir_path
        missing = [] if self._has_pack(folder) else [_NO_PACK]
        if begun.session is not None:
            return {"takes_up": None, "running": [], "missing": missing}
        if agent is None:
            who = f"the next session in `{folder}` that has no AGENT_ID"
            running = [self._running(one, begun) for one in self._sessions(folder)]
        else:
            named = shlex.quote(agent)
            who = (
                f"the next session of the agent `{agent}`, which is started with `AGENT_ID={named}` "
                f"or `interlock watch --agent {named} -- claude`"
            )
            running = []
        return {"takes_up": who, "running": running, "missing": missing}

    def _has_pack(self, folder: str) -> bool:
        hooks = self._policies.for_folder(folder).engine.hooks
        return any(
            isinstance(one.handler, WorkHook) and EventName.SESSION_START in one.events for one in hooks
        )

    def _sessions(self, folder: str) -> list[Session]:
        """Those that run in the project now, and go on with what they have."""
        open_ones = self._work.sessions.listed(open_only=True)
        return [
            one
            for one in open_ones
            if one.agent_id is None
            and self._agents.alive(one.host_session_id)
            and self._context.project(one.host_session_id) == folder
        ][:_MOST]

    @staticmethod
    def _running(session: Session, begun: StartedEffort) -> str:
        return (
            f"session {session.id}, which runs already, unless you type "
            f"`interlock effort resume {begun.effort.name} --session {session.id}`"
        )
