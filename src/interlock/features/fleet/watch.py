"""Starting an agent again and again until its work is done, it was left, or it may no more."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path, PurePath
from typing import Final

import msgspec

from interlock.features.fleet.child import Runner
from interlock.features.fleet.restarts import Over, Pauses, RemainsReader, after

MARK: Final = "{prompt}"


def _options(text: str) -> frozenset[str]:
    return frozenset(text.split())


_CLAUDE: Final = frozenset({"claude", "claude-code"})
# Options of Claude Code that take the next word, perhaps take it, or take every word up to the next option.
_ONE: Final = _options(
    "--agent --agents --append-system-prompt --append-system-prompt-file --autocompact --debug-file --effort "
    "--environment --fallback-model --input-format --json-schema --max-budget-usd --max-turns --model -n "
    "--name --output-format --permission-mode --permission-prompt-tool --permission-prompts --plugin-dir "
    "--plugin-url --remote-control-session-name-prefix --session-id --setting-sources --settings "
    "--system-prompt --system-prompt-file --system-prompt-snapshot"
)
_PERHAPS: Final = _options(
    "--cloud -d --debug --from-pr --prompt-suggestions --remote-control -r --resume --teleport -w --worktree"
)
_MANY: Final = _options(
    "--add-dir --allowedTools --allowed-tools --betas --disallowedTools --disallowed-tools --file "
    "--mcp-config --tools"
)


def with_prompt(command: tuple[str, ...], prompt: str | None) -> tuple[str, ...]:
    """The command with a prompt where it says `{prompt}`, else in place of the one it has; without, as it is.

    Claude Code takes the first prompt of its command line and leaves out every other, so one that is added
    behind another would never be read. In other commands the prompt is the last word.
    """
    if any(MARK in word for word in command):
        if prompt is None:
            return tuple(word for word in command if word != MARK)
        return tuple(word.replace(MARK, prompt) for word in command)
    if prompt is None:
        return command
    program = next((at for at, word in enumerate(command) if PurePath(word).name in _CLAUDE), None)
    if program is None:
        return (*command, prompt)
    start = program + 1
    own = _prompt_of_claude(command[start:])
    if own is None:
        # In front of the options: some would take it as a word of theirs.
        return (*command[:start], prompt, *command[start:])
    return (*command[: start + own], prompt, *command[start + own + 1 :])


def _prompt_of_claude(words: Sequence[str]) -> int | None:
    """Which of the words is the prompt."""
    at = 0
    while at < len(words):
        word = words[at]
        if word == "--":
            return at + 1 if at + 1 < len(words) else None
        if not word.startswith("-") or word == "-":
            return at
        at += 1
        if word in _MANY:
            while at < len(words) and not words[at].startswith("-"):
                at += 1
        elif word in _ONE or (word in _PERHAPS and at < len(words) and not words[at].startswith("-")):
            at += 1
    return None


PROMPT_VARIABLE: Final = "INTERLOCK_RESTART_PROMPT"

Say = Callable[[str], None]


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What is run, and how often again at most."""

    command: tuple[str, ...]
    prompt: str | None = None  # of the first run
    restarts: int = 20
    pause: float = 1.0  # seconds before the first restart; then longer and longer
    grace: float = 10.0  # seconds a run with a full window gets to exit by itself
    agent: str | None = None


def watch_agent(plan: Plan, socket: Path, database: Path, say: Say) -> int:
    """Run a plan against the daemon at a socket and return the exit code."""
    return watch(plan, RemainsReader(socket, database), Runner(grace=plan.grace), say)


def watch(
    plan: Plan, below: RemainsReader, runner: Runner, say: Say, environ: Mapping[str, str] = os.environ
) -> int:
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
                say(f"{then.why}; it was already restarted as often as --restarts allows ({run})")
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
