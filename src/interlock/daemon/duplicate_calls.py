"""Calls that were answered: a host with Interlock installed twice reports everything twice."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from typing import Final

import msgspec

from interlock.daemon.answer import Identity, Judgement

_REMEMBERED: Final = 4_096
_LONGEST: Final = 16 * 1024  # times the number above: what remembering may take at most


class Answered:
    """Gives the second report of a call the first one's answer, also while that is still being made."""

    def __init__(self) -> None:
        self._made: Final[OrderedDict[Identity, Judgement]] = OrderedDict()
        self._coming: Final[dict[Identity, asyncio.Task[Judgement]]] = {}

    def known(self, identity: Identity) -> Judgement | asyncio.Task[Judgement] | None:
        """The answer, or the task that is making it; None for a call not seen before."""
        found = self._made.get(identity)
        return self._coming.get(identity) if found is None and self._coming else found

    def expect(self, identity: Identity, task: asyncio.Task[Judgement]) -> None:
        """Note that the answer is being made."""
        if identity[2]:
            self._coming[identity] = task
            task.add_done_callback(lambda _: self._coming.pop(identity, None))

    def remember(self, judgement: Judgement) -> None:
        """Keep an answer, without the summary: it holds the whole input, and watchers are told once."""
        identity, made = judgement.identity, self._made
        if not identity[2] or len(judgement.reply.stdout) > _LONGEST:
            return
        made[identity] = msgspec.structs.replace(judgement, summary={}) if judgement.summary else judgement
        if len(made) > _REMEMBERED:
            made.popitem(last=False)

    def forget(self, judgement: Judgement) -> None:
        """Take an answer back."""
        self._made.pop(judgement.identity, None)
