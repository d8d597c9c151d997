"""Finds out which program a command runs, and follows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from interlock.effects.command import GapKind
from interlock.effects.effect import Word
from interlock.effects.programs.lookup import base_name, known_alike
from interlock.effects.shell.context import CommandContext, note
from interlock.effects.shell.delegation import settled_end
from interlock.effects.shell.feed import Feed, FeedKind
from interlock.effects.shell.findings import env_effect
from interlock.effects.shell.invocation import Call

if TYPE_CHECKING:
    from interlock.effects.shell.walk import Walker

FEW: Final = 8  # with so few commands in a text, looking for repeated ones does not pay


def run(words: tuple[Word, ...], context: CommandContext, walker: Walker, written: str) -> Feed:
    """Note a program and everything it would run; return what it prints, if known."""
    program = words[0]
    name = program.text
    if not name.islower() and (known := known_alike(name)):
        program, name = Word(known, program.fixed), known
        words = (program, *words[1:])
    if not program.fixed or context.environment or not name.isascii() or (
        not name.isidentifier() and ("/" in name or "." in name)
    ):  # fmt: skip
        return _run_odd_name(words, context, walker)
    return Call(words, name, context, context.scope, walker.findings, walker, written).follow()


def _run_odd_name(words: tuple[Word, ...], context: CommandContext, walker: Walker) -> Feed:
    """Do the same if the name is a path, odd or unknown, or if variables are set for the program."""
    program, written, findings = words[0], context.place.written, walker.findings
    if not program.fixed or not program.text.isidentifier():
        findings.unsettled += 1
    if context.environment:
        findings.effects += [env_effect(name, value, written) for name, value in context.environment]
    if program.fixed:
        name = base_name(program.text)
        if not name.isascii():
            findings.gap(GapKind.SYNTAX, f"the program name `{name}` is not plain", written)
    else:
        settled = settled_end(program.text)
        if settled is None or program.splits:  # `$x/ls` is another program if `$x` contains a blank
            findings.gap(
                GapKind.OPEN, f"`{program.text}` decides which program runs", written, context.place.start
            )
        if settled is None:
            note(context.command(words, written), findings)
            return Feed(FeedKind.OPEN, written)
        name = base_name(settled)
        words = (Word(name), *words[1:])
    made = context.scope.made(program.text) if "/" in program.text else None
    if made is not None and made.name is not None:
        name = base_name(made.name)
        words = (Word(name), *words[1:])
    elif made is None and "/" in program.text:
        findings.doubt_links(context.scope, written)
        findings.doubt_written(program.text, written)
    call = Call(words, name, context, context.scope, walker.findings, walker, written)
    if made is not None and made.content is not None:
        call.delegation.run_made(made.content)
    return call.follow()
