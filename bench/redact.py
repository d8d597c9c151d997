"""Times redaction: what it adds to a usual record, as a ratio to encoding and hashing the same one."""

from __future__ import annotations

import hashlib
import random
import statistics
import sys
import time
from collections.abc import Callable, Sequence

import msgspec
from bench.figure import note, row

from interlock.redaction.redactor import Own, Redactor

ROUNDS = 9
RECORDS = 2_000
MICRO = 1e6
COMMANDS = (
    "make test && git commit -m 'step'",
    "python -m pytest tests/unit -k 'not slow'",
    "docker compose up -d && npm run build",
    "grep -rn 'def main' src | sed -n 1,40p",
    "kubectl get pods; cargo build --release",
)


def record(number: int, words: random.Random) -> dict[str, object]:
    """A decision about as large as a real one, about 1.5 KB."""
    source = "/home/user/.config/interlock/genesis.key"
    row = {"matcher": "Bash(git push *)", "outcome": "success", "type": "deny", "vote": "abstain"}
    return {
        "cwd": "/home/user/projects/app",
        "decision": "allow",
        "duration_ms": 0.1,
        "event": "PreToolUse",
        "extra": {"prompt_id": f"{words.getrandbits(128):032x}"},
        "host": "claude-code",
        "revision": f"{words.getrandbits(48):012x}",
        "session_id": f"{words.getrandbits(128):032x}",
        "tool": "Bash",
        "tool_input": {"command": " && ".join(words.choices(COMMANDS, k=14)), "label": f"Step {number}"},
        "tool_use_id": f"toolu_{number}",
        "trace": [{**row, "hook": f"hook-{i}", "source": f"{source}:{i}"} for i in range(4)],
    }


def cpu_of(work: Callable[[bytes], object], bodies: Sequence[bytes]) -> float:
    """Seconds of CPU for one body: the least of some rounds, since others share the machine."""
    found = []
    for _ in range(ROUNDS):
        start = time.process_time()
        for body in bodies:
            work(body)
        found.append((time.process_time() - start) / len(bodies))
    return min(found)


def main() -> int:
    """Print every figure; the exit code says whether all bars held."""
    words = random.Random(1)
    records = [record(number, words) for number in range(RECORDS)]
    encode = msgspec.json.Encoder(order="sorted").encode
    bodies = [encode(one) for one in records]
    by_body = dict(zip(bodies, records, strict=True))
    redactor = Redactor(bytes(32))
    usual = cpu_of(redactor.body, bodies)
    written = cpu_of(lambda body: hashlib.sha256(encode(by_body[body])).digest(), bodies)
    hit = [body.replace(b"Step", b"--token") for body in bodies[:200]]
    secret = [body.replace(b"Step", b"PASSWORD=hunter-") for body in bodies[:200]]
    own = Redactor(bytes(32), Own(patterns=("ACME-[0-9]+",)))
    note("size of a record", statistics.mean(map(len, bodies)), "bytes")
    note("encoding and hashing it", written * MICRO, "us")
    note("a word that needs a closer look", cpu_of(redactor.body, hit) * MICRO, "us")
    note("a secret taken out", cpu_of(redactor.body, secret) * MICRO, "us")
    note("with a pattern of the user's", cpu_of(own.body, bodies[:200]) * MICRO, "us")
    note("nothing secret in it", usual * MICRO, "us")
    held = [
        row("the same, over encoding and hashing", usual / written, 1.5, "x"),
        all(redactor.body(body) is body for body in bodies),
    ]
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
