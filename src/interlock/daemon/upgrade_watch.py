"""Noticing that another version has been installed under a running daemon."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

from interlock import version

_log: Final = logging.getLogger(__name__)
_VERSION: Final = re.compile(r'^__version__ = "([^"]+)"', re.MULTILINE)
LOOK_SECONDS: Final = 2.0


def installed_version(file: Path = Path(version.__file__)) -> str | None:
    """The version the files on disk have; None when they are gone or half written."""
    try:
        found = _VERSION.search(file.read_text("utf-8"))
    except OSError:
        return None
    return found.group(1) if found else None


async def watch_for_upgrade(
    replace: Callable[[], None], *, file: Path = Path(version.__file__), seconds: float = LOOK_SECONDS
) -> None:
    """Drain this daemon once it is the older one; the next call starts its successor."""
    while True:
        found = installed_version(file)  # one line of a small file; a thread for it would stay for good
        if found is not None and found != version.__version__:
            _log.info("version %s is installed; %s makes way for it", found, version.__version__)
            replace()
            return
        await asyncio.sleep(seconds)
