"""What a test may do that is not marked `deep`: start no process, wait for nothing, compute for a moment."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
import time
from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any, Final, SupportsIndex, TypeVar

import pytest

SECONDS: Final = 1.0  # of a processor that counts as fast as the one below, in its call
COUNTED: Final = 300_000
COUNTING: Final = 0.013  # seconds that counting so far takes on the machine the limit was set on
ONE_SLEEP: Final = 0.1  # seconds
ALL_SLEEPS: Final = 0.5

_STARTS: Final = frozenset(
    {"subprocess.Popen", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.system"}
)

_Result = TypeVar("_Result")
_Hook = Generator[None, _Result, _Result]


@dataclass
class QuickTest:
    """What the running test did that belongs into the deep tier."""

    slept: float = 0.0
    faults: list[str] = field(default_factory=list)

    def started(self, program: object) -> None:
        """A process was started."""
        self.faults.append(f"it starts a process ({program!s:.120})")

    def sleeps(self, seconds: float) -> None:
        """It is about to sleep."""
        self.slept += seconds
        if seconds > ONE_SLEEP or self.slept > ALL_SLEEPS:
            self.faults.append(f"it sleeps for {max(seconds, self.slept):.2g} s")

    def computed(self, seconds: float) -> None:
        """Its call took this long of the processor; a slower machine gets more."""
        if seconds > SECONDS and seconds > SECONDS * slowness():
            self.faults.append(f"it takes {seconds:.1f} s of the processor")

    def judge(self) -> None:
        """Fail the test that belongs into the deep tier."""
        if self.faults:
            told, self.faults = self.faults[0], []
            pytest.fail(f"{told}: mark it `deep`, or spare it that", pytrace=False)


def slowness() -> float:
    """How many times longer this machine computes now than the one the limit was set on."""
    began = time.process_time()
    sum(number * number % 7 for number in range(COUNTED))
    return (time.process_time() - began) / COUNTING


_running: QuickTest | None = None
_sleep, _async_sleep = time.sleep, asyncio.sleep


def _watch(event: str, arguments: tuple[Any, ...]) -> None:
    if _running is not None and event in _STARTS:
        _running.started(arguments[:2] or event)


def _forks() -> None:  # uvloop starts its processes without an audit event
    if _running is not None:
        _running.started("fork")


def _sleeps(seconds: float) -> None:
    # A server in another thread may pause as it likes.
    if _running is not None and threading.current_thread() is threading.main_thread():
        _running.sleeps(seconds)


def _watched_sleep(seconds: float | SupportsIndex) -> None:
    _sleeps(float(seconds))
    _sleep(seconds)


async def _watched_async_sleep(delay: float, result: Any = None) -> Any:
    _sleeps(delay)
    return await _async_sleep(delay, result)


def pytest_configure() -> None:
    """Begin to watch; an audit hook stays for as long as the process."""
    sys.addaudithook(_watch)
    os.register_at_fork(before=_forks)
    time.sleep, asyncio.sleep = _watched_sleep, _watched_async_sleep


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> _Hook[object]:
    """Watch a test from its first fixture to its last."""
    global _running  # noqa: PLW0603 - an audit hook has no other way to know whom it watches
    _running = None if item.get_closest_marker("deep") else QuickTest()
    try:
        return (yield)
    finally:
        _running = None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup() -> _Hook[None]:
    """Judge the fixtures too."""
    yield
    if _running is not None:
        _running.judge()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> _Hook[None]:
    """Judge the test, unless it failed anyway."""
    began = time.process_time()
    yield
    if _running is not None:
        _running.computed(time.process_time() - began)
        _running.judge()
