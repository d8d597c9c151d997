"""The process that ships, as the daemon starts it."""

from __future__ import annotations

import subprocess
from contextlib import suppress

import msgspec
from tests.features.team_ledger.fleet import Fleet, Machine

from interlock.features.team_ledger.service import COMMAND
from interlock.features.team_ledger.shipper import Job


def start(fleet: Fleet, machine: Machine) -> subprocess.Popen[bytes]:
    """Start it and give it its job."""
    process = subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    job = Job(database=str(machine.path), state=str(machine.path.parent), fleet=fleet.settings(machine.name))
    _write(process, msgspec.json.encode(job) + b"\n")
    return process


def nudge(process: subprocess.Popen[bytes]) -> None:
    """Say that there is something new."""
    _write(process, b"\n")


def _write(process: subprocess.Popen[bytes], line: bytes) -> None:
    assert process.stdin is not None
    process.stdin.write(line)
    process.stdin.flush()


def end(process: subprocess.Popen[bytes]) -> None:
    """Kill it."""
    process.kill()
    with suppress(BrokenPipeError):
        process.communicate()
