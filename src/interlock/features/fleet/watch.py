"""Run an agent as our own child, and start it again until its work is done or it was left."""

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
from interlock.features.fleet.restarts import Over, Pauses, RemainsReader, RunEnd, after
from interlock.files.system_programs import run_program

_SECONDS: Final = 5.0


def descendants(pid: int) -> list[Process]:
    """The processes below one, the nearest first; one whose own parent has gone is nobody's any more."""
    children: dict[int, list[Process]] = {}
    for one in filter(None, map(process, _numbers())):
        children.setdefault(one.parent, []).append(one)
    found: list[Process] = []
    above = [pid]
    while above:
        nearest = [one for parent in above for one in children.get(parent, ())]
        found += nearest
        above = [one.pid for one in nearest]
    return found


def end_all(those: Iterable[Process], number: int = signal.SIGTERM) -> None:
    """Send a signal to those that are still the same ones; a number may be somebody else's by now."""
    for one in those:
        now = process(one.pid)
        if now is not None and now.started == one.started:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(one.pid, number)


def _numbers() -> list[int]:
    try:
        return [int(one.name) for one in Path("/proc").iterdir() if one.name.isdecimal()]
    except OSError:
        return _from_ps()


def _from_ps() -> list[int]:
    command = ["/bin/ps", "-axo", "pid="]
    try:
        done = run_program(command, seconds=_SECONDS)
    except (OSError, subprocess.TimeoutExpired):
        return []
    return [int(word) for word in done.stdout.split()]


_TICK_SECONDS: Final = 0.2
_LOOK_SECONDS: Final = 1.0
_GRACE_SECONDS: Final = 10.0  # between asking it to end and ending it
_AFTER_SECONDS: Final = 5.0  # an end so soon after Ctrl-C is a person's doing
_TWICE_SECONDS: Final = 3.0
_STOPPING: Final = (signal.SIGTERM, signal.SIGHUP)
# What a program that was killed leaves switched on: another screen, no cursor, mouse and paste reports.
_PLAIN_SCREEN: Final = "\x1b[?1049l\x1b[?25h\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?2004l"


@final
class Runner:
    """Runs a command again and again; what people press or send ends the runs, not only the command."""

    def __init__(self, *, grace: float = _GRACE_SECONDS) -> None:
        self._grace: Final = grace
        self._process: subprocess.Popen[bytes] | None = None
        self._pressed: float | None = None  # when Ctrl-C last was
        self._ended_by: int | None = None
        self._asked: float | None = None  # when it was asked to end
        self._below: list[Process] = []  # what it had started by then

    @property
    def ended_by(self) -> int | None:
        """The signal by which a person ended everything."""
        return self._ended_by

    @contextmanager
    def signals(self) -> Iterator[None]:
        """Take Ctrl-C and requests to end as long as runs follow each other."""
        before = {one: signal.signal(one, self._received) for one in (signal.SIGINT, *_STOPPING)}
        try:
            yield
        finally:
            for one, handler in before.items():
                signal.signal(one, handler)

    def run(self, command: Sequence[str], env: Mapping[str, str], full: Callable[[], bool]) -> RunEnd:
        """Run to the end; it is stopped when its window is full or a person says so."""
        begun = time.monotonic()
        self._forget()
        with _terminal_kept() as repair:
            process = self._process = _started(command, env)
            try:
                code, stopped = self._wait(process, full)
            except BaseException:
                _kill(process)  # whoever does not wait for it must not leave it behind
                process.wait()
                raise
            self._process = None
            end_all(self._below)  # a call of a window that is over must not go on beside the next one
            repair(code)
        now = time.monotonic()
        if self._pressed is not None and (now - self._pressed < _AFTER_SECONDS or code == -signal.SIGINT):
            self._ended_by = self._ended_by or signal.SIGINT
        return RunEnd(code=code, seconds=now - begun, stopped=stopped, interrupted=self._ended_by)

    def _wait(self, process: subprocess.Popen[bytes], full: Callable[[], bool]) -> tuple[int, bool]:
        looked, stopped = time.monotonic(), False
        while (code := _waited(process)) is None:
            now = time.monotonic()
            if self._asked is None and self._ended_by is not None:
                self._ask()  # told to end while it was being started
            asked = self._asked
            if asked is not None and now - asked > self._grace:
                _kill(process)
            elif asked is None and now - looked >= _LOOK_SECONDS:
                looked, stopped = now, full()
                if stopped:
                    self._ask()
        return code, stopped

    def _forget(self) -> None:
        """What was pressed and asked in an earlier run."""
        self._pressed = self._asked = None
        self._below = []

    def pause(self, seconds: float) -> None:
        """Wait, unless a person ends it."""
        end = time.monotonic() + seconds
        while self._ended_by is None and (left := end - time.monotonic()) > 0:
            time.sleep(min(_TICK_SECONDS, left))

    def _ask(self, number: int = signal.SIGTERM) -> None:
        self._asked = self._asked or time.monotonic()
        if self._process is not None:
            self._below = descendants(self._process.pid) or self._below
            with suppress(ProcessLookupError):
                self._process.send_signal(number)

    def _received(self, number: int, _frame: Any) -> None:
        if self._process is None:  # between two runs there is nobody to ask
            self._ended_by = number
        elif number != signal.SIGINT:
            self._ended_by = number
            self._ask(number)
        else:
            self._press(time.monotonic())

    def _press(self, now: float) -> None:
        """What it does about Ctrl-C is its own matter: many only end what they are about. Twice is meant."""
        if self._pressed is not None and now - self._pressed < _TWICE_SECONDS:
            self._ended_by = signal.SIGINT
            self._ask()
        elif self._process is not None and not _at_terminal():
            self._process.send_signal(signal.SIGINT)
        self._pressed = now


def _started(command: Sequence[str], env: Mapping[str, str]) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(list(command), env=dict(env))  # noqa: S603 - what the person typed
    except OSError as error:
        raise InterlockError(
            f"`{command[0]}` cannot be started: {(error.strerror or str(error)).lower()}; check the command"
        ) from error


def _waited(process: subprocess.Popen[bytes]) -> int | None:
    try:
        return process.wait(_TICK_SECONDS)
    except subprocess.TimeoutExpired:
        return None


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End it and whatever it has started; it did not listen."""
    below = descendants(process.pid)
    process.kill()
    end_all(below, signal.SIGKILL)


def _at_terminal() -> bool:
    """Whether the terminal told the child itself: it tells every process in front."""
    try:
        return os.tcgetpgrp(sys.stdin.fileno()) == os.getpgrp()
    except (OSError, ValueError):
        return False


@contextmanager
def _terminal_kept() -> Iterator[Callable[[int], None]]:
    """Give the terminal back as it was: one that was killed could not."""
    try:
        keys = sys.stdin.fileno()
        before = termios.tcgetattr(keys)
    except (termios.error, OSError, ValueError):
        yield lambda _: None
        return

    def repair(code: int) -> None:
        termios.tcsetattr(keys, termios.TCSADRAIN, before)
        if code < 0 and sys.stdout.isatty():
            sys.stdout.write(_PLAIN_SCREEN)
            sys.stdout.flush()

    yield repair


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
