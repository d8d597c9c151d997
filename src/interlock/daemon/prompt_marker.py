"""A mark beside the ledger: some hook judges prompts, so the shim holds back one nobody could judge."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Final

from interlock.events.hook import Hook
from interlock.events.names import EventName

NAME: Final = "prompts-judged"
_MOST: Final = 1_024  # projects at a time; an agent may visit any number of folders
PROMPTS: Final = frozenset({EventName.USER_PROMPT_SUBMIT, EventName.USER_PROMPT_EXPANSION})


def judges_prompts(hooks: tuple[Hook, ...]) -> bool:
    """Whether any of these hooks votes on prompts."""
    judges = (hook for hook in hooks if hook.handler.judges and not hook.observe)
    return any(PROMPTS.intersection(hook.events) for hook in judges)


class PromptsMark:
    """Follows the policies that are loaded; stays after the daemon has gone, for that is when it is read."""

    def __init__(self, state: Path) -> None:
        self._file: Final = state / NAME
        self._judging: Final[dict[str, None]] = {}  # projects whose policies judge prompts

    def follow(self, root: str, hooks: tuple[Hook, ...]) -> None:
        """Take notice of a project's policy."""
        self._judging.pop(root, None)
        if judges_prompts(hooks):
            self._judging[root] = None
        if len(self._judging) > _MOST:
            del self._judging[next(iter(self._judging))]  # the mark stays for the others
        with contextlib.suppress(OSError):  # a full disk must not stop decisions; the next load tries again
            if self._judging:
                os.close(os.open(self._file, os.O_CREAT | os.O_WRONLY | os.O_NOFOLLOW, 0o600))
            else:
                self._file.unlink(missing_ok=True)
