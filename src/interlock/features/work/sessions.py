"""Context windows, begun, worked in, ended and never resumed, and what was said in them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Final, final

from interlock.features.work.records import Code, Effort, Message, RefusedError, Session, Table, with_more

MOST: Final = 1_000
GONE: Final = "gone"  # why a session ended whose process ended without a word
COMPACTION: Final = "compaction"  # why a session ended whose host began to summarise it
_DIGITS: Final = 9  # of a number of ours
_RECENT: Final = 16  # calls remembered, so that none counts twice


@final
class Sessions(Table):
    """A session without `agent_id` is a main one; a sub-agent's stands beside it on the same effort."""

    file: ClassVar = "work_sessions"

    def start(
        self,
        *,
        host: str,
        host_session_id: str,
        effort: Effort | None = None,
        agent_id: str | None = None,
        transcript_path: str | None = None,
        pid: int | None = None,
    ) -> Session:
        """Begin one; what it replaces ends: this window's own and, for a main one, its effort's."""
        window = {"host_session_id": host_session_id, "agent_id": agent_id}
        before = self._find(Session, "last_of_window", **window)
        previous = before if effort is None or agent_id is not None else self.last_main_of(effort.id)
        # A window may go on in the same file; what was read of it must not be read again.
        same_file = before is not None and before.transcript_path == transcript_path is not None
        self._run("end_window", **window)
        if effort is not None and agent_id is None:
            self._run("end_main_of", effort_id=effort.id)
        return self._require(
            Session,
            "start",
            host=host,
            task_id=effort.task_id if effort else None,
            effort_id=effort.id if effort else None,
            prev_session_id=previous.id if previous else None,
            pid=pid,
            transcript_path=transcript_path,
            transcript_offset=before.transcript_offset if before is not None and same_file else 0,
            **window,
            **_collect_directives(previous, effort),
        )

    def attach(self, session_id: int, effort: Effort) -> Session:
        """Let a window work on an effort; one that was at another before goes on as a session of its own."""
        session = self._open(session_id)
        if session.effort_id == effort.id:
            return session
        if session.effort_id is None and session.agent_id is None:
            previous = self.last_main_of(effort.id)
            self._run("end_main_of", effort_id=effort.id)
            values = {"task_id": effort.task_id, "prev_session_id": previous.id if previous else None}
            return self._require(Session, "attach", id=session_id, effort_id=effort.id, **values)
        return self.start(
            host=session.host,
            host_session_id=session.host_session_id,
            agent_id=session.agent_id,
            effort=effort,
            transcript_path=session.transcript_path,
            pid=session.pid,
        )

    def open_of(self, host_session_id: str, agent_id: str | None = None) -> Session | None:
        """The open session of a window, or of a sub-agent in it."""
        return self._find(Session, "open_of", host_session_id=host_session_id, agent_id=agent_id)

    def last_of(self, host_session_id: str, agent_id: str | None = None) -> Session | None:
        """The session of a window that was begun last, open or not."""
        return self._find(Session, "last_of_window", host_session_id=host_session_id, agent_id=agent_id)

    def open_main_of(self, effort_id: int) -> Session | None:
        return self._find(Session, "open_main_of", effort_id=effort_id)

    def last_main_of(self, effort_id: int) -> Session | None:
        return self._find(Session, "last_main_of", effort_id=effort_id)

    def get(self, session_id: int) -> Session:
        """One session; raise RefusedError when there is none of this number."""
        name, listing = f"session `{session_id}`", "`interlock session list --all`"
        return self._require_id(Session, session_id, name, listing, session=session_id)

    def find_all(self, text: str) -> list[Session]:
        """Those that a number, a host's id or the beginning of one stands for; the newest first."""
        if text.isdecimal() and len(text) <= _DIGITS:
            session = self._find(Session, "get", id=int(text))
            if session is not None:
                return [session]
        beyond = text + "\U0010ffff"
        return self._find_all(Session, "named", prefix=text, beyond=beyond, most=MOST) if text else []

    def handover(self, effort_id: int) -> Session | None:
        """The session whose handover nobody has taken up yet: none since has written anything down."""
        return self._find(Session, "handover", effort_id=effort_id)

    def end(self, session_id: int, reason: str | None = None) -> None:
        """End one; a second time is refused."""
        session = self._open(session_id)
        self._run("end", id=session.id, reason=reason)

    def end_all(self, host_session_id: str, reason: str | None = None) -> int:
        """End a window with all sub-agents in it; gives how many sessions that were."""
        return self._run("end_all", host_session_id=host_session_id, reason=reason).rowcount

    def beat(self, session_id: int, tool_use_id: str | None = None) -> int:
        """Count a call and give the count; the same call twice counts once."""
        self._run("beat", id=session_id, use_id=tool_use_id, most=_RECENT)
        row = self._run("beats", id=session_id).fetchone()
        return int(row[0]) if row else 0

    def reset_effort(self, effort_id: int) -> None:
        """Count from 0 again in every open session of an effort: something was written down."""
        self._run("reset_effort", effort_id=effort_id)
        self._run("take_up", effort_id=effort_id)

    def set_usage(self, session_id: int, usage: float | None) -> None:
        """How full the window is, from 0 to 1; a host that counts beyond its window has filled it."""
        value = None if usage is None else min(max(usage, 0.0), 1.0)
        self._run("set_usage", id=session_id, usage=value)

    def set_offset(self, session_id: int, offset: int) -> None:
        """How much of the transcript was read."""
        self._run("set_offset", id=session_id, offset=offset)

    def set_transcript(self, session_id: int, path: str, offset: int = 0) -> None:
        """Where the transcript is, when that is told late or it went to another file."""
        self._run("set_transcript", id=session_id, path=path, offset=offset)

    def add_loaded(self, session_id: int, paths: Iterable[str]) -> None:
        files = with_more(self.get(session_id).loaded_files, paths)
        self._run("set_loaded", id=session_id, files=files)

    def add_preloaded(self, session_id: int, paths: Iterable[str]) -> None:
        """Files that we put into the window."""
        files = with_more(self.get(session_id).preloaded_files, paths)
        self._run("set_preloaded", id=session_id, files=files)

    def add_directives(
        self, session_id: int, paths: Iterable[str], directories: Iterable[str] = ()
    ) -> list[str]:
        return self._add_directives(self.get(session_id), paths, directories)

    def set_pending(self, session_id: int, pending: Sequence[Mapping[str, Any]]) -> None:
        """What is to be told at the next moment that can carry it."""
        self._run("set_pending", id=session_id, pending=list(pending))

    def dehydrate(self, session_id: int, payload: Mapping[str, Any]) -> None:
        """Keep what the next window needs; a session that has ended takes none any more."""
        effort_id = self._open(session_id).effort_id
        if effort_id is not None:
            self._run("take_up", effort_id=effort_id)
        self._run("dehydrate", id=session_id, payload=dict(payload))

    def set_restart(self, session_id: int, prompt: str | None) -> None:
        self._run("set_restart", id=session_id, prompt=prompt)

    def listed(
        self,
        *,
        effort_id: int | None = None,
        project_id: int | None = None,
        open_only: bool = False,
        most: int = MOST,
    ) -> list[Session]:
        values: dict[str, Any] = {"open": open_only, "most": most}
        if effort_id is not None:
            return self._find_all(Session, "listed_of_effort", effort_id=effort_id, **values)
        if project_id is not None:
            return self._find_all(Session, "listed_of_project", project_id=project_id, **values)
        return self._find_all(Session, "listed", **values)

    def _open(self, session_id: int) -> Session:
        session = self.get(session_id)
        if not session.open:
            raise RefusedError(
                Code.ALREADY_ENDED,
                f"session {session_id} ended at {session.ended_at}",
                "a new one continues its effort; run `interlock session list`",
                session=session_id,
            )
        return session


def _collect_directives(*sources: Session | Effort | None) -> dict[str, list[str]]:
    """What the window before had found, and what others found for the effort."""
    directives: list[str] = []
    directories: list[str] = []
    for source in sources:
        if source is None:
            continue
        directives = with_more(directives, source.discovered_directives)
        directories = with_more(directories, source.discovered_directories)
    return {"directives": directives, "directories": directories}


_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d(?=T)")
_NEWEST: Final = 2**62
NewMessage = tuple[str, str, str | None, str | None]  # role, content, tool's name, time of it or None for now


@final
class Messages(Table):
    """Added to, and removed when they are older than what is kept."""

    file: ClassVar = "work_messages"

    def add(
        self,
        session_id: int,
        role: str,
        content: str,
        tool_name: str | None = None,
        *,
        timestamp: str | None = None,
    ) -> int:
        """Keep one and give its number."""
        cursor = self._run(
            "add",
            session_id=session_id,
            role=role,
            content=content,
            tool_name=tool_name,
            timestamp=_valid_time(timestamp, self._now()),
        )
        return cursor.lastrowid or 0

    def add_many(self, session_id: int, messages: Iterable[NewMessage]) -> None:
        """Keep several, in order."""
        for role, content, tool_name, at in messages:
            self.add(session_id, role, content, tool_name, timestamp=at)

    def of_session(self, session_id: int, limit: int, before: int | None = None) -> list[Message]:
        """The last of a session, or the last before one of them; the oldest of these first."""
        values = {"session_id": session_id, "most": limit, "before": before or _NEWEST}
        return self._find_all(Message, "of_session", **values)[::-1]

    def of_effort(self, effort_id: int, limit: int, before: int | None = None) -> list[Message]:
        """The same over all sessions of an effort."""
        values = {"effort_id": effort_id, "most": limit, "before": before or _NEWEST}
        return self._find_all(Message, "of_effort", **values)[::-1]

    def forget(self, before: str, most: int) -> int:
        """Remove what was said before a time, this many at once; gives how many."""
        return self._run("forget", before=before, most=most).rowcount

    def count(self, session_id: int) -> int:
        number: int = self._run("count", session_id=session_id).fetchone()[0]
        return number


def _valid_time(text: str | None, now: str) -> str:
    """When it was said, as it was told; what is not a time, or none that has come, would never grow old."""
    day = _DAY.match(text) if text else None
    return text if text and day is not None and day.group() <= now[:10] else now
