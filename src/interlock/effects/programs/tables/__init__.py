"""What common programs do with their options and operands, one table per family.

A key names programs: `a,b` share a spec, `a=b` are one program, `git push` is a subcommand. It also has the
effects (`does`) and the style of its parent, and its options unless the parent is `options-first`. Entries
of a spec are separated by `|` or line breaks. About the program as a whole:

    (nothing about it)      all operands are text
    operands:text read*     the first is text, all others are paths it reads
    operands:read* write    the last one is written
    operands:env* command   NAME=value words, then a command
    operands:none           it takes none
    style:single            -long options; also `pairs`, `bundled`, `none`
    options-first           the first operand ends the options
    start:.                 the path it works on when no operand names one
    subcommands, subcommands:2, does:network, transparent, interpreter, shell, fetches, scripts, more, decodes
    device

About one option: its names, with the mark directly after the last one:

    -r -R --recursive       no value
    -n --lines=             a value; `=read` with its role; `=write,text` two values
    --color=?               a value that must be attached
    -c=^shell               its value is the first operand
    -exec=command;          a command up to `;`
    -delete!                does more than the name of the program says
    -i=?!>write             with it, the operands are written
    -e=code drops           further words: drops, ends, calms, shows, does:ROLE, turns:-f=ROLE
                            (--help and --version have `shows` without saying so)
    case:-o proxycommand shell!   option -o when its value begins with this (lower case; `*x`: contains x;
                                  `=x`: is x; `#`: is a version; `PIPE`: begins with `|`); `>edit` after
                                  it: the role of the operands then
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Final

_FAMILIES: Final = "files text wrappers git packages containers cloud network system build shells"


def every_table() -> Iterator[Mapping[str, str]]:
    """Yield all tables; they are imported only when the first program is looked up."""
    for family in _FAMILIES.split():
        table: Mapping[str, str] = import_module(f"{__name__}.{family}").PROGRAMS
        yield table
