"""`/effort start|resume|log` as a call of a skill: done by us before the host looks for one of that name."""

from __future__ import annotations

import os
import shlex
from pathlib import PurePath
from typing import Final

from interlock.features.work.efforts.files import append_entry
from interlock.features.work.efforts.operations import Begun, Deeds, Doer
from interlock.features.work.errors import Code, RefusedError
from interlock.features.work.event_context import Answer, Case
from interlock.features.work.inputs import PreToolUseInput
from interlock.features.work.records import effort_number
from interlock.features.work.results import PreToolUseResult

SKILL: Final = "effort"
USAGE: Final = (
    "use `/effort start TASK SKILL [--mode MODE]`, `/effort resume [e16 | TASK]` or `/effort log TEXT`"
)
SKILL_TOOL: Final = "Skill"
_POLICY: Final = ".interlock"


def is_effort_call(given: PreToolUseInput) -> bool:
    """Whether a call is one of these."""
    name = given.tool_input.get("skill", given.tool_input.get("command"))
    return given.tool_name == SKILL_TOOL and isinstance(name, str) and name.strip().lstrip("/") == SKILL


def effort_call(case: Case[PreToolUseInput]) -> Answer:
    """Do it once, and tell the model what came of it; a mistake is a no with how it is used."""
    known = case.means.effort_calls.get((case.given.session_id, case.given.tool_use_id))
    if known is not None:
        return known
    try:
        answer = Answer(result=PreToolUseResult(), context=_done(case), begins=True)
    except RefusedError as error:
        reason = f"/effort: {error.sentence}; {USAGE}"
        return Answer(result=PreToolUseResult(allow=False, reason=reason), deny=reason)
    case.means.effort_calls.put((case.given.session_id, case.given.tool_use_id), answer)
    return answer


def _done(case: Case[PreToolUseInput]) -> str:
    args = case.given.tool_input.get("args")
    verb, _, rest = (args.strip() if isinstance(args, str) else "").partition(" ")
    who = Doer(
        host_session_id=case.given.session_id,
        agent_id=case.agent_id,
        cwd=case.given.cwd,
        project_dir=case.project_dir,
    )
    if verb == "log":
        return _logged(case, who, rest)
    if verb not in {"start", "resume"}:
        raise _wrong(f"`{verb[:40]}` is none of its words" if verb else "it has no word")
    try:
        words = shlex.split(rest)
    except ValueError as error:
        raise _wrong(f"its words cannot be told apart ({error})") from error
    return _started(case, who, words) if verb == "start" else _resumed(case, who, words)


def _started(case: Case[PreToolUseInput], who: Doer, words: list[str]) -> str:
    mode = None
    if "--mode" in words:
        at = words.index("--mode")
        mode = next(iter(words[at + 1 :]), None)
        if mode is None:
            raise _wrong("`--mode` has no value")
        words = words[:at] + words[at + 2 :]
    if len(words) != 2:  # noqa: PLR2004 - a task and a skill
        raise _wrong("a task and a skill are needed")
    root = case.means.root(case.given.cwd)
    begun = Deeds(case.work).start(
        who, project_dir=root, task_dir=_folder(case, root, words[0]), skill=words[1], mode=mode
    )
    return _told(begun, "began")


def _resumed(case: Case[PreToolUseInput], who: Doer, words: list[str]) -> str:
    if len(words) > 1:
        raise _wrong("one effort or task at most can be named")
    number = effort_number(words[0]) if words else None
    root = case.means.root(case.given.cwd)
    task = _folder(case, root, words[0]) if words and number is None else None
    return _told(Deeds(case.work).resume(who, number, task), "goes on")


def _logged(case: Case[PreToolUseInput], who: Doer, text: str) -> str:
    logged = Deeds(case.work).log(who, text)
    case.means.afterwards(lambda: append_entry(logged.path, logged.entry))
    return f"[Effort] Logged in `{logged.path}`."


def _folder(case: Case[PreToolUseInput], root: str, path: str) -> str:
    """A task's folder, inside the project and none of Interlock's own: we make it and write its logs."""
    real = PurePath(os.path.realpath(PurePath(case.given.cwd, path)))
    if not real.is_relative_to(root) or _POLICY in real.parts:
        raise _wrong(f"`{path}` is no folder of this project")
    return str(real)


def _told(begun: Begun, how: str) -> str:
    effort, session = begun.effort, begun.session
    number = f", session {session.id}" if session else ""
    return f"[Effort] Effort {effort.name} (`{effort.skill}`) of `{begun.task.dir_path}` {how}{number}."


def _wrong(sentence: str) -> RefusedError:
    return RefusedError(Code.VALIDATION_ERROR, sentence, USAGE)
