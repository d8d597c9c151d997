"""Which program a command names, as far as that is settled before it runs."""

from __future__ import annotations

from interlock.reading.command import GapKind
from interlock.reading.programs.lookup import base_name
from interlock.reading.shell.call import Call
from interlock.reading.shell.feed import Feed, FeedKind
from interlock.reading.shell.findings import Findings, env_effect
from interlock.reading.shell.handed import settled_end
from interlock.reading.shell.setting import Setting, Texts, note
from interlock.reading.word import Word


def run(words: tuple[Word, ...], setting: Setting, found: Findings, texts: Texts) -> Feed:
    """Note a program and all it would run; what it prints, if that is settled."""
    program = words[0]
    if setting.environment:
        by = setting.place.written
        found.effects += [env_effect(name, value, by) for name, value in setting.environment]
    if program.fixed:
        name = base_name(program.text)
        if not name.isascii():
            found.gap(GapKind.SYNTAX, f"the program name `{name}` is not plain", setting.place.written)
    else:
        settled = settled_end(program.text)
        if settled is None:
            written = setting.place.written
            found.gap(
                GapKind.OPEN, f"`{program.text}` decides which program runs", written, setting.place.start
            )
            note(words, setting, found, written)
            return Feed(FeedKind.OPEN, written)
        name = settled
        words = (Word(name), *words[1:])
    made = setting.scope.made(program.text) if "/" in program.text else None
    if made is not None and made.name is not None:
        name = made.name
        words = (Word(name), *words[1:])
    call = Call(words, name, setting, found, texts)
    if made is not None and made.content is not None:
        call.handed.run_made(made.content)
    return call.follow()
