"""A command line and where its words are expected."""

from __future__ import annotations

import shlex

from interlock.effects.effect import Word
from interlock.effects.programs.arguments import sort_arguments
from interlock.effects.programs.program import Flag

Row = tuple[str, str, str, str, list[str]]  # line, name, flags, operands, commands


def shown(flag: Flag) -> str:
    """`-o!=out:write`: the name, whether it is a power, the value and its role."""
    text = flag.name + ("!" if flag.option is not None and flag.option.power else "")
    if flag.value is None:
        return text
    role = f":{flag.option.value}" if flag.option is not None and flag.option.value else ""
    return f"{text}={flag.value.text}{role}"


def sorted_row(line: str) -> Row:
    """What sorting makes of a line."""
    found = sort_arguments([Word(text) for text in shlex.split(line)])
    return (
        line,
        found.name,
        " ".join(shown(flag) for flag in found.flags),
        " ".join(f"{operand.word.text}:{operand.role}" for operand in found.operands),
        [" ".join(word.text for word in command) for command in found.commands],
    )
