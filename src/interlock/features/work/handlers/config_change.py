"""`hooks.configChange`: a settings file or a skill of the host has changed."""

from __future__ import annotations

from pathlib import PurePath

from interlock.features.work.event_context import Answer, Case
from interlock.features.work.inputs import ConfigChangeInput
from interlock.features.work.results import ConfigChangeResult

_SKILLS = "skills"


def config_change(case: Case[ConfigChangeInput]) -> Answer:
    """What is known of the skills is forgotten when they changed; settings are none of our business."""
    given, project = case.given, case.ids.project_id
    named = PurePath(given.file_path).parts if given.file_path else ()
    if project is None or (given.source != _SKILLS and _SKILLS not in named):
        return Answer(result=ConfigChangeResult())
    return Answer(result=ConfigChangeResult(skills_forgotten=case.work.skills.forget(project)))
