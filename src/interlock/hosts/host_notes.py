"""What we note of hosts: how long their settings let them wait, and which versions passed the self-test."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

import msgspec

from interlock.files.own_files import write_whole

VERSIONS_FILE: Final = "host-versions.json"


def read_versions(file: Path) -> set[str]:
    """Each as `claude-code 2.1.197`; one forgotten is tried once more, which is harmless."""
    try:
        return set(msgspec.json.decode(file.read_bytes(), type=list[str]))
    except (OSError, msgspec.DecodeError):
        return set()


def newest_version(seen: Iterable[str], host: str) -> str:
    """The latest version of a host; empty when none is known."""
    versions = [version for name, _, version in (entry.partition(" ") for entry in seen) if name == host]
    numeric = [version for version in versions if all(part.isdecimal() for part in version.split("."))]
    return max(numeric, key=lambda version: [int(part) for part in version.split(".")], default="")


TIMEOUTS_FILE: Final = "host-timeouts.json"
ROUNDS: Final = "stop_rounds"  # beside the events: how often hooks may send a turn back there
# Host, settings file, event: the seconds of our entry there.
Noted = dict[str, dict[str, dict[str, float]]]


def read_waiting(file: Path) -> Noted:
    """What is noted; nothing where it cannot be read, which leaves the usual times."""
    try:
        return msgspec.json.decode(file.read_bytes(), type=Noted)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return {}


def note_waiting(file: Path, host: str, settings: Path, seconds: Mapping[str, float]) -> None:
    """Note the entries a settings file has now; a file without any is dropped."""
    noted = read_waiting(file)
    before = {path: {**events} for path, events in noted.get(host, {}).items()}
    after = {path: events for path, events in before.items() if path != str(settings)}
    if seconds:
        after[str(settings)] = dict(seconds)
    if after != before:
        write_whole(
            file, msgspec.json.encode({**noted, host: after}, order="sorted"), mode=0o600, follow=True
        )


def rounds_of(noted: Noted, host: str, settings: Path) -> int | None:
    """How often hooks may send a turn back, as installing wrote it into one settings file."""
    rounds = noted.get(host, {}).get(str(settings), {}).get(ROUNDS)
    return None if rounds is None else int(rounds)


def waits(noted: Noted, host: str, event: str) -> float | None:
    """The seconds a host surely waits at an event: the least any of our entries there asks for."""
    seconds = [events[event] for events in noted.get(host, {}).values() if event in events]
    return min(seconds, default=None)
