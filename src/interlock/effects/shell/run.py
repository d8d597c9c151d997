"""Which program a command names, as far as that is settled before it runs."""

from __future__ import annotations

from typing import Final

from interlock.effects.command import GapKind
from interlock.effects.effect import Word
from interlock.effects.programs.lookup import base_name, known_alike
from interlock.effects.shell.context import CommandContext, Texts, note
from interlock.effects.shell.delegation import settled_end
from interlock.effects.shell.feed import Feed, FeedKind
from interlock.effects.shell.findings import Findings, env_effect
from interlock.effects.shell.invocation import Call

FEW: Final = 8  # commands that a text may hold before it is worth while to look for the same ones


def run(
    words: tuple[Word, ...], context: CommandContext, found: Findings, texts: Texts, written: str
) -> Feed:
    """Note a program and all it would run; what it prints, if that is settled."""
    program = words[0]
    name = program.text
    if not name.islower() and (known := known_alike(name)):
        program, name = Word(known, program.fixed), known
        words = (program, *words[1:])
    if not program.fixed or context.environment or not name.isascii() or (
        not name.isidentifier() and ("/" in name or "." in name)
    ):  # fmt: skip
        return _run_odd_name(words, context, found, texts)
    return Call(words, name, context, context.scope, found, texts, written).follow()


def _run_odd_name(words: tuple[Word, ...], context: CommandContext, found: Findings, texts: Texts) -> Feed:
    """The same where the name is a path, not plain or not known, or variables are set for the program."""
    program, written = words[0], context.place.written
    if not program.fixed or not program.text.isidentifier():
        found.unsettled += 1
    if context.environment:
        found.effects += [env_effect(name, value, written) for name, value in context.environment]
    if program.fixed:
        name = base_name(program.text)
        if not name.isascii():
            found.gap(GapKind.SYNTAX, f"the program name `{name}` is not plain", written)
    else:
        settled = settled_end(program.text)
        if settled is None or program.splits:  # `$x/ls` is another program if there is a blank in it
            found.gap(
                GapKind.OPEN, f"`{program.text}` decides which program runs", written, context.place.start
            )
        if settled is None:
            note(context.command(words, written), found)
            return Feed(FeedKind.OPEN, written)
        name = base_name(settled)
        words = (Word(name), *words[1:])
    made = context.scope.made(program.text) if "/" in program.text else None
    if made is not None and made.name is not None:
        name = base_name(made.name)
        words = (Word(name), *words[1:])
    elif made is None and "/" in program.text:
        found.doubt_links(context.scope, written)
        found.doubt_written(program.text, written)
    call = Call(words, name, context, context.scope, found, texts, written)
    if made is not None and made.content is not None:
        call.delegation.run_made(made.content)
    return call.follow()
