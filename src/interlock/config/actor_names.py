"""Actor names as policy files write them: `kind:name`."""

from __future__ import annotations

import re
from typing import Final

from interlock.config.findings import Findings
from interlock.config.genesis import ACTOR
from interlock.config.node import Path

_SHAPE: Final = re.compile(ACTOR)


def check_actor(name: str, path: Path, findings: Findings, *, patterns: bool = False) -> None:
    """Note a name that is none; a `*` is accepted only where patterns are."""
    if not _SHAPE.fullmatch(name):
        findings.problem(path, f"`{name}` is no actor; write `kind:name`, as in `agent:executor`")
    elif "*" in name and not patterns:
        findings.problem(path, f"`{name}` stands for many actors; name one, as in `agent:executor`")
