"""`hooks.subagentStart`: a sub-agent begins, on the effort of its parent."""

from __future__ import annotations

from pathlib import PurePath

from interlock.features.work.event_context import Answer, Case
from interlock.features.work.inputs import SubagentStartInput
from interlock.features.work.recovery_text import joined
from interlock.features.work.results import SubagentStartResult
from interlock.features.work.tables.records import Effort, Skill
from interlock.features.work.transcripts.import_ import transcript_of


def subagent_start(case: Case[SubagentStartInput]) -> Answer:
    """A session of its own beside its parent's, which goes on; nothing where the parent has no effort."""
    given, work = case.given, case.work
    parent = work.sessions.open_of(given.session_id)
    if parent is None or parent.effort_id is None:
        return Answer(result=SubagentStartResult())
    effort = work.efforts.get(parent.effort_id)
    session = work.sessions.start(
        host=parent.host,
        host_session_id=given.session_id,
        agent_id=given.agent_id,
        effort=effort,
        transcript_path=transcript_of(case) or None,
    )
    template = _log_template(work.skills.get(case.ids.project_id, effort.skill))
    result = SubagentStartResult(
        session_id=session.id,
        effort_id=effort.id,
        log_template=template,
        directives=effort.discovered_directives,
        effort_metadata=effort.metadata,
    )
    return Answer(result=result, context=_context(case, effort, template))


def _log_template(skill: Skill | None) -> str | None:
    """Where the skill says how a log entry looks."""
    templates = skill.templates if skill else ()
    return next((path for path in templates if "LOG" in PurePath(path).name.upper()), None)


def _context(case: Case[SubagentStartInput], effort: Effort, template: str | None) -> str:
    phase = f", phase `{effort.current_phase}`" if effort.current_phase else ""
    first = (
        f"[Effort] You work for effort {effort.name} (`{effort.skill}`{phase}). Write down what you find "
        f'with `{case.program} log "…"` at least every {case.block_after(effort)} tool calls.'
    )
    read = "\n".join(f"- {path}" for path in effort.discovered_directives)
    return joined(
        [
            first,
            f"Log entries look like those in `{template}`." if template else None,
            f"Directives that hold here:\n{read}" if read else None,
        ]
    )
