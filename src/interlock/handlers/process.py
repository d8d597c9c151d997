"""Runs a program in its own process group, with limited output, and leaves no process behind."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Final, cast

import msgspec

from interlock.errors import FailureKind, HookFailedError

STDOUT_CAP: Final = 1024 * 1024
STDERR_CAP: Final = 64 * 1024
GRACE: Final = 0.2  # seconds a child may keep the pipes open after the program itself has ended
REAPING: Final = 1.0  # seconds to wait for a killed program; only one stuck in the kernel takes longer

_OUT: Final = 1
_ERR: Final = 2


class FinishedProcess(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a program that has ended."""

    code: int  # negative: the signal that ended it
    stdout: bytes
    stderr: bytes
    truncated: bool  # stdout went past its cap


async def run_program(
    argv: Sequence[str], *, stdin: bytes | None, cwd: str | None, env: Mapping[str, str], seconds: float
) -> FinishedProcess:
    """Run a program to its end; raise HookFailedError on timeout, OSError when it cannot be started."""
    deadline = asyncio.get_running_loop().time() + seconds
    program = _Program()
    try:
        async with asyncio.timeout_at(deadline):
            await _start(program, argv, stdin=stdin, cwd=cwd, env=env)
            await program.exited.wait()
    except TimeoutError:
        raise HookFailedError(FailureKind.TIMEOUT, f"no answer within {seconds:g} s") from None
    else:
        await program.drained(deadline)
        return program.finished()
    finally:
        # Also on cancellation, so that the program does not keep running.
        await program.end()


class _Program(asyncio.SubprocessProtocol):
    """Follows one process; keeps its output up to the caps and drops the rest."""

    def __init__(self) -> None:
        self.exited: Final = asyncio.Event()
        self._closed: Final = asyncio.Event()
        self._open: Final = {_OUT, _ERR}
        self._kept: Final = {_OUT: bytearray(), _ERR: bytearray()}
        self._caps: Final = {_OUT: STDOUT_CAP, _ERR: STDERR_CAP}
        self._truncated: Final[set[int]] = set()
        self.transport: asyncio.SubprocessTransport | None = None
        self.feed: Feed | None = None

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        room = self._caps[fd] - len(self._kept[fd])
        self._kept[fd] += data[:room]
        if len(data) > room:
            self._truncated.add(fd)

    def pipe_connection_lost(self, fd: int, _exc: Exception | None) -> None:
        self._open.discard(fd)
        if not self._open:
            self._closed.set()

    def process_exited(self) -> None:
        self.exited.set()

    async def drained(self, deadline: float) -> None:
        """Wait for the end of the output, but not for a child that only holds the pipes open."""
        grace = min(GRACE, max(0.0, deadline - asyncio.get_running_loop().time()))
        with suppress(TimeoutError):
            await asyncio.wait_for(self._closed.wait(), grace)

    def finished(self) -> FinishedProcess:
        """What is known once the program has ended."""
        code = self.transport.get_returncode() if self.transport else None
        if code is None:
            raise ChildProcessError("the program's exit code was lost")
        return FinishedProcess(
            code=code,
            stdout=bytes(self._kept[_OUT]),
            stderr=bytes(self._kept[_ERR]),
            truncated=_OUT in self._truncated,
        )

    async def end(self) -> None:
        """Kill the processes that still run or hold the pipes, and close our ends."""
        if self.transport is None:
            return
        if not (self.exited.is_set() and self._closed.is_set()):
            # The program leads its group, so its id is the group's.
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.transport.get_pid(), signal.SIGKILL)
        if self.feed is not None:
            self.feed.end()
        with suppress(TimeoutError):
            await asyncio.wait_for(self.exited.wait(), REAPING)
        self.transport.close()


class Feed(asyncio.BaseProtocol):
    """The writing end of a program's standard input."""

    _transport: asyncio.WriteTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.WriteTransport", transport)

    def connection_lost(self, _exc: Exception | None) -> None:
        self._transport = None

    def end(self) -> None:
        """Drop what was not read; asyncio forbids that once the pipe is closed or closing."""
        pipe = self._transport
        if pipe is not None and (pipe.get_write_buffer_size() or not pipe.is_closing()):
            pipe.abort()


async def _start(
    program: _Program, argv: Sequence[str], *, stdin: bytes | None, cwd: str | None, env: Mapping[str, str]
) -> None:
    if stdin is None:
        await _spawn(program, argv, subprocess.DEVNULL, cwd=cwd, env=env)
        return
    # A pipe of our own: asyncio's may be a socket, which `cat /dev/stdin` cannot open.
    reading, writing = os.pipe()
    try:
        await _spawn(program, argv, reading, cwd=cwd, env=env)
    except BaseException:
        os.close(writing)
        raise
    finally:
        os.close(reading)
    await _feed(program, writing, stdin)


async def _spawn(
    program: _Program, argv: Sequence[str], stdin: int, *, cwd: str | None, env: Mapping[str, str]
) -> None:
    spawning = asyncio.ensure_future(
        asyncio.get_running_loop().subprocess_exec(
            lambda: program,
            *argv,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
            env=env,
            start_new_session=True,
        )
    )
    try:
        transport, _ = await asyncio.shield(spawning)
    except asyncio.CancelledError:
        # The process may exist already; learn its id, so that `end` can kill its group.
        with suppress(OSError, ValueError):
            program.transport, _ = await spawning
        raise
    program.transport = transport


async def _feed(program: _Program, writing: int, data: bytes) -> None:
    pipe = os.fdopen(writing, "wb", buffering=0)
    loop = asyncio.get_running_loop()
    transport, program.feed = await loop.connect_write_pipe(Feed, pipe)
    # A program that does not read its input is free to: a broken pipe ends the writing, nothing else.
    transport.write(data)
    transport.write_eof()
