"""Decisions with words in them, chosen at random and so that every filter has something to find."""

from __future__ import annotations

import random
from typing import Any

from interlock.ledger.writer import LedgerWriter

WORDS = ("build", "deploy", "café", "src", "main", "push", "token", "delete")
TOOLS = ("Bash", "Read", "Write")
ACTORS = ("agent:main", "agent:Explore")
DECISIONS = ("allow", "ask", "deny")
RULES = ("no-push", "hooks/guard:1")


def decision(chosen: random.Random, **fields: Any) -> dict[str, Any]:
    """The body of one decision."""
    words = " ".join(chosen.choices(WORDS, k=3))
    body = {
        "session_id": f"s-{chosen.randrange(3)}",
        "event": "PreToolUse",
        "tool": chosen.choice(TOOLS),
        "decision": chosen.choice(DECISIONS),
        "tool_input": {"command": words, "nested": [{"path": f"a/{chosen.choice(WORDS)}.py"}]},
        "duration_ms": chosen.randrange(1, 100) / 10,
        "trace": [{"hook": "no-push", "vote": "abstain", "duration_ms": 0.1}],
    }
    if chosen.random() < 0.5:
        body |= {"decided_by": chosen.choice(RULES), "reason": f"this would {chosen.choice(WORDS)}"}
    return body | fields


def fill(writer: LedgerWriter, count: int, seed: int = 1) -> None:
    """Record that many."""
    chosen = random.Random(seed)
    for _ in range(count):
        op = "decision" if chosen.random() < 0.9 else "note"
        writer.append(op, chosen.choice(ACTORS), "/w/app", decision(chosen))
    writer.flush()
