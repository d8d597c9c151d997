"""`hooks.notification`, `taskCompleted` and `configChange`: what a host tells of beside the work."""

from __future__ import annotations

from pathlib import PurePath
from typing import Final

from interlock.features.work.event_context import Answer, Case, Happening, Kind
from interlock.features.work.inputs import ConfigChangeInput, NotificationInput, TaskCompletedInput
from interlock.features.work.results import ConfigChangeResult, NotificationResult, TaskCompletedResult
from interlock.store.clock import timestamp

# The others only report: somebody signed in, a dialog was answered, an agent in the background is done.
WAITING: Final = frozenset(
    {"permission_prompt", "idle_prompt", "elicitation_dialog", "elicitation_url_dialog", "agent_needs_input"}
)


def notification(case: Case[NotificationInput]) -> Answer:
    """An agent that waits for somebody says so."""
    given = case.given
    if given.notification_type not in WAITING:
        return Answer(result=NotificationResult())
    updated = case.mark("attention")
    case.means.announce(
        Happening(
            kind=Kind.ATTENTION,
            agent=case.agent_id,
            label=case.label,
            session_id=given.session_id,
            text=case.means.redact(
                given.message or given.title or "it waits for you"
            ),  # it may leave the machine
            notify=case.rules.notify,
        )
    )
    return Answer(result=NotificationResult(agent_updated=updated))


KEY = "completedTasks"  # in an effort's metadata
_MOST = 200


def task_completed(case: Case[TaskCompletedInput]) -> Answer:
    """Kept among the messages and with the effort; told twice, it is kept once."""
    given, effort = case.given, case.effort
    known = effort.metadata.get(KEY) if effort else None
    done = [one for one in known if isinstance(one, dict)] if isinstance(known, list) else []
    same = [given.task_id, given.task_subject, given.teammate_name]
    if any([one.get("taskId"), one.get("taskSubject"), one.get("teammateName")] == same for one in done):
        return Answer(result=TaskCompletedResult())
    item = {"taskId": given.task_id, "taskSubject": given.task_subject}
    if given.teammate_name is not None:
        item |= {"teammateName": given.teammate_name, "teamName": given.team_name or ""}
    logged = case.note(case.session, {"event": "task_completed", **item})
    if effort is not None:
        kept = [*done, {**item, "at": timestamp(case.work.clock())}][-_MOST:]
        case.work.efforts.set_metadata(effort.id, {**effort.metadata, KEY: kept})
    return Answer(result=TaskCompletedResult(message_logged=logged, effort_updated=effort is not None))


_SKILLS = "skills"


def config_change(case: Case[ConfigChangeInput]) -> Answer:
    """What is known of the skills is forgotten when they changed; settings are none of our business."""
    given, project = case.given, case.ids.project_id
    named = PurePath(given.file_path).parts if given.file_path else ()
    if project is None or (given.source != _SKILLS and _SKILLS not in named):
        return Answer(result=ConfigChangeResult())
    return Answer(result=ConfigChangeResult(skills_forgotten=case.work.skills.forget(project)))
