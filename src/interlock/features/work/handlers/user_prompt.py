"""`hooks.userPrompt`: a person says something, and the agent is told where its work stands."""

from __future__ import annotations

from interlock.features.work.event_context import Answer, Case
from interlock.features.work.inputs import UserPromptInput
from interlock.features.work.recovery_text import context_line
from interlock.features.work.results import UserPromptResult
from interlock.store.clock import timestamp


def user_prompt(case: Case[UserPromptInput]) -> Answer:
    """Reads, and says that the agent is at work; changes nothing else."""
    case.work.agents.seen(
        case.agent_id,
        label=case.label,
        host_session_id=case.given.session_id,
        pane=case.pane,
        tmux=case.tmux,
    )
    case.mark("working")
    session, effort, task = case.session, case.effort, case.task
    if session is None or effort is None or task is None:
        return Answer(result=UserPromptResult(session_id=session.id if session else None))
    most = case.block_after(effort)
    line = context_line(
        time=timestamp(case.work.clock()),
        session=session.id,
        skill=effort.skill,
        phase=effort.current_phase,
        beat=session.heartbeat_counter,
        block_after=most,
    )
    result = UserPromptResult(
        session_context=line,
        effort_id=effort.id,
        session_id=session.id,
        task_dir=task.dir_path,
        skill=effort.skill,
        phase=effort.current_phase,
        heartbeat=f"{session.heartbeat_counter}/{most}",
    )
    return Answer(result=result, context=line)
