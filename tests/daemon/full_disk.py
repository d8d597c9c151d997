"""Run as a program, with a small disk of its own at HOME: fills it under a daemon, makes room, reports.

`python full_disk.py HOME` prints one line of JSON per round; each leaves another number of bytes free at
first, so that the disk is full at another write. The last line is of a daemon that has to start when it is.
"""

from __future__ import annotations

import json
import os
import sys
import time
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

from tests.daemon.home import PATIENCE, Home, bash, decided, event, wait_for

from interlock.store.files import ROOM

FREE = (0, 4_096, 12_288, 28_672, 49_152, 73_728, 102_400)  # a call takes about 104,000
MOST_CALLS = 400  # far more than fit
BIG: dict[str, Any] = {
    "tool_name": "Write",
    "tool_input": {"file_path": "/usr/share/x", "content": "x" * 100_000},
}
DONE: dict[str, Any] = {**BIG, "tool_response": {}}
AFTER = 3


class Disk:
    """The small disk, and a file that takes up its room."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._ballast = folder / "ballast"

    def fill(self, free: int) -> None:
        """Leave so many bytes."""
        found = os.statvfs(self._folder)
        size = found.f_bavail * found.f_frsize - free
        # The daemon may write meanwhile: then the disk is full sooner, which is what was wanted.
        with self._ballast.open("wb", buffering=0) as file, suppress(OSError):
            for at in range(0, size, 65_536):
                file.write(bytes(min(65_536, size - at)))

    def make_room(self) -> None:
        """Give everything back."""
        self._ballast.unlink()


def round_of(home: Home, disk: Disk, free: int, ids: count[int]) -> dict[str, Any]:
    """Call until the disk is full, go on a little, make room, and call again."""
    before = {op: len(home.entries(op)) for op in ("decision", "gap")}
    disk.fill(free)
    answers: list[tuple[str | None, str]] = []
    while (not answers or answers[-1][0] is None) and len(answers) < MOST_CALLS:
        answers.append(decided(home.call(event(**BIG, tool_use_id=f"t{next(ids)}"))))
    after = [
        decided(home.call(event("PostToolUse", **DONE, tool_use_id=f"t{next(ids)}"))) for _ in range(AFTER)
    ]
    time.sleep(0.2)  # by then it was tried to write them
    answers.append(decided(home.call(event(**BIG, tool_use_id=f"t{next(ids)}"))))
    disk.make_room()
    answers.append(decided(home.call(bash("ls", tool_use_id=f"t{next(ids)}"))))
    gaps = home.entries("gap")[before["gap"] :]
    found = home.status()
    return {
        "free": free,
        "answers": answers,
        "after": after,
        "recorded": len(home.entries("decision")) - before["decision"],
        "lost": [gap.body["lost"] for gap in gaps],
        "pid": found["pid"] if found else None,
        "broken": home.broken(),
    }


def start_full(home: Home, disk: Disk) -> dict[str, Any]:
    """The shim must start a daemon where nothing can be written, and again when there is room."""
    disk.fill(0)
    refused = decided(home.shim(bash("ls", tool_use_id="full")))
    passed = home.shim(event("PostToolUse", **DONE, tool_use_id="after"))
    disk.make_room()
    return {
        "refused": refused,
        "passed": [passed.returncode, passed.stdout.decode()],
        "with_room": decided(home.shim(bash("ls", tool_use_id="room"))),
        "recorded": [entry.body.get("tool_use_id") for entry in home.entries("decision")][-1],
        "broken": home.broken(),
    }


def main() -> None:
    """Every round on one daemon; then one that starts."""
    home, ids = Home(folder=Path(sys.argv[1])), count()
    disk = Disk(home.folder)
    home.write_launch()
    process = home.start()
    log = home.places.database.with_name(f"{home.places.database.name}-wal")
    wait_for(lambda: log.stat().st_size >= ROOM, "the room for the log is made")
    for free in FREE:
        sys.stdout.write(json.dumps(round_of(home, disk, free, ids)) + "\n")
    process.terminate()
    process.wait(PATIENCE)
    try:
        sys.stdout.write(json.dumps(start_full(home, disk)) + "\n")
    finally:
        home.end()


if __name__ == "__main__":
    main()
