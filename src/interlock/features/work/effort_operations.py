"""What agents and people do with efforts: start, resume, enter a phase, log, finish; and `/effort`."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePath
from typing import Any, Final, final

import msgspec

from interlock.events.tool import ToolCall
from interlock.features.work.efforts import finished_error
from interlock.features.work.event_context import Answer, EventContext
from interlock.features.work.files import (
    Payload,
    append_entry,
    artifact_name,
    as_document,
    stamp_entry,
    with_whole_paths,
)
from interlock.features.work.records import (
    Code,
    Effort,
    PhaseChange,
    RefusedError,
    Session,
    Task,
    effort_number,
    invalid,
)
from interlock.features.work.recovery_text import restart_prompt
from interlock.features.work.store import WorkStore, is_below
from interlock.store.clock import timestamp

HOST: Final = "claude-code"  # of a session that no hook has told of yet


class Caller(msgspec.Struct, frozen=True, kw_only=True):
    """Who does it: an agent in its session, or a person, who may speak for one."""

    host_session_id: str | None = None
    agent_id: str | None = None  # the agent's own name
    person: bool = False  # may name any effort
    cwd: str | None = None
    project_dir: str | None = None  # the project of an agent's session

    @property
    def place(self) -> str | None:
        """Where an agent's efforts are: its folder, or its project once its shell has left that."""
        inside = self.cwd and (self.project_dir is None or is_below(self.cwd, self.project_dir))
        return self.cwd if inside else self.project_dir


class Assignment(msgspec.Struct, frozen=True, kw_only=True):
    """An effort that is worked on, and the session that does."""

    effort: Effort
    task: Task
    session: Session | None = None


class LogEntry(msgspec.Struct, frozen=True, kw_only=True):
    """An entry that is to be written once the change it goes with is lasting."""

    effort: Effort
    path: Path
    entry: str


@final
class EffortOperations:
    """Each is one step's worth of changes; the caller makes it one, and writes files after it."""

    def __init__(self, work: WorkStore) -> None:
        self._work: Final = work

    def start(
        self,
        who: Caller,
        *,
        project_dir: str,
        task_dir: str,
        skill: str,
        mode: str | None = None,
        title: str | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> Assignment:
        """Begin an effort on the task of a folder; the agent is at work on it from then on."""
        if not skill.strip():
            raise invalid("the skill has no name", "name it, for example `implement`")
        work = self._work
        known_task = work.tasks.find(task_dir)
        task = known_task or work.tasks.ensure(task_dir, work.projects.ensure(project_dir).id, title=title)
        effort = work.efforts.start(task.id, skill.strip(), mode=mode, metadata=metadata)
        return Assignment(effort=effort, task=task, session=self._bind(who, effort))

    def resume(self, who: Caller, effort_id: int | None = None, task_dir: str | None = None) -> Assignment:
        """Take an effort up again: by its number, as the latest of a task, or the latest that is free."""
        effort = self._work.efforts.resume(self._find_to_resume(who, effort_id, task_dir).id)
        task = self._work.tasks.get(effort.task_id)
        return Assignment(effort=effort, task=task, session=self._bind(who, effort))

    def finish(self, who: Caller, effort_id: int | None = None, keywords: Iterable[str] = ()) -> Effort:
        """End an effort for good; nobody is at work on it any more."""
        effort = self._work.efforts.finish(self.effort_of(who, effort_id).id, keywords)
        self._work.agents.clear_effort(effort.id)
        return effort

    def enter(
        self,
        who: Caller,
        label: str,
        *,
        effort_id: int | None = None,
        proof: Any = None,
        reason: str | None = None,
    ) -> tuple[Effort, PhaseChange | None]:
        """Go to a phase; None for the change when the effort is in it already."""
        effort = self.effort_of(who, effort_id)
        change = self._work.phases.enter(effort, label, proof=proof, reason=reason)
        return self._work.efforts.get(effort.id), change

    def log(self, who: Caller, text: str, effort_id: int | None = None) -> LogEntry:
        """Write down what was done: the heartbeat counts from 0 again, in every open window of the effort."""
        effort = self.effort_of(who, effort_id)
        if not effort.active:
            raise finished_error(effort)
        now = timestamp(self._work.clock())
        entry = stamp_entry(text, f"{now[:10]} {now[11:19]} UTC")
        self._work.sessions.reset_effort(effort.id)
        folder = Path(self._work.tasks.get(effort.task_id).dir_path)
        return LogEntry(effort=effort, path=folder / artifact_name(effort.ordinal, effort.skill), entry=entry)

    def dehydrate(self, who: Caller, payload: Payload) -> Session:
        """Leave behind what the next window needs, and end this one: sessions are never resumed."""
        session = self.session_of(who)
        work, sessions = self._work, self._work.sessions
        effort = work.efforts.get(session.effort_id) if session.effort_id is not None else None
        task = work.tasks.get(effort.task_id) if effort else None
        project = work.projects.get(task.project_id) if task else None
        folders = (who.cwd, who.project_dir, project.path if project else None)
        payload = with_whole_paths(payload, folders)
        sessions.dehydrate(session.id, as_document(payload))
        if effort is not None and task is not None:
            sessions.set_restart(session.id, restart_prompt(effort, task.dir_path, payload))
        sessions.end(session.id, "dehydrated")
        return sessions.get(session.id)

    def session_of(self, who: Caller) -> Session:
        """The session somebody is in or speaks for; raise RefusedError when there is none."""
        host = who.host_session_id
        session = self._work.sessions.open_of(host) if host else None
        if session is not None:
            return session
        raise RefusedError(
            Code.NO_SESSION,
            "there is no open session here" if not host else f"session `{host}` is not open",
            "name one with --session" if who.person else "start an effort with `interlock effort start`",
        )

    def effort_of(self, who: Caller, effort_id: int | None = None) -> Effort:
        """The effort that is meant, which may be none an agent in another session is at work on."""
        work = self._work
        if effort_id is not None:
            return self._check_allowed(who, work.efforts.get(effort_id))
        last = self._last_effort(who)
        if last is not None:
            return last
        owned = work.efforts.of_agent(who.agent_id) if who.agent_id else None
        if owned is not None:
            return self._check_allowed(who, owned)
        return self._find_only_active(who)

    def _find_only_active(self, who: Caller) -> Effort:
        """A person in a project with one active effort means that one."""
        project = self._work.projects.find(who.cwd) if who.person else None
        active = self._work.efforts.active_in(project.id) if project else []
        if len(active) == 1:
            return active[0]
        if active:
            names = ", ".join(f"{effort.name} ({effort.skill})" for effort in active[:5])
            raise RefusedError(
                Code.NO_EFFORT,
                f"several efforts are active here: {names}",
                f"name one, for example `--effort {active[0].name}` or `effort show {active[0].name}`",
            )
        raise RefusedError(
            Code.NO_EFFORT,
            "there is no effort here",
            "start one with `interlock effort start TASK SKILL`, or run `interlock effort list --all`",
        )

    def _find_to_resume(self, who: Caller, effort_id: int | None, task_dir: str | None) -> Effort:
        work = self._work
        if effort_id is not None:
            return self._check_allowed(who, work.efforts.get(effort_id))
        if task_dir is not None:
            task = work.tasks.find(task_dir)
            effort = work.efforts.latest_of_task(task.id) if task else None
            if effort is None:
                raise RefusedError(
                    Code.NOT_FOUND,
                    f"`{task_dir}` is not a task with an active effort",
                    "run `interlock task list`",
                )
            return self._check_allowed(who, effort)
        effort = work.effort_for(who.place, None, who.host_session_id or "")
        return (
            effort
            or self._last_effort(who)
            or self._find_only_active(msgspec.structs.replace(who, person=False))
        )

    def _last_effort(self, who: Caller) -> Effort | None:
        """What somebody's session is or was at work on."""
        last = self._work.sessions.last_of(who.host_session_id) if who.host_session_id else None
        return self._work.efforts.get(last.effort_id) if last and last.effort_id is not None else None

    def _check_allowed(self, who: Caller, effort: Effort) -> Effort:
        """An agent may name its own effort, or one of its project that nobody is at work on."""
        if who.person:
            return effort
        own_effort = self._last_effort(who)
        of_project = self._work.is_of(effort, who.project_dir or who.cwd)
        if not of_project and (own_effort is None or own_effort.id != effort.id):
            raise RefusedError(
                Code.NOT_YOURS,
                f"effort {effort.name} belongs to another project",
                "choose one of this project, as `interlock effort list` shows them, or ask the user",
                effort=effort.id,
            )
        if self._work.is_free(effort, who.host_session_id):
            return effort
        raise RefusedError(
            Code.NOT_YOURS,
            f"another agent works on effort {effort.name}",
            "choose another one; `interlock effort list` shows them",
            effort=effort.id,
        )

    def _bind(self, who: Caller, effort: Effort) -> Session | None:
        """An agent owns the effort it begins or takes up, in the session it is in."""
        work, host = self._work, who.host_session_id
        name = who.agent_id or host
        if name is not None:
            work.agents.register(name, effort_id=effort.id, host_session_id=host)
        if not host:
            return None
        session = work.sessions.open_of(host)
        if session is not None:
            return work.sessions.attach(session.id, effort)
        last = work.sessions.last_of(host)
        return work.sessions.start(
            host=last.host if last else HOST,
            host_session_id=host,
            effort=effort,
            transcript_path=last.transcript_path if last else None,
        )


SKILL: Final = "effort"
USAGE: Final = (
    "use `/effort start TASK SKILL [--mode MODE]`, `/effort resume [e16 | TASK]` or `/effort log TEXT`"
)
SKILL_TOOL: Final = "Skill"
_TASK_AND_SKILL: Final = 2  # words of a start
_POLICY: Final = ".interlock"


def is_effort_call(tool: ToolCall) -> bool:
    name = tool.input.get("skill", tool.input.get("command"))
    return tool.name == SKILL_TOOL and isinstance(name, str) and name.strip().lstrip("/") == SKILL


def effort_call(context: EventContext) -> Answer:
    """Do it once, and tell the model what came of it; a mistake is a no with how it is used."""
    call = (context.event.session_id, context.tool.use_id or "")
    earlier_answer = context.services.effort_calls.get(call)
    if earlier_answer is not None:
        return earlier_answer
    try:
        answer = Answer(context=_carry_out(context), begins=True)
    except RefusedError as error:
        reason = f"/effort: {error.sentence}; {USAGE}"
        return Answer(result={"allow": False, "reason": reason}, deny=reason)
    if context.tool.use_id:
        context.services.effort_calls[call] = answer
    return answer


def _carry_out(context: EventContext) -> str:
    args = context.tool.input.get("args")
    verb, _, rest = (args.strip() if isinstance(args, str) else "").partition(" ")
    who = Caller(
        host_session_id=context.event.session_id,
        agent_id=context.agent_id,
        cwd=context.event.cwd,
        project_dir=context.event.project,
    )
    operations = EffortOperations(context.work)
    if verb == "log":
        logged = operations.log(who, rest)
        context.services.afterwards(lambda: append_entry(logged.path, logged.entry))
        return f"[Effort] Logged in `{logged.path}`."
    if verb not in {"start", "resume"}:
        raise _usage_error(
            f"`{verb[:40]}` is not `start`, `resume` or `log`" if verb else "nothing to do is named"
        )
    try:
        words = shlex.split(rest)
    except ValueError as error:
        raise _usage_error(f"the words cannot be split ({error})") from error
    root = context.services.root(context.event.cwd)
    if verb == "start":
        mode = _take_mode(words)
        if len(words) != _TASK_AND_SKILL:
            raise _usage_error("name a task and a skill")
        folder = _folder(context, root, words[0])
        assignment = operations.start(who, project_dir=root, task_dir=folder, skill=words[1], mode=mode)
    else:
        if len(words) > 1:
            raise _usage_error("name only one effort or task")
        number = effort_number(words[0]) if words else None
        task_dir = _folder(context, root, words[0]) if words and number is None else None
        assignment = operations.resume(who, number, task_dir)
    session = f", session {assignment.session.id}" if assignment.session else ""
    description = (
        f"Effort {assignment.effort.name} (`{assignment.effort.skill}`) of `{assignment.task.dir_path}`"
    )
    return f"[Effort] {description} {'started' if verb == 'start' else 'resumed'}{session}."


def _take_mode(words: list[str]) -> str | None:
    """Take `--mode MODE` out of the words."""
    if "--mode" not in words:
        return None
    at = words.index("--mode")
    if at + 1 == len(words):
        raise _usage_error("`--mode` has no value")
    mode = words[at + 1]
    del words[at : at + 2]
    return mode


def _folder(context: EventContext, root: str, path: str) -> str:
    """A task's folder, inside the project and none of Interlock's own: we make it and write its logs."""
    real = PurePath(os.path.realpath(PurePath(context.event.cwd, path)))
    if not real.is_relative_to(root) or _POLICY in real.parts:
        raise _usage_error(f"`{path}` is not a folder of this project")
    return str(real)


def _usage_error(sentence: str) -> RefusedError:
    return invalid(sentence, USAGE)
