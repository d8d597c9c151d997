"""Handlers around one tool call: before it, after it, when it fails, when permission is asked."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any, Final

import msgspec

from interlock.events.tool import JsonObject
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.features.work.directives import (
    CORE,
    discover,
    find_unread,
    judge_reading,
    read_target,
    touched_folders,
)
from interlock.features.work.effort_operations import effort_call, is_effort_call
from interlock.features.work.event_context import Answer, EventContext, encoded
from interlock.features.work.files import handover_name
from interlock.features.work.messages import (
    ASKING_TOOL,
    dialogue_of,
    preamble_of,
    take_in,
    transcript_of,
)
from interlock.features.work.phase_rules import FiredRule, firing_rules
from interlock.features.work.records import Effort, Session
from interlock.features.work.recovery_text import (
    KEY,
    Injection,
    injection_text,
    join_parts,
    overflow_warning,
    read_injections,
    take_injections,
)
from interlock.features.work.skills import files_given, skill_of

# While a skill is being loaded, or a window written down, the effort's own word lets calls pass.
_PASSING: Final = ("loading", "dehydrating")
_GATED_NOT: Final = frozenset({"Skill"})


def pre_tool_use(context: EventContext) -> Answer:
    """Say what the work has against a call, which is most often nothing."""
    if is_effort_call(context.tool):
        return effort_call(context)
    session, effort = context.session, context.effort
    if session is None or effort is None:
        return _check_session_gate(context)
    passing = not effort.active or any(effort.metadata.get(name) is True for name in _PASSING)
    # A log entry restarts the count when it is written: this call may be denied, or only ask for help.
    if passing or context.command() is not None:
        count, usage = session.heartbeat_counter, session.context_usage
        return Answer(result={"heartbeatCount": count, "contextUsage": usage})
    return _count(context, session, effort)


def _count(context: EventContext, session: Session, effort: Effort) -> Answer:
    rules = context.rules
    count = context.work.sessions.beat(session.id, context.tool.use_id or None)
    usage = _update_usage(context, session)
    full = usage is not None and usage >= rules.overflow_at
    pending = _find_pending(session)
    rules_fired = firing_rules(
        effort.metadata.get("guards"), _rule_values(context.tool.name, effort, count, usage)
    )
    most = context.block_after(effort)
    if count < most:
        reason = _check_directives(context, session, pending)
    else:
        reason = (
            f"heartbeat-block: {count}/{most} tool calls without logging; write down what you did and found "
            f'with `{context.program} effort log "…"` as a command of its own, then go on'
        )
    result: JsonObject = {
        "allow": reason is None,
        "heartbeatCount": count,
        "contextUsage": usage,
        "overflowWarning": full,
        "pendingPreloads": pending,
        "firedRules": rules_fired,
    }
    if reason is not None:
        result["reason"] = reason
    advice, warning = context.services.advice, None
    if usage is not None and full and advice.is_fuller(session.id, usage):
        file = None  # a sub-agent reports to its parent, whose session it is
        if session.agent_id is None and context.task is not None:
            name = handover_name(effort.ordinal, effort.skill, session.id)
            file = str(PurePath(context.task.dir_path, name))
        warning = overflow_warning(usage, context.program, file)
    guards = _guard_text(advice.new(session.id, rules_fired))
    return Answer(result=result, context=join_parts([warning, guards]) or None, deny=reason)


def _check_directives(context: EventContext, session: Session, pending: tuple[str, ...]) -> str | None:
    """Instructions for the place it works in are read soon, or the next call waits."""
    advice = context.services.advice
    target = read_target(context.tool.name, context.tool.input, context.event.cwd) if pending else None
    waited, reason = judge_reading(
        pending, advice.unread_calls(session.id), target, grace=context.rules.directive_grace
    )
    advice.set_unread_calls(session.id, waited)
    return reason


def _find_pending(session: Session) -> tuple[str, ...]:
    """Directives for everyone that are neither read nor given; those for a skill or a command only advise."""
    core = [path for path in session.discovered_directives if path.endswith(_CORE_ENDINGS)]
    return find_unread(core, {*session.loaded_files, *session.preloaded_files})


_CORE_ENDINGS: Final = tuple(f"/{name}" for name in CORE)


def _update_usage(context: EventContext, session: Session) -> float | None:
    """By the transcript, where the host counts nothing; what is known already stays when nothing is found."""
    sub_agent = context.event.agent_id is not None
    path = transcript_of(context)
    usage = context.services.usage.share(path, context.rules.context_window, sub_agent=sub_agent)
    if usage is None:
        return session.context_usage
    if usage != session.context_usage:
        context.work.sessions.set_usage(session.id, usage)
    return usage


def _rule_values(tool: str, effort: Effort, count: int, usage: float | None) -> dict[str, Any]:
    return {
        "heartbeat_counter": count,
        "context_usage": usage,
        "tool": tool,
        "phase": effort.current_phase,
        "skill": effort.skill,
        "mode": effort.mode,
    }


def _guard_text(rules: tuple[FiredRule, ...]) -> str:
    """What rules say that did not hold a call ago."""
    payloads = (rule.payload if isinstance(rule.payload, str) else encoded(rule.payload) for rule in rules)
    return "\n\n".join(f"[Guard: {rule.rule_id}]\n{text}" for rule, text in zip(rules, payloads, strict=True))


def _check_session_gate(context: EventContext) -> Answer:
    """No opinion, unless every session has to be at work on something."""
    if context.rules.session_gate == "off" or context.event.agent_id is not None:
        return Answer()
    spec = STANDARD_TOOLS.spec(context.tool.name)
    free = context.tool.name in _GATED_NOT or (spec is not None and spec.neutral)
    if free or context.command() is not None:
        return Answer()
    program = context.program
    reason = (
        f"session-gate: this session works on no effort; start one with `{program} effort start TASK "
        f"SKILL` or resume one with `{program} effort resume`, then continue"
    )
    return Answer(result={"allow": False, "reason": reason}, deny=reason)


_FOUND = "directives"  # the rule that new instructions are told under


def post_tool_use(context: EventContext) -> Answer:
    """Give what waits for the model, and keep what the call brought to light."""
    session, effort = context.session, context.effort
    if session is None:
        return Answer()
    waiting = _take_waiting(context, session, effort)
    if effort is None:
        documents = msgspec.to_builtins(waiting)
        return Answer(result={"pendingInjections": documents}, context=injection_text(waiting) or None)
    read = read_target(context.tool.name, context.tool.input, context.event.cwd)
    if read is not None and read not in session.loaded_files:
        context.work.sessions.add_loaded(session.id, [read])
    command = context.command()  # the skill's templates after an effort began, its commands after a phase did
    skill_files = files_given(context, session, effort, command) if command is not None else ()
    injections = (*waiting, *_discover(context, session, effort, read), *skill_files)
    entry = _keep_dialogue(context, session)
    take_in(context, session, transcript_of(context))
    result: JsonObject = {
        "heartbeatCount": session.heartbeat_counter,
        "pendingInjections": msgspec.to_builtins(injections),
        "dialogueEntry": entry,
    }
    return Answer(result=result, context=injection_text(injections) or None)


def _take_waiting(context: EventContext, session: Session, effort: Effort | None) -> tuple[Injection, ...]:
    """What waits for the effort and for this session; given once."""
    session_injections = read_injections(session.pending_injections)
    if session.pending_injections:
        context.work.sessions.set_pending(session.id, [])
    if effort is None or KEY not in effort.metadata:
        return session_injections
    effort_injections, metadata = take_injections(effort.metadata)
    context.work.efforts.set_metadata(effort.id, metadata)
    return (*effort_injections, *session_injections)


def _discover(
    context: EventContext, session: Session, effort: Effort, read: str | None
) -> tuple[Injection, ...]:
    """Instructions on the way from the touched file up to the project's root, each told once."""
    project = context.project
    folders = touched_folders(context.tool.input, context.event.cwd)
    folders = tuple(folder for folder in folders if folder not in session.discovered_directories)
    if project is None or not folders:
        return ()
    skill = skill_of(context, effort.skill)
    discovery = discover(
        folders,
        root=project.path,
        skill_names=skill.directives or None if skill else None,
        known_folders=session.discovered_directories,
    )
    paths = [directive.path for directive in discovery.directives]
    context.work.efforts.add_directives(effort.id, paths, discovery.directories)
    new = context.work.sessions.add_directives(session.id, paths, discovery.directories)
    unread = (path for path in new if path != read and path not in session.loaded_files)
    listing = "\n".join(f"- {path}" for path in unread)
    if not listing:
        return ()
    return (Injection(rule_id=_FOUND, content=f"Read these before you go on in this place:\n{listing}"),)


def _keep_dialogue(context: EventContext, session: Session) -> dict[str, object] | None:
    """A question to the person and the answer, kept among the messages."""
    tool = context.tool
    preamble = preamble_of(transcript_of(context), tool.use_id) if tool.name == ASKING_TOOL else ""
    dialogue = dialogue_of(tool.name, tool.input, context.event.tool_output, preamble=preamble)
    if dialogue is None:
        return None
    context.work.messages.add(
        session.id, "dialogue", context.services.redact(dialogue.text), context.tool.name
    )
    entry: dict[str, object] = msgspec.to_builtins(dialogue)
    return entry


_LONGEST = 4_000  # characters of an error that are kept


def post_tool_use_failure(context: EventContext) -> Answer:
    """The agent is in trouble until it goes on, and the failure is kept among its messages."""
    content = {
        "event": "tool_use_failure",
        "toolName": context.tool.name,
        "error": (context.event.error or "")[:_LONGEST],
    }
    logged = context.note(context.session, content)
    return Answer(result={"agentUpdated": context.mark("error"), "messageLogged": logged})


def permission_request(context: EventContext) -> Answer:
    """The agent waits; people are told by the notification that follows where nobody answers at once."""
    return Answer(result={"agentUpdated": context.mark("attention")})
