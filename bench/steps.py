"""Counts what a call costs the daemon: steps of the interpreter, and the files and packages on its way.

Run it as `python -m bench.steps [--turn 32] [--top 40] [--way]`.
Clocks differ from run to run by more than most changes to the code are worth; bytecodes and calls of Python
functions do not differ at all.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from itertools import pairwise
from types import CodeType, FrameType
from typing import Any

from bench.daemon import event, home
from bench.figure import note, row

from interlock.daemon.app import DaemonApp
from interlock.daemon.call_intake import PendingAnswer
from interlock.daemon.protocol import Call
from interlock.redaction.redactor import Redactor

TURNS, WARM = 10, 2
FILES, CHANGES = 50, 25


class Steps:
    """Bytecodes and calls, by the function they belong to."""

    def __init__(self) -> None:
        self.codes: Counter[CodeType] = Counter()
        self.calls: Counter[CodeType] = Counter()
        self.way: list[str] = []  # the file of every call of a function of ours, in order

    def trace(self, frame: FrameType, what: str, _: Any) -> Any:
        """What `sys.settrace` asks for."""
        if what == "call":
            frame.f_trace_opcodes, frame.f_trace_lines = True, False
            self.calls[frame.f_code] += 1
            if "/interlock/" in frame.f_code.co_filename:
                self.way.append(frame.f_code.co_filename.rpartition("/interlock/")[2])
        elif what == "opcode":
            self.codes[frame.f_code] += 1
        return self.trace


def package(file: str) -> str:
    """`features/approvals` or `engine`; a file beside the packages stands for itself."""
    parts = file.split("/")
    return "/".join(parts[:2]) if parts[0] in {"features", "builtin_hooks"} and parts[2:] else parts[0]


def calls_of(turn: int) -> list[list[Call]]:
    """Turns of calls that differ in their texts, as those of `bench.daemon` do: each client is a session."""
    shape = event("PreToolUse", "bench-######")
    payloads = [
        shape.replace(b"@@@@@@@@", b"%08d" % i).replace(b"######", b"%06d" % (i % turn))
        for i in range(turn * TURNS)
    ]
    calls = [Call(host="claude-code", shim="bench", payload=payload) for payload in payloads]
    return [calls[start : start + turn] for start in range(0, len(calls), turn)]


async def count_steps(turns: Sequence[Sequence[Call]]) -> Steps:
    """Let a real daemon's parts, without its socket, answer all turns; the first ones are not counted."""
    steps = Steps()
    with home() as (_, places):
        places.state.mkdir()
        app = DaemonApp(places, Redactor(bytes(32)), asyncio.get_running_loop(), lambda: None)
        with closing(app.connection):
            for number, calls in enumerate(turns):
                sys.settrace(steps.trace if number >= WARM else None)
                for call in calls:
                    answer = app.decider.receive(call)
                    assert isinstance(answer, PendingAnswer), "these hooks answer at once"
                    app.committer.submit(answer, lambda _: None, in_turn=True)
                app.committer.end_turn()
                sys.settrace(None)
    return steps


def main() -> int:
    """Print the sums and the dearest functions."""
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("--turn", type=int, default=32, help="calls that are taken together")
    given.add_argument("--top", type=int, default=0, help="how many functions to list")
    given.add_argument("--way", action="store_true", help="list the files one call goes through")
    options = given.parse_args()
    held = one_call(list_files=options.way)
    steps = asyncio.run(count_steps(calls_of(options.turn)))
    number = options.turn * (TURNS - WARM)
    note(f"bytecodes a call, {options.turn} in a turn", sum(steps.codes.values()) / number, "")
    note(f"Python functions a call, {options.turn} in a turn", sum(steps.calls.values()) / number, "")
    for code, count in steps.codes.most_common(options.top):
        name = f"{code.co_filename.rpartition('interlock/')[2]}:{code.co_firstlineno} {code.co_name}"
        print(f"{count / number:9.1f} in {steps.calls[code] / number:5.1f}  {name}")
    return 0 if held else 1


def one_call(*, list_files: bool) -> bool:
    """The way of a lone call whose text was not seen before, from its bytes to its answer."""
    way = asyncio.run(count_steps(calls_of(1)[: WARM + 1])).way
    packages = [package(file) for file in way]
    changes = sum(before != after for before, after in pairwise(packages))
    if list_files:
        for file in dict.fromkeys(way):
            print(f"          {file}")
    files = row("files of ours one call goes through", len(set(way)), FILES, "")
    return row("changes of package on its way", changes, CHANGES, "") and files


if __name__ == "__main__":
    sys.exit(main())
