"""Texts read and run side by side; a text that breaks the law is made as short as it can be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from tests.effects.oracle.law import Miss, misses, unused
from tests.effects.oracle.sandbox import Sandbox

from interlock.effects.command import Script

Reader = Callable[[str], Script]
_MOST_ROUNDS: Final = 40


@dataclass
class Trial:
    """What came out of some texts."""

    texts: int = 0
    ran: int = 0  # programs started
    unread: list[str] = field(default_factory=list)
    misses: list[Miss] = field(default_factory=list)
    unused: int = 0  # commands said and not seen to run

    def __str__(self) -> str:
        return (
            f"{self.texts} texts started {self.ran} programs; {len(self.unread)} texts unread, "
            f"{self.unused} commands said and not seen, {len(self.misses)} missed"
        )


def trial(sandbox: Sandbox, read: Reader, texts: Sequence[str], shell: str = "bash") -> Trial:
    """Read and run every text."""
    found = Trial(texts=len(texts))
    for text, run in zip(texts, sandbox.run(texts, shell), strict=True):
        try:
            script = read(text)
        except Exception as error:  # noqa: BLE001 - whatever the reader raises is a finding
            found.misses.append(Miss(text, f"the reader raised {error!r}"))
            continue
        found.ran += len(run.ran)
        found.unused += unused(script, run)
        found.misses += misses(text, script, run)
        if script.gaps:
            found.unread.append(text)
    return found


def well_formed(sandbox: Sandbox, texts: Sequence[str]) -> list[str]:
    """The texts whose grammar bash accepts."""
    return [text for text, run in zip(texts, sandbox.run(texts, "n"), strict=True) if run.status == 0]


def shortest(sandbox: Sandbox, read: Reader, text: str, shell: str = "bash") -> Miss | None:
    """The miss of a text, after taking away whatever can be taken away; None when it does not come again."""
    best = next(iter(trial(sandbox, read, [text], shell).misses), None)
    for _ in range(_MOST_ROUNDS):
        smaller = best and _smaller(sandbox, read, best.text, shell)
        if not smaller:
            break
        best = smaller
    return best


def _smaller(sandbox: Sandbox, read: Reader, text: str, shell: str) -> Miss | None:
    size = max(1, len(text) // 2)
    while size:
        shorter = dict.fromkeys(
            text[:at] + text[at + size :] for at in range(0, len(text), max(1, size // 2))
        )
        found = trial(sandbox, read, list(shorter), shell)
        if found.misses:
            return min(found.misses, key=lambda miss: len(miss.text))
        size = size // 2
    return None
