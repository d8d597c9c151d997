"""The dashboard's process, which the daemon starts for a person and ends with itself.

Pages have their own process, so that no page and no browser can delay a decision.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from contextlib import suppress
from typing import Any, Final, final

import msgspec

from interlock.daemon.agent_processes import Agents
from interlock.daemon.jsonrpc import PEER, Methods
from interlock.daemon.paths import Places
from interlock.daemon.people_only import Identities, Note
from interlock.errors import ApprovalError

LOG: Final = "dashboard.log"  # below the state folder
LINK: Final = b"link "  # asks for the token of a login link, for the person named after it
KEY: Final = b"key "  # asks for an API key, likewise


class UiJob(msgspec.Struct, frozen=True, kw_only=True):
    """The first line of the process's input."""

    arguments: list[str]  # of `Places.arguments`
    port: int  # 0: any free port


class UiAnswer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A line of its output: first its port, then a token for each line of input."""

    port: int = 0
    token: str = ""
    error: str = ""  # why it cannot listen


_logger: Final = logging.getLogger(__name__)
COMMAND: Final = (sys.executable, "-I", "-m", "interlock.web.main")
_START_SECONDS: Final = 15.0
_ENDING_SECONDS: Final = 2.0
_HIGHEST_PORT: Final = 65_535
_LONGEST: Final = 400
_DECODER: Final = msgspec.json.Decoder(UiAnswer)


@final
class DashboardProcess:
    """Starts the dashboard and gives people its link; records whom the dashboard refused."""

    def __init__(self, places: Places, agents: Agents, note: Note, identities: Identities) -> None:
        self._places: Final = places
        self._log: Final = places.state / LOG
        self._note: Final = note
        self._identities: Final = identities
        self._turn: Final = asyncio.Lock()
        self._process: asyncio.subprocess.Process | None = None
        self._port = 0
        # An agent may have started the daemon, and its child processes would count as that agent's.
        agents.ours = self.is_ours

    @property
    def methods(self) -> Methods:
        """By name; the caller checks who asks."""
        return {"ui.open": self._open, "ui.close": self._close, "ui.refused": self._refused}

    def is_ours(self, pid: int) -> bool:
        """Whether a process is the dashboard; its number is not reused before we have seen its end."""
        return self._process is not None and self._process.returncode is None and self._process.pid == pid

    async def _open(self, params: dict[str, Any]) -> dict[str, Any]:
        port = params.get("port", 0)
        if not isinstance(port, int) or isinstance(port, bool) or not 0 <= port <= _HIGHEST_PORT:
            raise ValueError(f"`{port}` is not a port; name one up to {_HIGHEST_PORT}, or 0 for any")
        try:
            person = self._identities.identify(params).name
        except ApprovalError as error:
            raise ValueError(str(error)) from error
        async with self._turn:
            wants_key = params.get("key") is True
            token = await self._token(port, (KEY if wants_key else LINK) + person.encode() + b"\n")
        where = f"http://127.0.0.1:{self._port}"
        if wants_key:
            return {"url": f"{where}/api/v1", "port": self._port, "key": token, "person": person}
        return {"url": f"{where}/login?token={token}", "port": self._port, "person": person}

    async def _token(self, port: int, line: bytes) -> str:
        """A token of the running dashboard, or of a new one if it was killed a moment ago."""
        if self._process is not None and self._process.returncode is None:
            if port not in {0, self._port}:
                raise ValueError(f"the dashboard runs on port {self._port}; run `interlock ui --stop` first")
            with suppress(ValueError):
                return (await self._ask(line)).token
            await self.close()
        await self._start(port)
        return (await self._ask(line)).token

    async def _close(self, _: dict[str, Any]) -> dict[str, Any]:
        async with self._turn:
            ran = self._process is not None
            await self.close()
        return {"closed": ran}

    def _refused(self, params: dict[str, Any]) -> dict[str, Any]:
        if not self.is_ours(params[PEER]):
            raise ValueError("only the dashboard reports whom it refused")
        command, reason, session = (
            str(params.get(name) or "")[:_LONGEST] for name in ("command", "reason", "session_id")
        )
        self._note(
            "refused", {"command": command, "reason": reason, "decision": "deny", "session_id": session}
        )
        return {"recorded": True}

    async def _start(self, port: int) -> None:
        # Its errors before it opens its log would otherwise be lost.
        log = os.open(self._log, os.O_CREAT | os.O_APPEND | os.O_WRONLY | os.O_NOFOLLOW, 0o600)
        try:
            self._process = await asyncio.create_subprocess_exec(
                *COMMAND, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=log
            )
        finally:
            os.close(log)
        job = UiJob(arguments=self._places.arguments(), port=port)
        try:
            answer = await self._ask(msgspec.json.encode(job) + b"\n")
        except ValueError:
            await self.close()
            raise
        if answer.error:
            await self.close()
            raise ValueError(answer.error)
        self._port = answer.port
        _logger.info("the dashboard listens on port %d, pid %d", answer.port, self._process.pid)

    async def _ask(self, line: bytes) -> UiAnswer:
        """Write one line and read one."""
        process = self._process
        if process is None or process.stdin is None or process.stdout is None:
            raise ValueError("the dashboard has stopped; try again")
        try:
            process.stdin.write(line)
            async with asyncio.timeout(_START_SECONDS):
                return _DECODER.decode(await process.stdout.readline())
        except (OSError, RuntimeError, TimeoutError, msgspec.DecodeError) as error:
            raise ValueError(f"the dashboard does not answer; see `{self._log}` and try again") from error

    async def close(self) -> None:
        """End the dashboard's process, if there is one."""
        process, self._process = self._process, None
        if process is None:
            return
        if process.stdin is not None:
            process.stdin.close()  # which ends it, even if the daemon is killed
        with suppress(TimeoutError):
            async with asyncio.timeout(_ENDING_SECONDS):
                await process.wait()
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()  # it only holds logins, which end with it
            await process.wait()
