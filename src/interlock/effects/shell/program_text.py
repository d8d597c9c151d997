"""Program text for an interpreter: noted, and looked through for what it gives to a shell."""

from __future__ import annotations

from typing import Final

from interlock.effects.command import GapKind
from interlock.effects.programs.program import Program
from interlock.effects.shell.awk_code import texts_of_awk
from interlock.effects.shell.called_code import foreign_source, texts_for_shells
from interlock.effects.shell.feed import Feed, FeedKind
from interlock.effects.shell.findings import Findings
from interlock.effects.shell.make_settings import MAKES, recipes_in
from interlock.effects.shell.removing_code import removals_in
from interlock.effects.shell.scope import Scope
from interlock.effects.shell.setting import Setting, Texts

_WAYS: Final = {
    GapKind.DECODED: "decoded text",
    GapKind.NETWORK: "text from another machine",
    GapKind.OPEN: "what it is given",
    GapKind.ENDLESS: "itself over and over",
}
_CHARACTERS: Final = 16  # of code to look through: as much work as one word


def note_code(  # noqa: PLR0917 - all that surrounds it
    code: str, name: str, entry: Program | None, setting: Setting, child: Scope, found: Findings, texts: Texts
) -> None:
    """Note program text for the interpreter of this name, and read what it gives to a shell."""
    found.gap(GapKind.CODE, f"program text for `{name}`", code, folders=child.folders)
    language = entry.name.partition(" ")[0] if entry is not None else ""
    found.spend(len(code) // _CHARACTERS)
    via = (*setting.via, name)
    if language == "awk":
        source = setting.feed if setting.feed.kind is FeedKind.OPEN else Feed(FeedKind.OPEN, code)
        for one in texts_of_awk(code):
            inside = child.copy()
            inside.input = source if one.fed else None
            if one.text.lstrip()[:1] == "$":  # a field of what it is given, as a command
                found.gap(source.source, f"`{name}` runs {_WAYS[GapKind.OPEN]}", code)
            else:
                texts.read_text(one.text, inside, via)
        return
    for text in recipes_in(code) if name in MAKES else texts_for_shells(language, code):
        texts.read_text(text, child.copy(), via)
    for text in removals_in(code):
        texts.read_text(text, child.copy(), via)
    if (kind := foreign_source(language, code)) is not None:
        found.gap(kind, f"`{name}` runs {_WAYS[kind]}", code)
