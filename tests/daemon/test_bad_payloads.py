"""Laws of payloads that are not an event, through the real shim."""

from __future__ import annotations

import json

import pytest
from tests.daemon.home import Home, bash, decided

pytestmark = pytest.mark.deep

GOOD = bash("ls")
POLICY = """\
version: "2.0"
permissions: {actors: {"agent:main": {allow: ["Bash(ls*)"]}}}
"""
BAD = {
    "empty": b"",
    "truncated": GOOD[:-5],
    "trailing": GOOD + b'{"hook_event_name":"Stop"}',
    "duplicate": GOOD[:-1] + b',"tool_name":"Read"}',
    "number": GOOD[:-1] + b',"x":NaN}',
    "depth": b'{"hook_event_name":"PreToolUse","x":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "encoding": GOOD.replace(b"ls", b"l\xff"),
    "nul": GOOD.replace(b"ls", b"l\0"),
    "syntax": b"{hello}",
    "not_object": b'["PreToolUse"]',
    "field": b'{"hook_event_name":"PreToolUse","tool_name":"Bash"}',
}


@pytest.mark.req("D09")
@pytest.mark.parametrize("kind", BAD)
def test_each_bad_payload_is_denied_under_its_own_name(served: Home, kind: str) -> None:
    """The host reads a deny in its own words, the ledger one typed refusal, and nobody a traceback."""
    done = served.shim(BAD[kind])
    verdict, reason = decided(done)

    assert verdict == "deny"
    assert reason.startswith("Tool denied: the event could not be read: ")
    assert b"Traceback" not in done.stdout
    (entry,) = served.entries()
    assert (entry.op, entry.body["kind"], entry.body["bytes"]) == ("refused", kind, len(BAD[kind]))
    assert decided(served.shim(GOOD)) == (None, "")


@pytest.mark.req("D09")
def test_half_a_character_is_never_allowed_by_a_pattern(place: Home) -> None:
    """A lone surrogate is repaired, marked, and denied where an allow list would have to match it."""
    place.write_policy(POLICY)
    place.start()
    whole = decided(place.shim(GOOD))
    half = decided(place.shim(json.dumps(json.loads(bash("ls \ud800"))).encode()))

    assert whole == (None, "")
    assert half[0] == "deny"
    assert place.entries("decision")[-1].body["extra"] == {"repaired": True}
