"""`hooks.postToolUse`: after a call that went well, the work of five hooks is done in one round trip."""

from __future__ import annotations

import msgspec

from interlock.features.work.dialogue import dialogue_of
from interlock.features.work.directive_gate import read_target
from interlock.features.work.directives import discover, touched_folders
from interlock.features.work.event_context import Answer, Case
from interlock.features.work.injections import KEY, Injection, as_documents, injected, read_injections, taken
from interlock.features.work.inputs import PostToolUseInput
from interlock.features.work.results import PostToolUseResult
from interlock.features.work.skills.cache import skill_of
from interlock.features.work.skills.given_files import files_given
from interlock.features.work.tables.records import Effort, Session
from interlock.features.work.transcripts.import_ import take_in, transcript_of

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
