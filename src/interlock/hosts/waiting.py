"""How long hosts wait for us, as installing wrote it into their settings: noted where the daemon looks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec

from interlock.hosts.whole_file import write_whole

FILE: Final = "host-timeouts.json"
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
    """Note the entries a settings file has now; without any it is no longer named."""
    noted = read_waiting(file)
    before = {path: {**events} for path, events in noted.get(host, {}).items()}
    after = {path: events for path, events in before.items() if path != str(settings)}
    if seconds:
        after[str(settings)] = dict(seconds)
    if after != before:
        write_whole(file, msgspec.json.encode({**noted, host: after}, order="sorted"), mode=0o600)


def rounds_of(noted: Noted, host: str, settings: Path) -> int | None:
    """How often hooks may send a turn back, as installing wrote it into one settings file."""
    found = noted.get(host, {}).get(str(settings), {}).get(ROUNDS)
    return None if found is None else int(found)


def waits(noted: Noted, host: str, event: str) -> float | None:
    """The seconds a host surely waits at an event: the least any of our entries there asks for."""
    found = [events[event] for events in noted.get(host, {}).values() if event in events]
    return min(found, default=None)
