"""`interlock hook HOST`: the native shim's work in Python, where no shim could be built."""

from __future__ import annotations

import os
import sys
from typing import Annotated, Final

import typer

from interlock.cli.policy_source import by_rule
from interlock.daemon.client import DaemonError, call_daemon
from interlock.daemon.launcher import start
from interlock.daemon.offline_files import NAME, PROMPTS, is_paused, note_gap
from interlock.daemon.paths import Places, places_of
from interlock.daemon.protocol import MAX_PAYLOAD, Call
from interlock.errors import InterlockError, PayloadError
from interlock.hosts.all_hosts import HOSTS
from interlock.hosts.host import Host, Reply
from interlock.version import __version__

_SENT: Final = (
    "INTERLOCK_ACTOR",
    "AGENT_ID",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_PROJECT_DIR",
    "AI_AGENT",
    "TMUX",
    "TMUX_PANE",
)


def hook(
    host: Annotated[str, typer.Argument(help="The agent that makes the call.")] = "claude-code",
    token: Annotated[str, typer.Option(hidden=True)] = "",  # noqa: ARG001 - only makes the agent's entry unique
) -> int:
    """Answer one hook call: the event on stdin, the host's answer on stdout."""
    payload = sys.stdin.buffer.read(MAX_PAYLOAD + 1)
    reply = _answer(host, payload)
    sys.stdout.buffer.write(reply.stdout)
    sys.stderr.buffer.write(reply.stderr)
    return reply.exit_code


def _answer(name: str, payload: bytes) -> Reply:
    host = HOSTS.get(name)
    if host is None:
        return Reply(exit_code=2, stderr=f"interlock: unknown agent `{name}` ({', '.join(HOSTS)})\n".encode())
    # By what was set at installation: a project must not choose the daemon by a variable.
    places = places_of(by_rule())
    if len(payload) > MAX_PAYLOAD:
        reason = f"the event is larger than {MAX_PAYLOAD} bytes"
        return _refuse(host, places, payload, reason, pausable=False)
    env = {variable: os.environ[variable] for variable in _SENT if variable in os.environ}
    call = Call(host=name, payload=payload, env=env, shim=__version__, home=places.home)
    try:
        return call_daemon(places.socket, call)
    except DaemonError:
        pass  # it may only need to be started
    try:
        start(places)
        return call_daemon(places.socket, call)
    except (InterlockError, OSError) as error:  # an unknown exit code would allow the call
        return _refuse(host, places, payload, f"{error}; run `interlock doctor`")


def _refuse(host: Host, places: Places, payload: bytes, reason: str, *, pausable: bool = True) -> Reply:
    """Answer without a decision; what this lets pass is noted for the ledger."""
    try:
        event = host.read(payload[:MAX_PAYLOAD], {}).name
    except PayloadError as error:
        event = error.event_name
    # The daemon left a file if prompts must be held back while it cannot judge them.
    held = event in PROMPTS and (places.state / NAME).exists()
    if pausable and is_paused(places.state):
        note_gap(places.gaps, event, reason, outcome="paused")
        return Reply()
    reply = host.refuse(event, reason, closed=True if held else None)
    if reply == Reply():
        note_gap(places.gaps, event, reason)
    return reply
