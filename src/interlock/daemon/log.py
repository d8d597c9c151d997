"""The daemon's log: a few files of bounded size that only the user can read."""

from __future__ import annotations

import logging
import logging.handlers
import os
from pathlib import Path
from typing import Final

_BYTES: Final = 1024 * 1024
_FILES: Final = 3


class _PrivateFile(logging.handlers.RotatingFileHandler):
    def _open(self):  # type: ignore[no-untyped-def] # the base class gives no type either
        os.close(os.open(self.baseFilename, os.O_CREAT | os.O_APPEND | os.O_WRONLY | os.O_NOFOLLOW, 0o600))
        return super()._open()


def open_log(path: Path) -> logging.Handler:
    """Send everything Interlock logs to a rotating file."""
    handler = _PrivateFile(path, maxBytes=_BYTES, backupCount=_FILES, encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    logger = logging.getLogger("interlock")
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    logger.propagate = False
    return handler
