"""The daemon's log: a few files of bounded size that only the user can read."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

from interlock.redaction.redactor import KEYLESS

_BYTES: Final = 1024 * 1024
_FILES: Final = 3


class _PrivateFile(logging.FileHandler):
    """Rotates full files; the standard library's handler for that adds 3 ms to every start."""

    def _open(self):  # type: ignore[no-untyped-def] # the base class gives no type either
        os.close(os.open(self.baseFilename, os.O_CREAT | os.O_APPEND | os.O_WRONLY | os.O_NOFOLLOW, 0o600))
        return super()._open()

    def emit(self, record: logging.LogRecord) -> None:
        try:
            line = len(self.format(record).encode("utf-8", "replace")) + 1
            if self.stream is not None and self.stream.tell() + line > _BYTES:
                self.stream.close()
                self.stream = None  # opened again by the next line
                self._make_older()
        except Exception:  # a failing log must not end the daemon; the library does the same
            self.handleError(record)
            return
        super().emit(record)

    def _make_older(self) -> None:
        path = Path(self.baseFilename)
        for number in range(_FILES - 1, -1, -1):
            older = path.with_name(f"{path.name}.{number}") if number else path
            if older.exists():
                older.replace(path.with_name(f"{path.name}.{number + 1}"))


class _Redacted(logging.Formatter):
    """Removes secrets from the whole line: messages, their arguments and exceptions."""

    def __init__(self, redact: Callable[[str], str]) -> None:
        super().__init__("%(asctime)s %(levelname)s %(message)s")
        self._redact: Final = redact

    def format(self, record: logging.LogRecord) -> str:
        return self._redact(super().format(record))


def open_log(path: Path, redact: Callable[[str], str] = KEYLESS.text) -> logging.Handler:
    """Send everything Interlock logs to a rotating file, without secrets."""
    handler = _PrivateFile(path, encoding="utf-8", errors="backslashreplace")
    handler.setFormatter(_Redacted(redact))
    logger = logging.getLogger("interlock")
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    logger.propagate = False
    return handler
