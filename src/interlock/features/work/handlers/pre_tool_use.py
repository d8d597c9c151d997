"""`hooks.preToolUse`: counts calls without a word, warns of a full window, and holds what must wait."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any, Final

import msgspec

from interlock.events.tool_table import STANDARD_TOOLS
from interlock.features.work.artifacts import handover_name
from interlock.features.work.directive_gate import judged, read_target, unread
from interlock.features.work.directives import CORE
from interlock.features.work.effort_skill import effort_call, is_effort_call
from interlock.features.work.event_context import Answer, Case, encoded
from interlock.features.work.guard_rules import Fired, fired
from interlock.features.work.inputs import PreToolUseInput
from interlock.features.work.recovery_text import joined, overflow_warning
from interlock.features.work.results import PreToolUseResult
from interlock.features.work.tables.records import Effort, Session
from interlock.features.work.transcripts.import_ import transcript_of

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
