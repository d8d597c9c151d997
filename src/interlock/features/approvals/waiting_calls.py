"""Calls that are held until a person has answered, their time is up, or nobody waits for them any more."""

from __future__ import annotations

import asyncio
from typing import Any, Final


class Held:
    """Who waits for the answer to which request."""

    def __init__(self) -> None:
        self._waiting: Final[dict[asyncio.Future[bool], tuple[str, object]]] = {}

    async def wait(self, name: str, seconds: float) -> bool:
        """Wait for a request to be answered; False when whoever asked has gone."""
        future: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting[future] = (name, asyncio.current_task())
        try:
            return await asyncio.wait_for(future, max(0.0, seconds))
        except TimeoutError:
            return True
        finally:
            del self._waiting[future]

    def answered(self, name: str) -> None:
        """A person has said something about a request."""
        self._end([future for future, (waited, _) in self._waiting.items() if waited == name])

    def gone(self, task: Any) -> None:
        """Nobody takes what a task would answer."""
        self._end([future for future, (_, by) in self._waiting.items() if by is task], still_there=False)

    def let_go(self) -> None:
        """The daemon ends: whoever waits gets the ticket."""
        self._end(list(self._waiting))

    @staticmethod
    def _end(futures: list[asyncio.Future[bool]], *, still_there: bool = True) -> None:
        for future in futures:
            if not future.done():
                future.set_result(still_there)
