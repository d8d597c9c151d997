"""A project's file may only tighten: what would loosen is put back, and said."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final, TypeVar

import msgspec

from interlock.events.hook import Dialect, Hook, Layer, OnFailure
from interlock.policy.files.document import Findings, Path
from interlock.policy.format.entry import Entry, WebhookConfig

AnyEntry = TypeVar("AnyEntry", bound=Entry)

# Field, whether its value would loosen, what it is put back to, and the deed in words.
_LOOSENING: Final[tuple[tuple[str, Callable[[Any], bool], Any, str], ...]] = (
    ("auto_approve", lambda value: value is True, False, "approve calls"),
    ("on_failure", lambda value: value is OnFailure.OPEN, msgspec.UNSET, "let a hook fail open"),
    ("observe", lambda value: value is True, False, "take a hook's vote away"),
    ("mode", lambda value: value == "shadow", "enforce", "run a hook in shadow"),
    ("dialect", lambda value: value == Dialect.CLAUDE, "genesis", "follow rules that let a failure pass"),
    ("rejudge", lambda value: value is False, True, "exempt a hook from its second run"),
)

_JUDGING: Final = frozenset({"deny", "ask", "cleaning", "genesis_enforcement", "self_protection"})


def tightened(entry: AnyEntry, layer: Layer, path: Path, default: float, findings: Findings) -> AnyEntry:
    """The entry as its layer may have it; the hook itself always stays."""
    if layer.trusted:
        return entry
    changes: dict[str, Any] = {}
    for field, loosens, safe, deed in _LOOSENING:
        if loosens(getattr(entry, field, None)):
            findings.notice((*path, field), _ignored(deed))
            changes[field] = safe
    if (entry.seconds or 0) > default:
        written = next(key for key in ("timeout_ms", "timeout", "timeout_sec") if getattr(entry, key))
        findings.notice((*path, written), _ignored(f"wait longer than {default:g} seconds"))
        changes[written] = msgspec.UNSET
    return msgspec.structs.replace(entry, **changes)


def tightened_webhook(config: WebhookConfig, layer: Layer, path: Path, findings: Findings) -> WebhookConfig:
    """The webhook as its layer may have it: never aimed at a private network by a project."""
    if layer.trusted or not config.allow_private:
        return config
    findings.notice((*path, "allow_private"), _ignored("call private addresses"))
    return msgspec.structs.replace(config, allow_private=False)


def only_tightening(hooks: Iterable[Hook]) -> list[Hook]:
    """The hooks that can only deny, ask or record: nothing that runs, calls out or changes a call."""
    return [hook for hook in hooks if hook.tightens]


def judging(hooks: Iterable[Hook]) -> list[Hook]:
    """The hooks that say what an actor may do and leave no trace of having been asked."""
    return [hook for hook in hooks if hook.handler.kind in _JUDGING and not hook.once]


def _ignored(deed: str) -> str:
    return f"ignored: only the managed or user layer may {deed}; move it there"
