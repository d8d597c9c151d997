"""`settings.redact`: what a user's own secrets look like, beside those everybody knows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, ClassVar, Final

import msgspec
from msgspec import Meta

from interlock.events.source import Layer
from interlock.policy.files.problems import Findings
from interlock.policy.format.entry import Text
from interlock.redaction.own import Own, checked_name, compiled

_PATH: Final = ("settings", "redact")


class RedactSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is taken out of records beside well-known secrets."""

    patterns: Annotated[
        list[Text],
        Meta(description="RE2 regular expressions; with a group, only the group is taken out."),
    ] = []
    names: Annotated[
        list[Text], Meta(description="Names of variables and members whose values are secret.")
    ] = []

    noun: ClassVar = "setting"


def redact_of(files: Iterable[tuple[Layer, RedactSettings, Findings]]) -> Own:
    """The patterns and names of all files together; a project has none, or it could hide what was done."""
    patterns: dict[str, None] = {}
    names: dict[str, None] = {}
    for layer, settings, findings in files:
        if settings == RedactSettings():
            continue
        if not layer.trusted:
            message = "only the managed or user layer may say what is taken out of evidence; move it there"
            findings.problem(_PATH, message)
            continue
        for index, pattern in enumerate(settings.patterns):
            if findings.attempt((*_PATH, "patterns", index), compiled, pattern) is not None:
                patterns[pattern] = None
        for index, name in enumerate(settings.names):
            if findings.attempt((*_PATH, "names", index), checked_name, name) is not None:
                names[name] = None
    return Own(patterns=tuple(patterns), names=tuple(names))
