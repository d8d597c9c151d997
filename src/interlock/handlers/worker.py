"""A blocking function, called on a thread of its own so that nobody has to wait for its end."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any


async def call_in_thread(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function and give what it returns or raises.

    A pool would be joined when the loop closes, and a few stuck functions would fill it; a daemon
    thread that never ends costs only itself.
    """
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[tuple[Any, BaseException | None]] = loop.create_future()

    def settle(value: Any, error: BaseException | None) -> None:
        if not answer.done():
            answer.set_result((value, error))

    def work() -> None:
        value, error = None, None
        try:
            value = function(*arguments)
        except BaseException as raised:  # noqa: BLE001 - also SystemExit: it is raised where it is awaited
            error = raised
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(settle, value, error)

    context = contextvars.copy_context()
    threading.Thread(target=context.run, args=(work,), name="interlock-hook", daemon=True).start()
    value, error = await answer
    if error is not None:
        raise error
    return value
