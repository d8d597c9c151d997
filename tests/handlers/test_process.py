"""Programs with bounded time and output, real ones."""

from __future__ import annotations

import asyncio
import os
import resource
from pathlib import Path
from typing import Any

import pytest

from interlock.errors import FailureKind, HookFailedError
from interlock.handlers.process import STDERR_CAP, STDOUT_CAP, Feed, FinishedProcess, run_program

pytestmark = pytest.mark.deep

PATIENCE = 60.0  # far more than any of these programs needs; never waited for
NEVER = "sleep 600"


async def shell(script: str, *, stdin: bytes | None = None, seconds: float = PATIENCE) -> FinishedProcess:
    return await run_program(
        ("/bin/sh", "-c", script), stdin=stdin, cwd=None, env={"PATH": "/usr/bin:/bin"}, seconds=seconds
    )


async def a_few_turns() -> None:
    """Let asyncio close what it said it would."""
    for _ in range(3):
        await asyncio.sleep(0)


def pid_in(path: Path) -> int | None:
    """The process id a script has written there, if it has."""
    text = path.read_text() if path.exists() else ""
    return int(text) if text.endswith("\n") else None


def is_running(pid: int) -> bool:
    """A dead process that only waits to be reaped by init does not count."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return not Path("/proc/self/stat").exists()


def open_descriptors() -> int:
    return sum(1 for _ in Path("/dev/fd").iterdir())


def peak_memory() -> int:
    """Bytes; the system counts in them on macOS and in units of 1024 elsewhere."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if os.uname().sysname == "Darwin" else peak * 1024


async def written(path: Path) -> int:
    """Wait for a script to write its process id."""
    for _ in range(2000):
        pid = pid_in(path)
        if pid is not None:
            return pid
        await asyncio.sleep(0.01)
    raise AssertionError(f"{path.name} was never written")


async def assert_gone(pid: int) -> None:
    """A killed process may take a moment to disappear, but not more."""
    for _ in range(2000):
        if not is_running(pid):
            return
        await asyncio.sleep(0.01)
    raise AssertionError(f"process {pid} is still running")


@pytest.mark.req("C31")
async def test_both_outputs_and_the_exit_code_are_captured() -> None:
    """Standard output and error are kept apart, as bytes."""
    finished = await shell("printf 'o\\377'; printf e >&2; exit 3")

    assert finished == FinishedProcess(code=3, stdout=b"o\xff", stderr=b"e", truncated=False)


@pytest.mark.req("C31")
async def test_standard_input_is_a_pipe_only_when_there_is_something_to_say() -> None:
    """With input it can be opened by name, as scripts do; without, it is empty."""
    assert (await shell("[ -p /dev/stdin ] && cat /dev/stdin", stdin=b"hello")).stdout == b"hello"
    assert (await shell("[ -p /dev/stdin ] || cat")).stdout == b""


@pytest.mark.req("C31")
async def test_a_large_input_arrives_whole() -> None:
    """More than a pipe holds is written while the program reads."""
    finished = await shell("wc -c", stdin=b"x" * 5_000_000)

    assert finished.stdout.split() == [b"5000000"]


@pytest.mark.req("C31")
async def test_a_program_that_does_not_read_its_input_is_no_failure() -> None:
    """A broken pipe on our side changes nothing."""
    finished = await shell("exec <&-; echo fine", stdin=b"x" * 5_000_000)

    assert (finished.code, finished.stdout) == (0, b"fine\n")


@pytest.mark.req("D06", "C95")
async def test_output_past_the_caps_is_thrown_away() -> None:
    """50 MB on one stream and 1 MB on the other leave the caps' worth, and memory does not grow with them."""
    before = peak_memory()

    finished = await shell("head -c 50000000 /dev/zero; head -c 1000000 /dev/zero >&2")

    grown = peak_memory() - before
    assert finished.truncated
    assert (len(finished.stdout), len(finished.stderr)) == (STDOUT_CAP, STDERR_CAP)
    assert grown < 10_000_000


@pytest.mark.req("D06")
async def test_output_that_just_fits_is_not_truncated() -> None:
    """The cap itself is still allowed."""
    finished = await shell(f"head -c {STDOUT_CAP} /dev/zero")

    assert (len(finished.stdout), finished.truncated) == (STDOUT_CAP, False)


@pytest.mark.req("D04", "D05", "C95")
async def test_a_timeout_kills_the_whole_group(tmp_path: Path) -> None:
    """A program that ignores TERM, and its children, are gone after the timeout."""
    main, child = tmp_path / "main", tmp_path / "child"
    script = f"trap '' TERM HUP INT; {NEVER} & echo $! > {child}; echo $$ > {main}; {NEVER}; {NEVER}"

    with pytest.raises(HookFailedError, match="no answer within 2 s") as raised:
        await shell(script, seconds=2)

    assert raised.value.kind is FailureKind.TIMEOUT
    await assert_gone(await written(main))
    await assert_gone(await written(child))


@pytest.mark.req("D05")
async def test_a_child_that_keeps_the_output_open_does_not_hold_us_up(tmp_path: Path) -> None:
    """The program's end is the end: a forked child loses the pipe and its life."""
    child = tmp_path / "child"
    script = f"(trap '' TERM HUP; ({NEVER}) & echo $! > {child}); echo answer"

    finished = await shell(script)

    assert (finished.code, finished.stdout) == (0, b"answer\n")
    await assert_gone(await written(child))


@pytest.mark.req("D05")
async def test_reading_ends_even_when_a_child_left_the_group(tmp_path: Path) -> None:
    """A child in a session of its own cannot keep us reading."""
    child = tmp_path / "child"
    script = (
        f"setsid sh -c 'echo $$ > {child}; exec sleep 20' & while ! [ -s {child} ]; do :; done; echo answer"
    )

    finished = await shell(script)

    assert finished.stdout == b"answer\n"
    os.kill(await written(child), 9)


@pytest.mark.req("D05")
async def test_cancellation_kills_the_whole_group(tmp_path: Path) -> None:
    """Whoever gives up on the answer leaves nothing running."""
    main, child = tmp_path / "main", tmp_path / "child"
    running = asyncio.ensure_future(shell(f"{NEVER} & echo $! > {child}; echo $$ > {main}; wait", stdin=b"x"))
    pids = [await written(main), await written(child)]

    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running

    for pid in pids:
        await assert_gone(pid)


@pytest.mark.req("D05")
async def test_cancellation_during_the_start_leaves_nothing_running(tmp_path: Path) -> None:
    """Whenever the cancel comes, a program that was started is killed."""
    for turns in range(12):
        started = tmp_path / str(turns)
        running = asyncio.ensure_future(shell(f"echo $$ > {started}; {NEVER}"))
        for _ in range(turns):
            await asyncio.sleep(0)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        pid = pid_in(started)
        if pid is not None:
            await assert_gone(pid)


async def test_a_pipe_that_is_about_to_close_is_left_to_it() -> None:
    """The program read everything just now: giving up its input in that moment ends nothing twice."""
    loop = asyncio.get_running_loop()
    mishaps: list[dict[str, Any]] = []
    loop.set_exception_handler(lambda _, mishap: mishaps.append(mishap))
    reading, writing = os.pipe()
    with os.fdopen(reading):
        pipe, feed = await loop.connect_write_pipe(Feed, os.fdopen(writing, "wb"))
        pipe.write_eof()
        feed.end()
        await a_few_turns()

    assert mishaps == []


@pytest.mark.req("C31")
async def test_no_descriptor_is_left_open() -> None:
    """Successes, failures to start and timeouts all give their descriptors back."""
    await shell("true", stdin=b"x")
    await a_few_turns()
    before = open_descriptors()

    await shell("cat", stdin=b"x")
    with pytest.raises(OSError, match="nowhere"):
        await run_program(("/nowhere",), stdin=b"x", cwd=None, env={}, seconds=PATIENCE)
    with pytest.raises(HookFailedError):
        await shell(NEVER, stdin=b"x" * 1_000_000, seconds=0.05)
    await a_few_turns()

    assert open_descriptors() == before


@pytest.mark.req("C34")
async def test_a_program_ended_by_a_signal_says_which() -> None:
    """The code of a killed program is the negative signal."""
    assert (await shell("kill -9 $$")).code == -9
