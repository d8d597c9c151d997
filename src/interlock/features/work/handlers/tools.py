"""`hooks.preToolUse`, `postToolUse`, `postToolUseFailure` and `permissionRequest`: around one tool call."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any, Final

import msgspec

from interlock.events.tool_table import STANDARD_TOOLS
from interlock.features.work.efforts.added_context import (
    KEY,
    Injection,
    as_documents,
    injected,
    read_injections,
    taken,
)
from interlock.features.work.efforts.directives import (
    CORE,
    discover,
    judged,
    read_target,
    touched_folders,
    unread,
)
from interlock.features.work.efforts.files import handover_name
from interlock.features.work.efforts.guard_rules import Fired, fired
from interlock.features.work.efforts.recovery_text import joined, overflow_warning
from interlock.features.work.efforts.skill_call import effort_call, is_effort_call
from interlock.features.work.event_context import Answer, Case, encoded
from interlock.features.work.inputs import (
    PermissionRequestInput,
    PostToolUseFailureInput,
    PostToolUseInput,
    PreToolUseInput,
)
from interlock.features.work.records import Effort, Session
from interlock.features.work.results import (
    PermissionRequestResult,
    PostToolUseFailureResult,
    PostToolUseResult,
    PreToolUseResult,
)
from interlock.features.work.sessions.messages import dialogue_of, take_in, transcript_of
from interlock.features.work.skills.project_skills import files_given, skill_of

# While a skill is being loaded, or a window written down, the effort's own word lets calls pass.
_PASSING: Final = ("loading", "dehydrating")
_GATED_NOT: Final = frozenset({"Skill"})


def pre_tool_use(case: Case[PreToolUseInput]) -> Answer:
    """Say what the work has against a call, which is most often nothing."""
    if is_effort_call(case.given):
        return effort_call(case)
    session, effort = case.session, case.effort
    if session is None or effort is None:
        return _without_effort(case)
    if not effort.active or any(effort.metadata.get(name) is True for name in _PASSING):
        return _passed(session)
    if case.command() is not None:
        # A log entry starts the count anew when it is written: this call may be denied, or only ask for help.
        return _passed(session)
    return _counted(case, session, effort)


def _counted(case: Case[PreToolUseInput], session: Session, effort: Effort) -> Answer:
    given, rules = case.given, case.rules
    count = case.work.sessions.beat(session.id, given.tool_use_id or None)
    usage = _usage(case, session)
    full = usage is not None and usage >= rules.overflow_at
    pending = _pending(session)
    rules_fired = fired(effort.metadata.get("guards"), _values(given, effort, count, usage))
    most = case.block_after(effort)
    reason = _held_back(case, count, most) or _directives(case, session, pending)
    result = PreToolUseResult(
        allow=reason is None,
        heartbeat_count=count,
        context_usage=usage,
        overflow_warning=full,
        pending_preloads=pending,
        fired_rules=rules_fired,
    )
    if reason is not None:
        result = msgspec.structs.replace(result, reason=reason)
    advice = case.means.advice
    context = joined(
        [
            overflow_warning(usage, case.program, _handover_file(case, session, effort))
            if full and usage is not None and advice.is_fuller(session.id, usage)
            else None,
            _told(advice.new(session.id, rules_fired)),
        ]
    )
    return Answer(result=result, context=context or None, deny=reason)


def _handover_file(case: Case[PreToolUseInput], session: Session, effort: Effort) -> str | None:
    """Where an agent puts what the next one needs; a sub-agent reports to its parent, whose session it is."""
    if session.agent_id is not None or case.task is None:
        return None
    return str(PurePath(case.task.dir_path, handover_name(effort.ordinal, effort.skill, session.id)))


def _held_back(case: Case[PreToolUseInput], count: int, most: int) -> str | None:
    if count < most:
        return None
    return (
        f"heartbeat-block: {count}/{most} tool calls without logging; write down what you did and found with "
        f'`{case.program} log "…"` as a command of its own, then go on'
    )


def _directives(case: Case[PreToolUseInput], session: Session, pending: tuple[str, ...]) -> str | None:
    """Instructions for the place it works in are read soon, or the next call waits."""
    given, advice = case.given, case.means.advice
    target = read_target(given.tool_name, given.tool_input, given.cwd) if pending else None
    gate = judged(pending, advice.waited(session.id), target, grace=case.rules.directive_grace)
    advice.wait(session.id, gate.waited)
    return gate.reason


def _pending(session: Session) -> tuple[str, ...]:
    """Directives for everyone that are neither read nor given; those for a skill or a command only advise."""
    core = [path for path in session.discovered_directives if path.endswith(_CORE_ENDINGS)]
    return unread(core, {*session.loaded_files, *session.preloaded_files})


_CORE_ENDINGS: Final = tuple(f"/{name}" for name in CORE)


def _usage(case: Case[PreToolUseInput], session: Session) -> float | None:
    """By the transcript, where the host counts nothing; what is known already stays when nothing is found."""
    sub_agent = case.given.agent_id is not None
    path = transcript_of(case)
    found = case.means.usage.share(path, case.rules.context_window, sub_agent=sub_agent)
    if found is None:
        return session.context_usage
    if found != session.context_usage:
        case.work.sessions.set_usage(session.id, found)
    return found


def _values(given: PreToolUseInput, effort: Effort, count: int, usage: float | None) -> dict[str, Any]:
    return {
        "heartbeat_counter": count,
        "context_usage": usage,
        "tool": given.tool_name,
        "phase": effort.current_phase,
        "skill": effort.skill,
        "mode": effort.mode,
    }


def _told(rules: tuple[Fired, ...]) -> str:
    """What rules say that did not hold a call ago."""
    payloads = (one.payload if isinstance(one.payload, str) else encoded(one.payload) for one in rules)
    return "\n\n".join(f"[Guard: {one.rule_id}]\n{text}" for one, text in zip(rules, payloads, strict=True))


def _without_effort(case: Case[PreToolUseInput]) -> Answer:
    """No opinion, unless every session has to be at work on something."""
    if case.rules.session_gate == "off" or case.given.agent_id is not None:
        return Answer(result=PreToolUseResult())
    spec = STANDARD_TOOLS.spec(case.given.tool_name)
    free = case.given.tool_name in _GATED_NOT or (spec is not None and spec.neutral)
    if free or case.command() is not None:
        return Answer(result=PreToolUseResult())
    program = case.program
    reason = (
        "session-gate: this session is at work on no effort; start one with "
        f"`{program} effort start TASK SKILL` or take one up with `{program} effort resume`, then go on"
    )
    return Answer(result=PreToolUseResult(allow=False, reason=reason), deny=reason)


def _passed(session: Session) -> Answer:
    count, usage = session.heartbeat_counter, session.context_usage
    return Answer(result=PreToolUseResult(heartbeat_count=count, context_usage=usage))


_FOUND = "directives"  # the rule that new instructions are told under


def post_tool_use(case: Case[PostToolUseInput]) -> Answer:
    """Give what waits for the model, and keep what the call brought to light."""
    session, effort = case.session, case.effort
    if session is None:
        return Answer(result=PostToolUseResult())
    waiting = _taken(case, session, effort)
    if effort is None:
        result = PostToolUseResult(pending_injections=tuple(as_documents(waiting)))
        return Answer(result=result, context=injected(waiting) or None)
    _note_loaded(case, session)
    told = (*waiting, *_discovered(case, session, effort), *_of_skill(case, session, effort))
    entry = _dialogue(case, session)
    take_in(case, session, transcript_of(case))
    result = PostToolUseResult(
        heartbeat_count=session.heartbeat_counter,
        pending_injections=tuple(as_documents(told)),
        dialogue_entry=entry,
    )
    return Answer(result=result, context=injected(told) or None)


def _taken(case: Case[PostToolUseInput], session: Session, effort: Effort | None) -> tuple[Injection, ...]:
    """What waits for the effort and for this session; given once."""
    own = read_injections(session.pending_injections)
    if session.pending_injections:
        case.work.sessions.set_pending(session.id, [])
    if effort is None or KEY not in effort.metadata:
        return own
    common, rest = taken(effort.metadata)
    case.work.efforts.set_metadata(effort.id, rest)
    return (*common, *own)


def _of_skill(case: Case[PostToolUseInput], session: Session, effort: Effort) -> tuple[Injection, ...]:
    """The skill's templates after an effort began, its commands after a phase did."""
    own = case.command()
    return files_given(case, session, effort, own) if own is not None else ()


def _note_loaded(case: Case[PostToolUseInput], session: Session) -> None:
    given = case.given
    path = read_target(given.tool_name, given.tool_input, given.cwd)
    if path is not None and path not in session.loaded_files:
        case.work.sessions.add_loaded(session.id, [path])


def _discovered(case: Case[PostToolUseInput], session: Session, effort: Effort) -> tuple[Injection, ...]:
    """Instructions on the way from the touched file up to the project's root, each told once."""
    project, given = case.project, case.given
    folders = touched_folders(given.tool_input, given.cwd)
    folders = tuple(one for one in folders if one not in session.discovered_directories)
    if project is None or not folders:
        return ()
    skill = skill_of(case, effort.skill)
    found = discover(
        folders,
        root=project.path,
        skill_names=skill.directives or None if skill else None,
        seen=session.discovered_directories,
    )
    paths = [one.path for one in found.directives]
    case.work.efforts.add_directives(effort.id, paths, found.directories)
    new = case.work.sessions.add_directives(session.id, paths, found.directories)
    read = {read_target(given.tool_name, given.tool_input, given.cwd), *session.loaded_files}
    listed = "\n".join(f"- {path}" for path in new if path not in read)
    if not listed:
        return ()
    return (Injection(rule_id=_FOUND, content=f"Read these before you go on in this place:\n{listed}"),)


def _dialogue(case: Case[PostToolUseInput], session: Session) -> dict[str, object] | None:
    """A question to the person and the answer, kept among the messages."""
    given = case.given
    found = dialogue_of(given.tool_name, given.tool_input, given.tool_response)
    if found is None:
        return None
    case.work.messages.add(session.id, "dialogue", case.means.redact(found.text), given.tool_name)
    entry: dict[str, object] = msgspec.to_builtins(found)
    return entry


_LONGEST = 4_000  # characters of an error that are kept


def post_tool_use_failure(case: Case[PostToolUseFailureInput]) -> Answer:
    """The agent is in trouble until it goes on, and the failure is kept among its messages."""
    given = case.given
    content = {
        "event": "tool_use_failure",
        "toolName": given.tool_name,
        "error": given.error[:_LONGEST],
    }
    logged = case.note(case.session, content)
    return Answer(result=PostToolUseFailureResult(agent_updated=case.mark("error"), message_logged=logged))


def permission_request(case: Case[PermissionRequestInput]) -> Answer:
    """The agent waits; people hear of it by the notification that follows where nobody answers at once."""
    return Answer(result=PermissionRequestResult(agent_updated=case.mark("attention")))
