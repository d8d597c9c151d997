"""`hooks.taskCompleted`: an item of the agent's own list is done; it is no task of ours."""

from __future__ import annotations

from interlock.features.work.event_context import Answer, Case
from interlock.features.work.inputs import TaskCompletedInput
from interlock.features.work.results import TaskCompletedResult
from interlock.store.clock import timestamp

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
