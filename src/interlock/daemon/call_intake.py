"""A call as it is taken up: read, bound to its policy and its actor; or the reason why it cannot be."""

from __future__ import annotations

import logging
from typing import Final

from interlock.daemon.answer import Opened, Unopened, identity_of
from interlock.daemon.policy_loader import Loaded, Policies
from interlock.daemon.protocol import Call
from interlock.daemon.session_context import SessionContext
from interlock.errors import PayloadError
from interlock.events.event import Event
from interlock.events.names import JUDGED
from interlock.hosts.all_hosts import HOSTS
from interlock.hosts.host import with_actor

_log: Final = logging.getLogger(__name__)


class CallIntake:
    """Opens the calls of a turn; those that share a turn share the look at the policy's files."""

    def __init__(self, policies: Policies, sessions: SessionContext) -> None:
        self._policies: Final = policies
        self._sessions: Final = sessions
        self._looked: Final[dict[tuple[str, str | None], Loaded]] = {}

    def open(self, call: Call) -> Opened | Unopened:
        """Whatever is wrong with a call is a value: it is answered in its turn, like the others."""
        host = HOSTS.get(call.host)
        if host is None:
            names = ", ".join(HOSTS)
            reason = f"Interlock knows no host `{call.host}` ({names}); run `interlock install` again"
            return Unopened(host=None, call=call, reason=reason)
        try:
            env = call.env
            event = host.read(call.payload, env)
            where = (event.cwd, env.get("CLAUDE_PROJECT_DIR"))
            loaded = self._looked.get(where) or self._look(where, event)
            chosen = env.get("INTERLOCK_ACTOR")
            event = with_actor(event, loaded.actors, chosen)
            event = self._sessions.enrich(event, loaded, chosen)
            return Opened(host, event, loaded, identity_of(event, call.payload))
        except PayloadError as error:
            return Unopened(
                host=host, call=call, kind=error.kind, reason=str(error), event_name=error.event_name
            )
        except Exception as error:  # noqa: BLE001 - whatever it is, a call nobody could read must not pass
            _log.error("a call could not be read", exc_info=error)
            return Unopened(host=host, call=call, kind="defect", reason=repr(error))

    def _look(self, where: tuple[str, str | None], event: Event) -> Loaded:
        loaded = self._policies.for_folder(*where)
        if event.name in JUDGED:  # its commit ends this turn; after an observed one that may be long
            self._looked[where] = loaded
        return loaded

    def end_turn(self) -> None:
        """Whatever comes next looks at the policy's files again."""
        self._looked.clear()
