"""Which sessions run below which `interlock watch`: the kernel says who started whom."""

from __future__ import annotations

from typing import Final, final

from interlock.daemon.process_tree import Process, ancestors, process

_MOST: Final = 64  # that watch at a time
_SESSIONS: Final = 32  # of one of them

_Key = tuple[int, str]  # a process, and when it started


@final
class Watched:
    """Keeps what hook calls tell for as long as somebody asks; who asks is known from then on."""

    def __init__(self) -> None:
        self._sessions: Final[dict[_Key, dict[str, int]]] = {}
        self._heard = 0

    def below(self, pid: int) -> dict[str, int]:
        """The sessions below a process since it first asked; that with the highest number was heard last."""
        found = process(pid)
        if found is None:
            return {}
        key = (found.pid, found.started)
        if key not in self._sessions:
            self._make_room()
            self._sessions[key] = {}
        return dict(self._sessions[key])

    def met(self, host: Process, session: str) -> None:
        """A session of a host was heard of."""
        if not self._sessions or not session:
            return
        self._heard += 1
        for one in ancestors(host.pid):
            sessions = self._sessions.get((one.pid, one.started))
            if sessions is None:
                continue
            sessions.pop(session, None)
            sessions[session] = self._heard
            if len(sessions) > _SESSIONS:
                del sessions[next(iter(sessions))]

    def _make_room(self) -> None:
        if len(self._sessions) < _MOST:
            return
        gone = [
            key for key in self._sessions if (found := process(key[0])) is None or found.started != key[1]
        ]
        for key in gone or list(self._sessions)[:1]:
            del self._sessions[key]
