"""How full windows are, looked up in a transcript only after it has grown."""

from __future__ import annotations

import os
from collections import OrderedDict
from typing import Final

from interlock.features.work.transcripts.token_usage import WINDOW, Usage, usage_in, window_of

_MOST: Final = 1_024  # transcripts
_Seen = tuple[int, int, Usage | None]  # size, time of the last change, what was found


class UsageMemory:
    """Asked before every call, so it looks at a file's size first."""

    def __init__(self) -> None:
        self._seen: Final[OrderedDict[str, _Seen]] = OrderedDict()
        self._windows: Final[OrderedDict[str, int]] = OrderedDict()  # of the large ones, by transcript

    def note_model(self, path: str, model: str | None) -> None:
        """Remember what the host says once, at the start of some sessions: transcripts leave it out."""
        self._note_window(path, window_of(model))

    def share(self, path: str | None, window: int | None, *, sub_agent: bool = False) -> float | None:
        """The part of the window that is full; None where nobody knows."""
        found = self._usage(path, sub_agent=sub_agent) if path else None
        if path is None or found is None:
            return None
        self._note_window(path, window_of(found.model, found.tokens))
        return found.share(window or self._windows.get(path))

    def _note_window(self, path: str, window: int) -> None:
        """A window that was large once is so for good, however little is in it now."""
        if window == WINDOW:
            return
        self._windows[path] = window
        if len(self._windows) > _MOST:
            self._windows.popitem(last=False)

    def _usage(self, path: str, *, sub_agent: bool) -> Usage | None:
        try:
            status = os.stat(path)  # noqa: PTH116 - a Path object costs more than the look
        except (OSError, ValueError):
            return None
        known = self._seen.get(path)
        if known is not None and known[:2] == (status.st_size, status.st_mtime_ns):
            return known[2]
        found = usage_in(path, sub_agent=sub_agent)
        self._seen[path] = (status.st_size, status.st_mtime_ns, found)
        self._seen.move_to_end(path)
        if len(self._seen) > _MOST:
            self._seen.popitem(last=False)
        return found
