"""`/effort start|resume|log` as a call of a skill: done by us before the host looks for one of that name."""

from __future__ import annotations

import os
import shlex
from pathlib import PurePath
from typing import Final

from interlock.events.tool import ToolCall
from interlock.features.work.efforts.files import append_entry
from interlock.features.work.efforts.operations import Caller, EffortOperations, StartedEffort
from interlock.features.work.errors import Code, RefusedError
from interlock.features.work.event_context import Answer, EventContext
from interlock.features.work.records import effort_number

SKILL: Final = "effort"
USAGE: Final = (
    "use `/effort start TASK SKILL [--mode MODE]`, `/effort resume [e16 | TASK]` or `/effort log TEXT`"
)
SKILL_TOOL: Final = "Skill"
_POLICY: Final = ".interlock"


def is_effort_call(tool: ToolCall) -> bool:
    """Whether a call is one of these."""
    name = tool.input.get("skill", tool.input.get("command"))
    return tool.name == SKILL_TOOL and isinstance(name, str) and name.strip().lstrip("/") == SKILL


def effort_call(context: EventContext) -> Answer:
    """Do it once, and tell the model what came of it; a mistake is a no with how it is used."""
    call = (context.event.session_id, context.tool.use_id or "")
    known = context.services.effort_calls.get(call)
    if known is not None:
        return known
    try:
        answer = Answer(context=_carry_out(context), begins=True)
    except RefusedError as error:
        reason = f"/effort: {error.sentence}; {USAGE}"
        return Answer(result={"allow": False, "reason": reason}, deny=reason)
    context.services.effort_calls.put(call, answer)
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
    if verb == "log":
        return _log(context, who, rest)
    if verb not in {"start", "resume"}:
        raise _wrong(f"`{verb[:40]}` is not one of its words" if verb else "the words are missing")
    try:
        words = shlex.split(rest)
    except ValueError as error:
        raise _wrong(f"its words cannot be separated ({error})") from error
    return _start(context, who, words) if verb == "start" else _resume(context, who, words)


def _start(context: EventContext, who: Caller, words: list[str]) -> str:
    mode = None
    if "--mode" in words:
        at = words.index("--mode")
        mode = next(iter(words[at + 1 :]), None)
        if mode is None:
            raise _wrong("`--mode` has no value")
        words = words[:at] + words[at + 2 :]
    try:
        task, skill = words
    except ValueError:
        raise _wrong("a task and a skill are needed") from None
    root = context.services.root(context.event.cwd)
    begun = EffortOperations(context.work).start(
        who, project_dir=root, task_dir=_folder(context, root, task), skill=skill, mode=mode
    )
    return _answer_text(begun, "began")


def _resume(context: EventContext, who: Caller, words: list[str]) -> str:
    if len(words) > 1:
        raise _wrong("name one effort or task only")
    number = effort_number(words[0]) if words else None
    root = context.services.root(context.event.cwd)
    task = _folder(context, root, words[0]) if words and number is None else None
    return _answer_text(EffortOperations(context.work).resume(who, number, task), "goes on")


def _log(context: EventContext, who: Caller, text: str) -> str:
    logged = EffortOperations(context.work).log(who, text)
    context.services.afterwards(lambda: append_entry(logged.path, logged.entry))
    return f"[Effort] Logged in `{logged.path}`."


def _folder(context: EventContext, root: str, path: str) -> str:
    """A task's folder, inside the project and none of Interlock's own: we make it and write its logs."""
    real = PurePath(os.path.realpath(PurePath(context.event.cwd, path)))
    if not real.is_relative_to(root) or _POLICY in real.parts:
        raise _wrong(f"`{path}` is not a folder of this project")
    return str(real)


def _answer_text(begun: StartedEffort, how: str) -> str:
    effort, session = begun.effort, begun.session
    number = f", session {session.id}" if session else ""
    return f"[Effort] Effort {effort.name} (`{effort.skill}`) of `{begun.task.dir_path}` {how}{number}."


def _wrong(sentence: str) -> RefusedError:
    return RefusedError(Code.VALIDATION_ERROR, sentence, USAGE)
