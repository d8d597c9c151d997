"""May this actor do this operation? Each policy file that speaks of operations judges alone."""

from __future__ import annotations

from typing import Final

from interlock.features.commitments.policy import Charter, CharterPart
from interlock.features.commitments.refusal import Code, RefusedError

SYSTEM: Final = "system"  # Interlock itself, which closes what needs nobody's look
_NOT_PEOPLE: Final = ("agent:", "bot:", "service:")


def is_person(actor: str) -> bool:
    """Whether a name is a person's."""
    return actor != SYSTEM and not actor.startswith(_NOT_PEOPLE)


def check_permission(actor: str, op: str, charter: Charter) -> None:
    """Refuse what a file forbids: its entry for the actor, else its defaults; neither is a refusal too."""
    if actor == SYSTEM:
        return
    known = False  # to an earlier file, by an entry of its own
    for part in charter.parts:
        if not part.speaks:
            continue
        allowed, by_entry = _allowed(part, actor)
        if allowed is None and known:
            continue
        if allowed is None or op not in allowed:
            raise RefusedError(
                Code.PERMISSION_DENIED,
                f"`{actor}` may not {op} ({_why(part, listed=by_entry)})",
                "ask somebody who may, or list the operation there",
                actor=actor,
                operation=op,
            )
        known = known or by_entry


def _allowed(part: CharterPart, actor: str) -> tuple[frozenset[str] | None, bool]:
    entry = part.entry_of(actor)
    if entry is not None and entry.operations is not None:
        return entry.operations, True
    return part.anybody, False


def _why(part: CharterPart, *, listed: bool) -> str:
    if listed:
        return f"the operations listed for it in {part.file}"
    return (
        f"{part.file} lists no operations for it" if part.anybody is None else f"the defaults of {part.file}"
    )
