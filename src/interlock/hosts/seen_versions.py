"""The host versions under which the self-test has passed, remembered in a file."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

import msgspec

SEEN: Final = "host-versions.json"


def read_seen(file: Path) -> set[str]:
    """Each as `claude-code 2.1.197`; one forgotten is tried once more, which is harmless."""
    try:
        return set(msgspec.json.decode(file.read_bytes(), type=list[str]))
    except (OSError, msgspec.DecodeError):
        return set()


def newest_seen(seen: Iterable[str], host: str) -> str:
    """The latest version of a host; empty when none is known."""
    versions = [version for name, _, version in (one.partition(" ") for one in seen) if name == host]
    known = [version for version in versions if all(part.isdecimal() for part in version.split("."))]
    return max(known, key=lambda version: [int(part) for part in version.split(".")], default="")
