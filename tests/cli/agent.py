"""A host as a process of its own: it reports through the real shim, and then runs what it is told."""

from __future__ import annotations

import json
import subprocess
import sys

_, SHIM, HOME, COMMAND = sys.argv
EVENT = {"session_id": "s-agent", "cwd": "/usr", "hook_event_name": "SessionStart", "source": "startup"}

# As Claude Code does: its hooks know the project, and so does nothing else it starts.
subprocess.run(
    [SHIM, "--home", HOME],
    input=json.dumps(EVENT).encode(),
    env={"CLAUDE_PROJECT_DIR": "/usr"},
    stdout=subprocess.DEVNULL,
    check=True,
)
done = subprocess.run(json.loads(COMMAND), capture_output=True, text=True, check=False)
sys.stdout.write(json.dumps([done.returncode, done.stdout, done.stderr]))
