"""`settings.approval`: who may approve, how long an approval lasts, and how people are notified."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, ClassVar, Final, Literal
from urllib.parse import urlsplit

import msgspec
from msgspec import UNSET, Meta, UnsetType

from interlock.events.hook import Pattern
from interlock.patterns.matcher import parse_pattern
from interlock.policy.files.document import Findings, Path
from interlock.policy.files.words import duration
from interlock.policy.format.entry import Text
from interlock.policy.settings.people import check_actor
from interlock.policy.settings_part import FileSettings, SettingsPart, trusted

MOST_WAITED = 55


class NotifySettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How people hear that somebody waits for them."""

    webhook: (
        Annotated[
            Text, Meta(description="An http(s) address that gets each request as JSON. It cannot answer.")
        ]
        | UnsetType
    ) = UNSET
    desktop: Annotated[bool, Meta(description="true: show a desktop notification.")] | UnsetType = UNSET


class ApprovalSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How questions to a person are answered."""

    expires: (
        Annotated[Text, Meta(description="How long a request, and then its approval, is valid: `10m`.")]
        | UnsetType
    ) = UNSET
    wait_s: (
        Annotated[
            float,
            Meta(
                ge=0,
                le=MOST_WAITED,
                description="Seconds a call waits for an answer. 0: it is denied at once, with a ticket.",
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
        Meta(description="Who may approve what: `human:NAME` and patterns, or `*`. Empty: any person."),
    ] = {}
    notify: Annotated[NotifySettings, Meta(description="How people hear of a request.")] = NotifySettings()

    noun: ClassVar = "setting"


EXPIRES_SECONDS: Final = 600.0
_SHORTEST, _LONGEST = 1.0, 7 * 86_400.0
WORK_SECONDS: Final = _LONGEST  # whoever is to look at a piece of work may be away for days
_PATH: Final[Path] = ("settings", "approval")

# Who may say yes to what: patterns, or None for everything.
Scopes = Mapping[str, tuple[Pattern, ...] | None]


class ApprovalRules(msgspec.Struct, frozen=True, kw_only=True):
    """What holds for every question to a person; what an earlier layer says stands."""

    expires: float = EXPIRES_SECONDS
    work_expires: float = WORK_SECONDS  # of a question about a piece of work
    wait_s: float = 0.0
    scopes: tuple[Scopes, ...] = ()  # one of each layer that names approvers; each of them must permit
    webhook: str | None = None
    desktop: bool = False


def _merge(files: Iterable[FileSettings[ApprovalSettings]]) -> ApprovalRules:
    """What an earlier layer says stands; a project may not say who approves what."""
    changes: dict[str, object] = {}
    scopes: list[Scopes] = []
    for file in trusted(files, "set `approval`"):
        for name, value in _rules(file.written, file.findings).items():
            changes.setdefault(name, value)
        if file.written.approvers:
            scopes.append(_scopes(file.written, file.findings))
    return msgspec.structs.replace(ApprovalRules(), **changes, scopes=tuple(scopes))


def _rules(settings: ApprovalSettings, findings: Findings) -> dict[str, object]:
    """What these settings say, beside who may approve."""
    said: dict[str, object] = {}
    if settings.expires:
        seconds = findings.attempt((*_PATH, "expires"), _expires, settings.expires)
        said |= {"expires": seconds, "work_expires": seconds}
    if isinstance(settings.wait_s, float):
        if settings.wait_s < 0:
            findings.problem(
                (*_PATH, "wait_s"),
                f"`{settings.wait_s:g}` is not a time to wait; write a number from 0 to 55",
            )
        said["wait_s"] = settings.wait_s
    if settings.notify.webhook:
        path = (*_PATH, "notify", "webhook")
        said["webhook"] = findings.attempt(path, _address, settings.notify.webhook)
    if isinstance(settings.notify.desktop, bool):
        said["desktop"] = settings.notify.desktop
    return said


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
    found: dict[str, tuple[Pattern, ...] | None] = {}
    for name, patterns in settings.approvers.items():
        path = (*_PATH, "approvers", name)
        check_actor(name, path, findings)
        if not name.startswith("human:"):
            findings.problem(path, f"`{name}` is not a person; write `human:NAME`, with the login name")
        if isinstance(patterns, str):
            found[name] = None
            continue
        parsed = (findings.attempt((*path, n), parse_pattern, text) for n, text in enumerate(patterns))
        found[name] = tuple(pattern for pattern in parsed if pattern is not None)
    return found


APPROVAL: Final = SettingsPart(key="approval", default=ApprovalSettings(), merge=_merge)
