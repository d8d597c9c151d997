"""`hooks.subagentStop`: a sub-agent has ended, and what it read is known to the effort."""

from __future__ import annotations

from interlock.features.work.event_context import Answer, Case
from interlock.features.work.inputs import SubagentStopInput
from interlock.features.work.results import SubagentStopResult
from interlock.features.work.transcripts.import_ import take_in

KEY = "loadedFiles"  # in an effort's metadata
_MOST = 500


def subagent_stop(case: Case[SubagentStopInput]) -> Answer:
    """End its session and no other; its files go to the effort it shared with its parent."""
    given, work = case.given, case.work
    session = work.sessions.open_of(given.session_id, given.agent_id)
    if session is None:
        return Answer(result=SubagentStopResult())
    take_in(case, session, given.agent_transcript_path)
    work.sessions.end(session.id, "subagent_stop")
    if session.effort_id is None or not session.loaded_files:
        return Answer(result=SubagentStopResult(session_ended=True))
    effort = work.efforts.get(session.effort_id)
    known = effort.metadata.get(KEY)
    files = [one for one in known if isinstance(one, str)] if isinstance(known, list) else []
    new = [path for path in session.loaded_files if path not in files]
    work.efforts.set_metadata(effort.id, {**effort.metadata, KEY: [*files, *new][-_MOST:]})
    return Answer(result=SubagentStopResult(session_ended=True, merged_files=tuple(new)))
