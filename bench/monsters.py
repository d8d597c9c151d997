"""Times ordinary calls while another session sends texts made to be slow.

Run it as `python -m bench.monsters`.
"""

from __future__ import annotations

import json
import socket
import statistics
import sys
import threading
import time

from bench.daemon import home, p99
from bench.figure import note, row

from interlock.daemon.launcher import start
from interlock.daemon.protocol import Call, decode_answer, encode_call

CALLS = 3_000
SIZE = 100_000
MONSTERS = {
    "a chain of one command": "true;",
    "pipes": "a|",
    "here-documents": "<<A ",
    "open parentheses": "((",
    "substitutions": "$(",
    "braces": "{a,b}",
    "redirects": "> f ",
    "quotes": "'\"'\"",
}


def frame(command: str, session: str, number: int) -> bytes:
    """One call as the shim would send it."""
    fields = {
        "session_id": session,
        "cwd": "/usr",
        "permission_mode": "default",
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": command},
        "tool_use_id": f"toolu_{session}_{number}",
    }
    return encode_call(Call(host="claude-code", shim="bench", payload=json.dumps(fields).encode()))


def ask(connection: socket.socket, data: bytes) -> None:
    """Send one call and take its whole answer."""
    connection.sendall(data)
    answer = b""
    while decode_answer(answer) is None:
        piece = connection.recv(65_536)
        assert piece, "the daemon ended the connection"
        answer += piece


def ordinary(path: str, first: int) -> list[float]:
    """Microseconds of ordinary calls, one after the other."""
    times = []
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(path)
        for number in range(first, first + CALLS):
            data = frame(f"git commit -m 'fix {number}' && npm run build-{number}", "calm", number)
            begun = time.perf_counter()
            ask(connection, data)
            times.append((time.perf_counter() - begun) * 1e6)
            time.sleep(0.0005)
    return times


def disturb(path: str, stop: threading.Event, sent: list[int]) -> None:
    """Send monsters of every shape, each as soon as the last one is answered."""
    number = 0
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(path)
        while not stop.is_set():
            shape = list(MONSTERS.values())[number % len(MONSTERS)]
            ask(connection, frame((shape * (SIZE // len(shape))) + f" x{number}", "wild", number))
            number += 1
    sent.append(number)


def main() -> int:
    """Print every figure; the exit code says whether the bar held."""
    with home() as (_, places):
        start(places)
        path = str(places.socket)
        ordinary(path, 0)
        calm = ordinary(path, CALLS)
        stop, sent = threading.Event(), list[int]()
        wild = threading.Thread(target=disturb, args=(path, stop, sent))
        wild.start()
        disturbed = ordinary(path, 2 * CALLS)
        stop.set()
        wild.join()
        again = ordinary(path, 3 * CALLS)
    quiet = [*calm, *again]
    note("monsters of 100 KB answered meanwhile", sent[0], "")
    note("ordinary calls alone, p50", statistics.median(quiet), "us")
    note("ordinary calls alone, p99", p99(quiet), "us")
    note("beside monsters, p50", statistics.median(disturbed), "us")
    note("beside monsters, p99", p99(disturbed), "us")
    # A session's long calls are spaced, so that few calls stand beside one; this is what those see.
    note("ordinary calls alone, slowest", max(quiet), "us")
    note("beside monsters, slowest", max(disturbed), "us")
    return 0 if row("p99 beside monsters against alone", p99(disturbed) / p99(quiet), 2, "x") else 1


if __name__ == "__main__":
    sys.exit(main())
