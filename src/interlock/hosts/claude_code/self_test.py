"""The proof that a bad call is denied: one made-up call through the program the client would run."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from interlock.files.system_programs import run_program
from interlock.hosts.host import SELF_TEST, SELF_TEST_REASON, SELF_TEST_TOOL, Check, fail, ok

_SECONDS: Final = 20.0
_WHAT: Final = "self-test"
_FIX: Final = "interlock daemon restart"


def self_test(command: Sequence[str], cwd: Path, *, seconds: float = _SECONDS) -> Check:
    """Ask for a tool that only exists to be denied; anything but that very denial is a failure."""
    try:
        env = {**os.environ, "CLAUDE_PROJECT_DIR": str(cwd)}
        done = run_program(command, seconds=seconds, given=_payload(cwd), env=env)
    except (OSError, subprocess.TimeoutExpired) as error:
        return fail(_WHAT, f"the hook program gave no answer: {error}", _FIX)
    reason = _denial(done.stdout)
    if reason is None:
        answer = (done.stdout or done.stderr)[:200].decode("utf-8", "replace").strip() or "nothing"
        return fail(_WHAT, f"a call that must be denied was not; the answer was: {answer}", _FIX)
    if SELF_TEST_REASON not in reason:
        return fail(_WHAT, f"the call was denied, but for another reason: {reason}", _FIX)
    return ok(_WHAT, "a known bad call was denied through the installed hook")


def _payload(cwd: Path) -> bytes:
    event = {
        "session_id": SELF_TEST,
        "transcript_path": "",
        "cwd": str(cwd),
        "hook_event_name": "PreToolUse",
        "permission_mode": "default",
        "tool_name": SELF_TEST_TOOL,
        "tool_input": {},
        "tool_use_id": f"doctor-{os.urandom(8).hex()}",  # two tests are never one call
    }
    return json.dumps(event, separators=(",", ":")).encode() + b"\n"


def _denial(stdout: bytes) -> str | None:
    try:
        output = json.loads(stdout)["hookSpecificOutput"]
        denied = output["hookEventName"] == "PreToolUse" and output["permissionDecision"] == "deny"
        return str(output["permissionDecisionReason"]) if denied else None
    except (ValueError, KeyError, TypeError):
        return None
