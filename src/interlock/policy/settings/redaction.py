"""`settings.redact`: what a user's own secrets look like, beside those everybody knows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, ClassVar, Final

import msgspec
from msgspec import Meta

from interlock.policy.format.entry import Text
from interlock.policy.settings_part import FileSettings, SettingsPart, trusted
from interlock.redaction.own import Own, check_name, compile_pattern


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


def _merge(files: Iterable[FileSettings[RedactSettings]]) -> Own:
    """The patterns and names of all files together; a project has none, or it could hide what was done."""
    patterns: dict[str, None] = {}
    names: dict[str, None] = {}
    for file in trusted(files, "say what is taken out of evidence"):
        path, attempt = file.part.path, file.findings.attempt
        for index, pattern in enumerate(file.written.patterns):
            if attempt((*path, "patterns", index), compile_pattern, pattern) is not None:
                patterns[pattern] = None
        for index, name in enumerate(file.written.names):
            if attempt((*path, "names", index), check_name, name) is not None:
                names[name] = None
    return Own(patterns=tuple(patterns), names=tuple(names))


REDACTION: Final = SettingsPart(key="redact", default=RedactSettings(), merge=_merge)
