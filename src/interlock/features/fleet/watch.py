"""Runs an agent as our own child, and restarts it until its work is done or a person quits it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path, PurePath
from typing import Any, Final, final

import msgspec

from interlock.daemon.process_tree import Process, process
from interlock.errors import InterlockError
from interlock.features.fleet.restarts import NoRestart, Pauses, RemainsReader, RunEnd, decide_next
from interlock.files.system_programs import run_program

_SECONDS: Final = 5.0


def descendants(pid: int) -> list[Process]:
    """Return the processes below one, the nearest first; orphans are not found."""
    children: dict[int, list[Process]] = {}
    for child in filter(None, map(process, _numbers())):
        children.setdefault(child.parent, []).append(child)
    processes: list[Process] = []
    above = [pid]
    while above:
        nearest = [child for parent in above for child in children.get(parent, ())]
        processes += nearest
        above = [child.pid for child in nearest]
    return processes


def end_all(processes: Iterable[Process], number: int = signal.SIGTERM) -> None:
    """Send a signal to the processes that are still the same; the system may have reused a number."""
    for target in processes:
        now = process(target.pid)
        if now is not None and now.started == target.started:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(target.pid, number)


def _numbers() -> list[int]:
    try:
        return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdecimal()]
    except OSError:
        pass  # no /proc here
    try:
        listing = run_program(["/bin/ps", "-axo", "pid="], seconds=_SECONDS)
    except (OSError, subprocess.TimeoutExpired):
        return []
    return [int(word) for word in listing.stdout.split()]


_TICK_SECONDS: Final = 0.2
_LOOK_SECONDS: Final = 1.0
_GRACE_SECONDS: Final = 10.0  # between asking it to end and killing it
_AFTER_SECONDS: Final = 5.0  # if it ends this soon after Ctrl-C, a person ended it
_TWICE_SECONDS: Final = 3.0
_STOPPING: Final = (signal.SIGTERM, signal.SIGHUP)
# Undo what a killed program leaves on: the alternate screen, a hidden cursor, mouse and paste reports.
_PLAIN_SCREEN: Final = "\x1b[?1049l\x1b[?25h\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?2004l"


@final
class Runner:
    """Runs a command again and again; a person's Ctrl-C or signal ends the runs, not only the command."""

    def __init__(self, *, grace: float = _GRACE_SECONDS) -> None:
        self._grace: Final = grace
        self._process: subprocess.Popen[bytes] | None = None
        self._pressed: float | None = None  # when Ctrl-C was last pressed
        self.ended_by: int | None = None  # the signal by which a person ended everything
        self._asked: float | None = None  # when the command was asked to end
        self._below: list[Process] = []  # the processes it had started by then

    @contextmanager
    def signals(self) -> Iterator[None]:
        """Handle Ctrl-C and requests to end for as long as runs follow each other."""
        handlers = {number: signal.signal(number, self._received) for number in (signal.SIGINT, *_STOPPING)}
        try:
            yield
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)

    def run(self, command: Sequence[str], env: Mapping[str, str], full: Callable[[], bool]) -> RunEnd:
        """Run to the end; stop it when its window is full or a person says so."""
        start = time.monotonic()
        self._reset()
        with _restored_terminal() as repair:
            process = self._process = _start(command, env)
            try:
                code, stopped = self._wait(process, full)
            except BaseException:
                _kill(process)  # nobody waits for it any more, so it must not stay behind
                process.wait()
                raise
            self._process = None
            end_all(self._below)  # its calls must not go on beside the next run
            repair(code)
        now = time.monotonic()
        if self._pressed is not None and (now - self._pressed < _AFTER_SECONDS or code == -signal.SIGINT):
            self.ended_by = self.ended_by or signal.SIGINT
        return RunEnd(code=code, seconds=now - start, stopped=stopped, interrupted=self.ended_by)

    def _wait(self, process: subprocess.Popen[bytes], full: Callable[[], bool]) -> tuple[int, bool]:
        last_look, stopped = time.monotonic(), False
        while True:
            with suppress(subprocess.TimeoutExpired):
                return process.wait(_TICK_SECONDS), stopped
            now = time.monotonic()
            if self._asked is None and self.ended_by is not None:
                self._ask()  # the request came while the command was being started
            asked_at = self._asked
            if asked_at is not None and now - asked_at > self._grace:
                _kill(process)
            elif asked_at is None and now - last_look >= _LOOK_SECONDS:
                last_look, stopped = now, full()
                if stopped:
                    self._ask()

    def _reset(self) -> None:
        self._pressed = self._asked = None
        self._below = []

    def pause(self, seconds: float) -> None:
        """Wait, unless a person ends it."""
        end = time.monotonic() + seconds
        while self.ended_by is None and (seconds_left := end - time.monotonic()) > 0:
            time.sleep(min(_TICK_SECONDS, seconds_left))

    def _ask(self, number: int = signal.SIGTERM) -> None:
        self._asked = self._asked or time.monotonic()
        if self._process is not None:
            self._below = descendants(self._process.pid) or self._below
            with suppress(ProcessLookupError):
                self._process.send_signal(number)

    def _received(self, number: int, _frame: Any) -> None:
        if self._process is None:  # between two runs
            self.ended_by = number
        elif number != signal.SIGINT:
            self.ended_by = number
            self._ask(number)
        else:
            self._press(time.monotonic())

    def _press(self, now: float) -> None:
        """End everything at the second Ctrl-C; at the first many agents only cancel what they are doing."""
        if self._pressed is not None and now - self._pressed < _TWICE_SECONDS:
            self.ended_by = signal.SIGINT
            self._ask()
        elif self._process is not None and not _at_terminal():
            self._process.send_signal(signal.SIGINT)
        self._pressed = now


def _start(command: Sequence[str], env: Mapping[str, str]) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(list(command), env=dict(env))  # noqa: S603 - what the person typed
    except OSError as error:
        raise InterlockError(
            f"`{command[0]}` cannot be started: {(error.strerror or str(error)).lower()}; check the command"
        ) from error


def _kill(process: subprocess.Popen[bytes]) -> None:
    below = descendants(process.pid)
    process.kill()
    end_all(below, signal.SIGKILL)


def _at_terminal() -> bool:
    """Whether the terminal has sent Ctrl-C to the child too: it signals the whole foreground group."""
    try:
        return os.tcgetpgrp(sys.stdin.fileno()) == os.getpgrp()
    except (OSError, ValueError):
        return False


@contextmanager
def _restored_terminal() -> Iterator[Callable[[int], None]]:
    """Restore the terminal after a run: a killed program could not."""
    try:
        keys = sys.stdin.fileno()
        settings = termios.tcgetattr(keys)
    except (termios.error, OSError, ValueError):
        yield lambda _: None
        return

    def repair(code: int) -> None:
        termios.tcsetattr(keys, termios.TCSADRAIN, settings)
        if code < 0 and sys.stdout.isatty():
            sys.stdout.write(_PLAIN_SCREEN)
            sys.stdout.flush()

    yield repair


MARK: Final = "{prompt}"
_CLAUDE: Final = frozenset({"claude", "claude-code"})
# Options of Claude Code that take the next word, may take it, or take every word up to the next option.
_ONE: Final = frozenset(
    "--agent --agents --append-system-prompt --append-system-prompt-file --autocompact --debug-file --effort "
    "--environment --fallback-model --input-format --json-schema --max-budget-usd --max-turns --model -n "
    "--name --output-format --permission-mode --permission-prompt-tool --permission-prompts --plugin-dir "
    "--plugin-url --remote-control-session-name-prefix --session-id --setting-sources --settings "
    "--system-prompt --system-prompt-file --system-prompt-snapshot".split()
)
_PERHAPS: Final = frozenset(
    "--cloud -d --debug --from-pr --prompt-suggestions --remote-control -r --resume --teleport -w "
    "--worktree".split()
)
_MANY: Final = frozenset(
    "--add-dir --allowedTools --allowed-tools --betas --disallowedTools --disallowed-tools --file "
    "--mcp-config --tools".split()
)


def with_prompt(command: tuple[str, ...], prompt: str | None) -> tuple[str, ...]:
    """Put a prompt into a command: in place of `{prompt}`, else of the prompt it has, else as a new word.

    Claude Code reads only the first prompt on its command line, so the new one must come first. In other
    commands it is the last word.
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
    place = _prompt_of_claude(command[start:])
    if place is None:
        # Before the options: some would take it as their value.
        return (*command[:start], prompt, *command[start:])
    return (*command[: start + place], prompt, *command[start + place + 1 :])


def _prompt_of_claude(words: Sequence[str]) -> int | None:
    """Return the index of the prompt."""
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
    """What to run, and how often to restart it."""

    command: tuple[str, ...]
    prompt: str | None = None  # of the first run
    restarts: int = 20
    pause: float = 1.0  # seconds before the first restart; doubles each time
    grace: float = 10.0  # seconds a run with a full window gets to exit by itself
    agent: str | None = None


def watch(plan: Plan, socket: Path, database: Path, say: Say) -> int:
    """Run until the last run ends, and return its exit code."""
    below, runner = RemainsReader(socket, database), Runner(grace=plan.grace)
    pauses, prompt = Pauses(plan.pause), plan.prompt
    env = os.environ | ({"AGENT_ID": plan.agent} if plan.agent else {})
    with runner.signals():
        for run in range(plan.restarts + 1):
            below.begin()
            more = {PROMPT_VARIABLE: prompt} if prompt and run else {}
            end = runner.run(with_prompt(plan.command, prompt), {**env, **more}, below.full)
            then = decide_next(end, below.remains())
            if isinstance(then, NoRestart):
                say(then.why)
                return then.code
            if run == plan.restarts:
                say(f"{then.why}; it was already restarted as often as --restarts allows ({run})")
                return end.exit_code or 1
            wait = pauses.next(end.seconds)
            soon = f" in {wait:g} s" if wait else ""
            say(f"{then.why}; starting it again{soon} ({run + 1}/{plan.restarts})")
            runner.pause(wait)
            if runner.ended_by is not None:
                say("interrupted")
                return 128 + runner.ended_by
            prompt = prompt if then.prompt is None else then.prompt
    return 0
