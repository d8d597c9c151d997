"""Notifies people by webhook, desktop or terminal bell. Nothing waits for a notification to arrive."""

from __future__ import annotations

import asyncio
import logging
import os
import subprocess
import sys
from collections.abc import Callable, Coroutine, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final, final

import msgspec

from interlock.daemon.extension import DaemonContext
from interlock.daemon.people_only import Note
from interlock.files.system_programs import run_program, system_path, system_program

_PROC: Final = Path("/proc")
_DEVICE: Final = 4  # field of `/proc/PID/stat`, counted after the name
_DEV: Final = Path("/dev")
_PSEUDO: Final = range(136, 144)  # major device numbers of pseudo terminals
_CONSOLE: Final = 4
_PS_SECONDS: Final = 2.0


def ring(terminal: Path) -> None:
    """Ring the bell; a terminal that is gone or blocked does not matter."""
    try:
        descriptor = os.open(terminal, os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        _log.info("no bell at `%s`: %s", terminal, error)
        return
    try:
        if os.isatty(descriptor):
            os.write(descriptor, b"\a")
    except OSError as error:
        _log.info("no bell at `%s`: %s", terminal, error)
    finally:
        os.close(descriptor)


def terminal_of(pid: int) -> Path | None:
    """Return the terminal of a process, as the system reports it."""
    if not _PROC.joinpath("self", "stat").exists():
        return _from_ps(pid)
    try:
        text = _PROC.joinpath(str(pid), "stat").read_bytes().decode("utf-8", "replace")
        # The name may contain blanks and brackets, so it ends at the last bracket.
        device = int(text.rpartition(")")[2].split()[_DEVICE]) & 0xFFFFFFFF
    except (OSError, ValueError, IndexError):
        return None
    return _device_path(device) if device else None


def _device_path(device: int) -> Path | None:
    major, minor = os.major(device), os.minor(device)
    if major in _PSEUDO:
        path = _DEV / "pts" / str((major - _PSEUDO.start) * 256 + minor)
    elif major == _CONSOLE:
        path = _DEV / f"tty{minor}"
    else:
        return None
    try:
        return path if path.stat().st_rdev == device else None
    except OSError:
        return None


def _from_ps(pid: int) -> Path | None:
    command = ["/bin/ps", "-o", "tty=", "-p", str(pid)]
    try:
        done = run_program(command, seconds=_PS_SECONDS)
    except (OSError, subprocess.TimeoutExpired):
        return None
    name = done.stdout.decode().strip()
    return _DEV / name if name and "?" not in name and ".." not in name else None


_log: Final = logging.getLogger(__name__)
_SECONDS: Final = 5.0
_PAUSES: Final = (0.5, 2.0)  # before the second and the third try
_MOST: Final = 32  # notifications sent at the same time
_SCRIPT: Final = (
    "on run argv",
    "display notification (item 2 of argv) with title (item 1 of argv)",
    "end run",
)


class Notice(msgspec.Struct, frozen=True, kw_only=True):
    """A notification: one line for the desktop, a document for a webhook."""

    title: str
    text: str
    document: dict[str, Any]


class Ways(msgspec.Struct, frozen=True, kw_only=True):
    webhook: str | None = None
    desktop: bool = False
    terminal: Path | None = None  # to ring its bell


class Notifier:
    """Sends notices; a failure is recorded once, until a notice succeeds."""

    def __init__(
        self,
        note: Note,
        *,
        of: str = "requests",
        environ: Mapping[str, str] = os.environ,
        bus: Path | None = None,
        find: Callable[[str], str | None] = system_program,
        pauses: Sequence[float] = _PAUSES,
    ) -> None:
        self._note: Final = note
        self._of: Final = of
        self._environ: Final = dict(environ)
        self._bus: Final = bus or Path(f"/run/user/{os.getuid()}/bus")
        self._find: Final = find
        self._pauses: Final = tuple(pauses)
        self._tasks: Final[set[asyncio.Task[None]]] = set()
        self._failing: Final[set[str]] = set()

    def tell(self, notice: Notice, ways: Ways) -> None:
        """Start to send a notice."""
        if ways.terminal is not None:
            ring(ways.terminal)
        if ways.webhook:
            self._start(self._post(ways.webhook, notice.document), "webhook")
        if ways.desktop:
            self._start(self._show(notice.title, notice.text), "desktop")

    def _start(self, work: Coroutine[Any, Any, None], way: str) -> None:
        if len(self._tasks) >= _MOST:
            work.close()
            self._fail(way, f"more than {_MOST} notifications are being sent")
            return
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _post(self, url: str, document: dict[str, Any]) -> None:
        # Imported in a thread: it takes as long as a hundred decisions.
        httpx = await asyncio.to_thread(import_module, "httpx")
        body = msgspec.json.encode(document)
        problem = ""
        async with httpx.AsyncClient(timeout=_SECONDS, trust_env=False, follow_redirects=False) as client:
            for pause in (0.0, *self._pauses):
                await asyncio.sleep(pause)
                try:
                    answer = await client.post(
                        url, content=body, headers={"content-type": "application/json"}
                    )
                except (httpx.HTTPError, httpx.InvalidURL) as error:
                    problem = str(error) or type(error).__name__
                    continue
                if answer.is_success:
                    self._failing.discard("webhook")
                    return
                problem = f"it answered {answer.status_code}"
        self._fail("webhook", problem)

    def _fail(self, way: str, problem: str) -> None:
        _log.warning("a notification by %s failed: %s", way, problem)
        if way not in self._failing:
            self._failing.add(way)
            self._note("alarm", {"reason": f"people are not notified of {self._of} by {way}: {problem}"})

    async def _show(self, title: str, text: str) -> None:
        command, environ = self._program(title, text)
        if command is None:
            return
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                env=environ,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.DEVNULL,
            )
        except OSError as error:
            _log.info("no notification on the desktop: %s", error)
            return
        try:
            await asyncio.wait_for(process.wait(), _SECONDS)
        except TimeoutError:
            process.kill()
            await process.wait()

    def _program(self, title: str, text: str) -> tuple[list[str] | None, dict[str, str]]:
        """Return the command that shows a notification, and its environment; None without a desktop."""
        kept = {"HOME", "LANG"}
        environ = {name: value for name, value in self._environ.items() if name in kept}
        environ["PATH"] = system_path()
        if sys.platform == "darwin":
            script = [word for line in _SCRIPT for word in ("-e", line)]
            found = self._find("osascript")
            return ([found, *script, title, text] if found else None), environ
        found = self._find("notify-send")
        if found is None or not self._bus.exists():
            _log.info("no notification on the desktop: no notify-send, or no session bus at %s", self._bus)
            return None, environ
        environ["DBUS_SESSION_BUS_ADDRESS"] = f"unix:path={self._bus}"
        import html

        # The desktop may read the body as markup, so the call's text is escaped.
        return [found, "--app-name=Interlock", "--", title, html.escape(text)], environ

    async def close(self) -> None:
        """Cancel what is still being sent."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


@final
class NotificationService:
    def __init__(self, context: DaemonContext) -> None:
        self._agents: Final = context.agents
        self._notifier: Final = Notifier(context.committer.note, of="what hooks and agents report")

    def hook_services(self) -> Mapping[type[Any], object]:
        return {NotificationService: self}

    def tell(self, notice: Notice, ways: Ways, bell_of: str | None) -> None:
        """Start to send a notice, and ring the bell of a session; failures are recorded later."""
        pid = self._agents.process_of(bell_of) if bell_of is not None else None
        terminal = None if pid is None else terminal_of(pid)
        self._notifier.tell(notice, msgspec.structs.replace(ways, terminal=terminal))

    async def close(self) -> None:
        await self._notifier.close()
