"""What each of the fifteen handlers answers, in camelCase on the wire."""

from __future__ import annotations

import msgspec
from msgspec import UNSET, UnsetType

from interlock.events.tool import JsonObject
from interlock.features.work.efforts.guard_rules import Fired


class Result(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Numbers of ours are null where nothing was found."""


class SessionStartResult(Result, frozen=True, kw_only=True):
    """What a new window takes up."""

    found: bool = False  # whether there is an effort to go on with
    effort_id: int | None = None
    session_id: int | None = None
    skill: str | None = None
    phase: str | None = None
    files_to_preload: tuple[str, ...] = ()
    dehydrated_context: JsonObject | None = None  # what the window before left behind
    skill_config: JsonObject | None = None


class SessionEndResult(Result, frozen=True, kw_only=True):
    """What ended."""

    session_ended: bool = False
    agent_updated: bool = False


class PreCompactResult(Result, frozen=True, kw_only=True):
    """What an automatic compaction ended, and how the work is taken up again."""

    session_ended: bool = False
    restart_prompt: str | None = None
    killed: bool = False


class PreToolUseResult(Result, frozen=True, kw_only=True):
    """Whether the call may go on, as far as the work is concerned."""

    allow: bool = True
    heartbeat_count: int = 0
    context_usage: float | None = None
    overflow_warning: bool = False
    pending_preloads: tuple[str, ...] = ()  # directives that nobody has read yet
    fired_rules: tuple[Fired, ...] = ()
    reason: str | UnsetType = UNSET  # only with a no


class PostToolUseResult(Result, frozen=True, kw_only=True):
    """What the model is told after a call."""

    heartbeat_count: int = 0
    pending_injections: tuple[JsonObject, ...] = ()
    dialogue_entry: JsonObject | None = None


class PostToolUseFailureResult(Result, frozen=True, kw_only=True):
    """What was noted of a failure."""

    agent_updated: bool = False
    message_logged: bool = False


class StopResult(Result, frozen=True, kw_only=True):
    """How the turn ended."""

    agent_updated: bool = False
    exhaustion: str | None = None  # rate_limit or context, where the transcript speaks of one


class UserPromptResult(Result, frozen=True, kw_only=True):
    """Where the work stands."""

    session_context: str = ""
    effort_id: int | None = None
    session_id: int | None = None
    task_dir: str | None = None
    skill: str | None = None
    phase: str | None = None
    heartbeat: str = "0/10"


class NotificationResult(Result, frozen=True, kw_only=True):
    """Whether the agent now waits for somebody."""

    agent_updated: bool = False


class PermissionRequestResult(Result, frozen=True, kw_only=True):
    """Whether the agent now waits for somebody."""

    agent_updated: bool = False


class TeammateIdleResult(Result, frozen=True, kw_only=True):
    """Who was told."""

    agent_updated: bool = False
    coordinator_signaled: bool = False
    message_logged: bool = False


class TaskCompletedResult(Result, frozen=True, kw_only=True):
    """What was noted of it."""

    message_logged: bool = False
    effort_updated: bool = False


class SubagentStartResult(Result, frozen=True, kw_only=True):
    """What a sub-agent begins with."""

    session_id: int | None = None
    effort_id: int | None = None
    log_template: str | None = None
    directives: tuple[str, ...] = ()
    effort_metadata: JsonObject | None = None


class SubagentStopResult(Result, frozen=True, kw_only=True):
    """What a sub-agent leaves."""

    session_ended: bool = False
    merged_files: tuple[str, ...] = ()  # what it had loaded and its parent's effort did not know of


class ConfigChangeResult(Result, frozen=True, kw_only=True):
    """Whether skills are read anew."""

    skills_forgotten: int = 0


class SkillError(Result, frozen=True, kw_only=True):
    """A skill file that cannot be used."""

    path: str
    message: str


class FleetStartResult(Result, frozen=True, kw_only=True):
    """Which skills are known now."""

    skills: tuple[str, ...] = ()
    errors: tuple[SkillError, ...] = ()
