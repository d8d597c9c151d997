"""`settings.approval` and `settings.projects`: who may approve, for how long, and what needs no approval."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path as FilePath
from typing import Annotated, ClassVar, Final, Literal
from urllib.parse import urlsplit

import msgspec
from msgspec import UNSET, UnsetType

from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.hook import Pattern
from interlock.events.tool import ToolTable
from interlock.events.verdict import Vote
from interlock.patterns.covered_call import covered
from interlock.patterns.matcher import parse_pattern
from interlock.policy.files.document import Findings, Path
from interlock.policy.files.words import duration
from interlock.policy.format.entry import Text, about
from interlock.policy.settings.people import check_actor
from interlock.policy.settings_part import FileSettings, HasSettings, SettingsPart, trusted

MOST_WAITED = 55


class NotifySettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How people hear that somebody waits for them."""

    webhook: (
        Annotated[Text, about("An http(s) address that gets each request as JSON. It cannot answer.")]
        | UnsetType
    ) = UNSET
    desktop: Annotated[bool, about("true: show a desktop notification.")] | UnsetType = UNSET


class ApprovalSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How questions to a person are answered."""

    expires: (
        Annotated[Text, about("How long a request, and then its approval, is valid: `10m`.")] | UnsetType
    ) = UNSET
    wait_s: (
        Annotated[
            float,
            about(
                "Seconds a call waits for an answer. 0: it is denied at once, with a ticket.",
                ge=0,
                le=MOST_WAITED,
                extra={
                    "over": f"is more than {MOST_WAITED} seconds, which is as long as hosts wait; write less",
                    "under": f"is not a time to wait; write a number from 0 to {MOST_WAITED}",
                },
            ),
        ]
        | UnsetType
    ) = UNSET
    approvers: Annotated[
        dict[str, list[Text] | Literal["*"]],
        about("Who may approve what: `human:NAME` and patterns, or `*`. Empty: any person."),
    ] = {}
    notify: Annotated[NotifySettings, about("How people hear of a request.")] = NotifySettings()

    noun: ClassVar = "setting"


EXPIRES_SECONDS: Final = 600.0
_SHORTEST, _LONGEST = 1.0, 7 * 86_400.0
WORK_SECONDS: Final = _LONGEST  # a reviewer may be away for days
_PATH: Final[Path] = ("settings", "approval")

Approvers = tuple[tuple[str, ...], ...]
# Who may approve what: patterns, or None for everything.
Scopes = Mapping[str, tuple[Pattern, ...] | None]


class ApprovalRules(msgspec.Struct, frozen=True, kw_only=True):
    """The rules for every question to a person. What an earlier layer sets stands."""

    expires: float = EXPIRES_SECONDS
    work_expires: float = WORK_SECONDS  # of a question about a piece of work
    wait_s: float = 0.0
    scopes: tuple[Scopes, ...] = ()  # one of each layer that names approvers; all of them must permit
    webhook: str | None = None
    desktop: bool = False


def _merge(files: Iterable[FileSettings[ApprovalSettings]]) -> ApprovalRules:
    """What an earlier layer sets stands; a project may not say who approves what."""
    changes: dict[str, object] = {}
    scopes: list[Scopes] = []
    for file in trusted(files, "set `approval`"):
        for name, value in _rules(file.written, file.findings).items():
            changes.setdefault(name, value)
        if file.written.approvers:
            scopes.append(_scopes(file.written, file.findings))
    return msgspec.structs.replace(ApprovalRules(), **changes, scopes=tuple(scopes))


def _rules(settings: ApprovalSettings, findings: Findings) -> dict[str, object]:
    """What these settings set, except who may approve."""
    rules: dict[str, object] = {}
    if settings.expires:
        seconds = findings.attempt((*_PATH, "expires"), _expires, settings.expires)
        rules |= {"expires": seconds, "work_expires": seconds}
    if isinstance(settings.wait_s, float):
        if settings.wait_s < 0:
            findings.problem(
                (*_PATH, "wait_s"),
                f"`{settings.wait_s:g}` is not a time to wait; write a number from 0 to 55",
            )
        rules["wait_s"] = settings.wait_s
    if settings.notify.webhook:
        path = (*_PATH, "notify", "webhook")
        rules["webhook"] = findings.attempt(path, _address, settings.notify.webhook)
    if isinstance(settings.notify.desktop, bool):
        rules["desktop"] = settings.notify.desktop
    return rules


def _expires(text: str) -> float:
    seconds = duration(text)
    if not _SHORTEST <= seconds <= _LONGEST:
        raise ValueError(f"`{text}` is not between 1s and 7d; write a time like `10m`")
    return seconds


def _address(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError(f"`{text}` is not a web address; write `https://…`")
    return text


def _scopes(settings: ApprovalSettings, findings: Findings) -> Scopes:
    scopes: dict[str, tuple[Pattern, ...] | None] = {}
    for name, patterns in settings.approvers.items():
        path = (*_PATH, "approvers", name)
        check_actor(name, path, findings)
        if not name.startswith("human:"):
            findings.problem(path, f"`{name}` is not a person; write `human:NAME`, with the login name")
        if isinstance(patterns, str):
            scopes[name] = None
            continue
        parsed = (findings.attempt((*path, n), parse_pattern, text) for n, text in enumerate(patterns))
        scopes[name] = tuple(pattern for pattern in parsed if pattern is not None)
    return scopes


APPROVAL: Final = SettingsPart(key="approval", default=ApprovalSettings(), merge=_merge)


_PROJECTS: Final[Path] = ("settings", "projects")


class ProjectSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What holds in one folder."""

    grants: Annotated[
        dict[str, list[Text]],
        about("By actor, the calls that need no approval. `*` stands for one plain argument."),
    ] = {}


class StandingGrant(msgspec.Struct, frozen=True, kw_only=True):
    """One call that needs no approval in one folder."""

    folder: str  # the real path
    actor: str
    pattern: Pattern
    source: str  # file and line


def _merge_grants(files: Iterable[FileSettings[dict[str, ProjectSettings]]]) -> tuple[StandingGrant, ...]:
    """The grants of all files. A project's own file has none: it may not loosen."""
    return tuple(
        grant
        for file in trusted(files, "set `projects`")
        for folder, settings in file.written.items()
        for grant in _grants_of(folder, settings, file.findings)
    )


def _grants_of(folder: str, settings: ProjectSettings, findings: Findings) -> list[StandingGrant]:
    path = (*_PROJECTS, folder)
    if not folder.startswith(("/", "~/")):
        findings.problem(path, f"`{folder}` is not an absolute path; write it like `/home/me/app`")
        return []
    real = os.path.realpath(FilePath(folder).expanduser())
    grants = []
    for actor, texts in settings.grants.items():
        place = (*path, "grants", actor)
        check_actor(actor, place, findings)
        for index, text in enumerate(texts):
            pattern = findings.attempt((*place, index), _narrow, text)
            if pattern is not None:
                line = findings.document.at((*place, index)).line
                source = f"{findings.document.file}:{line}"
                grants.append(StandingGrant(folder=real, actor=actor, pattern=pattern, source=source))
    return grants


def _narrow(text: str) -> Pattern:
    """Accept only patterns for calls a person has seen: no whole tool, no effect, no other field."""
    pattern = parse_pattern(text)
    if pattern.effect or pattern.field is not None or not (pattern.glob or "").strip("*? "):
        raise ValueError(
            f"`{text}` covers too much; write a pattern for some calls of one tool, such as `Bash(make test)`"
        )
    return pattern


STANDING_GRANTS: Final = SettingsPart[dict[str, ProjectSettings], tuple[StandingGrant, ...]](
    key="projects",
    default={},
    shape=Annotated[dict[str, ProjectSettings], about("By folder, the calls that need no approval there.")],
    merge=_merge_grants,
)


POLICY: Final = "policy"  # what settled the ask, in a decision's record


def standing_answer(
    event: Event, decision: Decision, policy: HasSettings, tools: ToolTable
) -> Decision | None:
    """The ask as an allow, if grants of its folder and actor cover the whole call; else None.

    Where the policy names approvers, a line in a file is not enough.
    """
    grants = STANDING_GRANTS.get(policy)
    if not grants or decision.vote is not Vote.ASK or decision.approvers or APPROVAL.get(policy).scopes:
        return None
    final = event if decision.updated_input is None else event.with_input(decision.updated_input)
    here = os.path.realpath(event.cwd) if event.cwd else ""
    grants_here = [grant for grant in grants if grant.folder == here and grant.actor == event.actor]
    if not grants_here or not covered(final, [grant.pattern for grant in grants_here], tools):
        return None
    places = ", ".join(dict.fromkeys(grant.source for grant in grants_here[:1]))
    return msgspec.structs.replace(
        decision, vote=Vote.ALLOW, reason=f"granted for this folder in {places}", approval=POLICY
    )
