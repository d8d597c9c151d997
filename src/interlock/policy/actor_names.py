"""Actor names as policy files write them: `kind:name`."""

from __future__ import annotations

import re
from typing import Final

from interlock.policy.files.node import Path
from interlock.policy.files.problems import Findings
from interlock.policy.format.genesis_key import ACTOR, PERSON

_SHAPE: Final = re.compile(ACTOR)
_PERSON: Final = re.compile(PERSON)


def check_actor(name: str, path: Path, findings: Findings, *, patterns: bool = False) -> None:
    """Note a name that is none; a `*` is accepted only where patterns are."""
    if not _SHAPE.fullmatch(name):
        _nobody(
            path, f"`{name}` is not an actor; write `kind:name`, as in `agent:executor`", findings, patterns
        )
    elif "*" in name and not patterns:
        findings.problem(path, f"`{name}` stands for many actors; name one, as in `agent:executor`")


def check_person(name: str, path: Path, findings: Findings, *, patterns: bool = False) -> None:
    """The same for names on commitments, where an address such as git's is one too."""
    if not _PERSON.fullmatch(name):
        _nobody(path, f"`{name}` is nobody; write `kind:name`, an address or `user`", findings, patterns)
    elif "*" in name and not patterns:
        findings.problem(path, f"`{name}` stands for many; name one, as in `human:ada`")


def _nobody(path: Path, message: str, findings: Findings, entry: bool) -> None:
    """Other systems name people by any word: an entry under such a name is kept, and is nobody's here."""
    if findings.foreign and entry:
        findings.notice(path, f"kept, not used: {message}")
    else:
        findings.problem(path, message)
