"""A stand-in for an agent: a real process that calls the real shim, then ends the way its plan says.

Run as `python planned_agent.py LOG HOME SHIM PLAN [PROMPT...]`: the log gets a line for each run, and the
plan has a word for it.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

log, home, shim, plan, *prompt = sys.argv[1:]
file = Path(log)
project = str(file.parent)
number = len(file.read_text().splitlines()) if file.exists() else 0
steps = plan.split(",")
step = steps[min(number, len(steps) - 1)]
session = f"session-{number}"
named = {name: os.environ[name] for name in ("AGENT_ID",) if name in os.environ}


def hook(name: str, **fields: object) -> str:
    """Report an event as a host does, from this very process."""
    event = {"session_id": session, "cwd": project, "hook_event_name": name, **fields}
    done = subprocess.run(
        [shim, "--home", home],
        input=json.dumps(event).encode(),
        env={"CLAUDE_PROJECT_DIR": project, "CLAUDE_CODE_ENTRYPOINT": "cli", **named},
        capture_output=True,
        check=True,
    )
    return done.stdout.decode()


def ready() -> None:
    """Tell the test that everything is set up."""
    told = {
        "step": step,
        "prompt": prompt,
        "variable": os.environ.get("INTERLOCK_RESTART_PROMPT"),
        "agent": os.environ.get("AGENT_ID"),
        "session": session,
        "context": context,
        "pid": os.getpid(),
        "below": below,
    }
    with file.open("a") as lines:
        lines.write(json.dumps(told) + "\n")


below = subprocess.Popen(["sleep", "300"], start_new_session=True).pid if step == "busy" else None
if step == "deaf":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
if step == "stubborn":
    signal.signal(signal.SIGINT, signal.SIG_IGN)
context = hook("SessionStart", source="startup") if step not in {"end", "crash", "die"} else ""
ready()  # before anything that may make somebody stop it
script = Path(sys.executable).with_name("interlock")
if step in {"compact", "handover", "instant"}:
    subprocess.run([script, "effort", "start", "task", "implement"], cwd=project, check=True)
if step == "compact":
    (file.parent / "task" / "1_IMPLEMENT_LOG.md").write_text("## Half of it\nThe parser is built.\n")
    hook("PreCompact", trigger="auto", custom_instructions="")
if step == "instant":
    hook("PreCompact", trigger="auto", custom_instructions="")
    hook("SessionStart", source="compact")
if step == "handover":
    payload = {
        "summary": "Half is done.",
        "lastAction": "Wrote it.",
        "nextSteps": ["Go on."],
        "requiredFiles": [],
    }
    given = json.dumps(payload).encode()
    subprocess.run([script, "session", "dehydrate"], input=given, cwd=project, check=True)
if step == "crash":
    sys.exit(3)
if step == "die":
    os.kill(os.getpid(), signal.SIGKILL)
if step in {"wait", "busy", "deaf", "stubborn", "compact", "handover", "instant"}:
    time.sleep(120)
if step == "left":
    hook("SessionEnd", reason="prompt_input_exit")
    sys.exit(1)
if step == "loop":
    while "block" in hook("Stop", stop_hook_active=False):
        pass
