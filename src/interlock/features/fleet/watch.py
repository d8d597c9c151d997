"""Starting an agent again and again until its work is done, it was left, or it may no more."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Final

import msgspec

from interlock.features.fleet.child import Runner
from interlock.features.fleet.left import Below
from interlock.features.fleet.prompt_place import with_prompt
from interlock.features.fleet.restarts import Over, Pauses, after

PROMPT_VARIABLE: Final = "INTERLOCK_RESTART_PROMPT"

Say = Callable[[str], None]


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What is run, and how often again at most."""

    command: tuple[str, ...]
    prompt: str | None = None  # of the first run
    restarts: int = 20
    pause: float = 1.0  # seconds before the first restart; then longer and longer
    agent: str | None = None


def watch(plan: Plan, below: Below, runner: Runner, say: Say, environ: Mapping[str, str] = os.environ) -> int:
    """Run to the last end and give its exit code."""
    pauses, prompt = Pauses(plan.pause), plan.prompt
    env = dict(environ) | ({"AGENT_ID": plan.agent} if plan.agent else {})
    with runner.signals():
        for run in range(plan.restarts + 1):
            below.begin()
            told = {PROMPT_VARIABLE: prompt} if prompt and run else {}
            ended = runner.run(with_prompt(plan.command, prompt), {**env, **told}, below.full)
            then = after(ended, below.left())
            if isinstance(then, Over):
                say(then.why)
                return then.code
            if run == plan.restarts:
                say(f"{then.why}; it was started again as often as --restarts allows ({run})")
                return ended.exit_code or 1
            wait = pauses.next(ended.seconds)
            soon = f" in {wait:g} s" if wait else ""
            say(f"{then.why}; starting it again{soon} ({run + 1}/{plan.restarts})")
            runner.pause(wait)
            if runner.ended_by is not None:
                say("interrupted")
                return 128 + runner.ended_by
            prompt = prompt if then.prompt is None else then.prompt
    return 0
