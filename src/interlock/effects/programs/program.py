"""What a known program does with its options and operands."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Final

import msgspec

from interlock.effects.effect import Word


class Role(StrEnum):
    """What a word is to the program that gets it."""

    TEXT = "text"  # plain data
    READ = "read"  # a path it reads
    WRITE = "write"  # a path it creates or changes
    EDIT = "edit"  # a path whose content it takes and changes: it is read and written
    DELETE = "delete"  # a path it removes
    MOVE = "move"  # a path whose content goes elsewhere: it is read and removed
    MOUNT = "mount"  # HOST:PATH or src=HOST,…: a path that a container gets to read and write
    NETWORK = "network"  # a host, URL, user@host or host:path it talks to
    SHELL = "shell"  # text that a shell will run
    COMMAND = "command"  # this word and the following are a command
    CODE = "code"  # program text for an interpreter
    SCRIPT = "script"  # a file of program text that will be run
    ENV = "env"  # NAME=value or NAME
    FOLDER = "folder"  # the folder it works in
    MODULE = "module"  # a module run by name; the operands after it are its arguments (`python -m pip …`)
    PACKAGE = "package"  # a package whose program is run at once: by its name, or from an address
    OPENER = "opener"  # text for a shell, with the names of files added (`git grep -O`)
    ASSIGNED = "assigned"  # NAME=TEXT, of which a shell will run the text


# What a program gives to others to run.
HANDED_ON: Final = frozenset(
    {Role.SHELL, Role.CODE, Role.SCRIPT, Role.MODULE, Role.PACKAGE, Role.OPENER, Role.ASSIGNED}
)


OPTION_SIGNS: Final = frozenset("-+$`")  # how a word begins that is an option, or that may become one


class Option(msgspec.Struct, frozen=True, kw_only=True):
    """One option under all its names; the first is the one patterns are compared by."""

    names: tuple[str, ...]
    value: Role | None = None  # None: it takes no value
    attached: bool = False  # the value is optional and only ever attached (`--color=always`, `-i.bak`)
    power: bool = False  # it makes the program do more than its name says: a plain allow does not cover it
    operands: Role | None = None  # with it, the operands play this role instead (`sed -i`)
    does: Role | None = None  # an effect of its own, on a target that is not named (`tar -x` writes)
    then: tuple[Role, ...] = ()  # roles of the further values it takes (`find -fprintf FILE FORMAT`)
    late: bool = False  # its value is the first operand, wherever that stands (`bash -c -e TEXT`)
    closed: bool = False  # its command ends at `;` or `{} +` (`find -exec`)
    ends: bool = False  # what follows its value are operands only (`python -c CODE -x`)
    drops: bool = False  # with it, the first operand is not the special one (`grep -e`)
    calms: bool = False  # with it, the program has none of its unnamed effects (`unzip -l`)
    shows: bool = False  # with it, the program shows something and changes nothing (`--help`, `git clean -n`)
    turns: tuple[tuple[str, Role], ...] = ()  # with it, values of other options change role (`tar -c`: -f)
    cases: tuple[tuple[str, Option], ...] = ()  # what it is for values that begin so (`ssh -o ProxyCommand`)
    idle: bool = False  # has no power and no effect of its own (kept so as not to ask each time)
    plain: bool = False  # takes no value and means nothing for other words (kept so as not to ask each time)


class Program(msgspec.Struct, frozen=True, kw_only=True):
    """One program, or one subcommand of it (`git push`)."""

    name: str
    options: dict[str, Option]  # by every name
    operands: tuple[Role, ...] = ()  # role per position
    rest: Role | None = Role.TEXT  # role of all operands in between; None: there are none
    last: tuple[Role, ...] = ()  # roles of the final operands (`cp a b DEST`), given to the end first
    does: tuple[Role, ...] = ()  # effects it always has, on a target that is not named
    start: str = ""  # the path it works on when its operands name none (`find -delete`)
    style: str = "gnu"  # gnu: -abc clusters, --long, --long=v; single: -long only; none: no options at all;
    # pairs: name=value (`dd`); bundled: gnu, and the first word may be a cluster without dash (`tar`)
    mixed: bool = True  # options may follow operands
    depth: int = 0  # how many of the first operands may pick `name subcommand`
    runs: bool = False  # one of the operands begins a command
    longs: tuple[str, ...] = ()  # the long names, sorted, to find one by its beginning
    hands_on: bool = True  # it may give text, code or files to others to run
    transparent: bool = False  # a wrapper that changes nothing about the command it runs (`timeout`)
    interpreter: bool = False  # runs program text from standard input when it gets none by arguments
    shell: bool = False  # an interpreter whose program text this reader reads
    scripts: bool = False  # its first word names a script of the project or a program installed there
    fetches: bool = False  # the command it runs may be a package at an address (`npx github:a/b`)
    more: bool = False  # gives its command further arguments when it runs (`xargs`)
    device: bool = False  # it works on whole disks, or on an image file of one
    passes_on: bool = False  # it runs code, or hands its arguments to what it runs
    decodes: bool = False  # what it prints is another form of what it was given (`base64 -d`, `rev`)
    # Kept so as not to ask each time:
    unusual: bool = True  # it may run others, or works on disks
    even: bool = False  # all its operands have one role, wherever they stand and whatever they say
    signs: frozenset[str] = OPTION_SIGNS  # how a word begins that is an option, or may become one
    steady: bool = False  # no operand changes what the words behind it are


_VERSION: Final = re.compile(r"(?:(?:c?python|pypy)@?)?[0-9]+(?:\.[0-9]+)*", re.ASCII)


def special_case(option: Option, value: Word) -> tuple[Option, Word]:
    """What an option is for this value, and the part of the value that counts (`-o ProxyCommand=CMD`)."""
    # Blanks and quotes around the name of a setting mean nothing to those who read it.
    text = value.text.lstrip(' \t"' if value.fixed else " \t\"'")
    low = text.lower()
    for start, special in option.cases:
        if start[0] in "=#":  # the whole value
            if not value.fixed or (text != start[1:] if start[0] == "=" else not _VERSION.fullmatch(text)):
                continue
            return special, value
        if start[0] == "*":
            _, found, rest = text.partition(start[1:])
            if not found:
                continue
        elif low.startswith(start):
            rest = text[len(start) :]
            if start[-1] == ".":
                rest = rest.partition("=")[2]
        else:
            continue
        return special, Word(rest.lstrip(' \t"=').removeprefix("!"), value.fixed, value.splits)
    return option, value


_MOST_LETTERS: Final = 40  # so that a long word costs no more than another


class Flag(msgspec.Struct, frozen=True, gc=False):
    """One option as given."""

    name: str  # the option's first name where it is known, else as written
    value: Word | None = None
    option: Option | None = None  # None: the table does not know it
    index: int = 0  # of the word it stands in


class Operand(msgspec.Struct, frozen=True, gc=False):
    """One operand and what it is to the program."""

    word: Word
    role: Role
    index: int = 0


class Arguments(msgspec.Struct, frozen=True, gc=False):
    """Every word after the program in its place."""

    program: Program | None  # the entry that was used (of the subcommand, when there is one)
    name: str  # `git push`; a program the table does not know by its base name
    flags: tuple[Flag, ...] = ()
    operands: tuple[Operand, ...] = ()  # the subcommand is not among them
    commands: tuple[tuple[Word, ...], ...] = ()  # what it would run as commands (`sudo …`, `find -exec … ;`)


def may_take_more(flag: Flag, words: tuple[Word, ...]) -> bool:
    """Whether an option takes the next word when what is attached to it turns out to be empty: `-u$x`."""
    value, word = flag.value, words[flag.index]
    if value is None or value.fixed or flag.option is None or flag.option.attached or value is word:
        return False
    return value.text.startswith(("$", "`")) and word.text.endswith(value.text) and word.text[:2] != "--"


def letters_act(options: Mapping[str, Option], sign: str, rest: str) -> bool:
    """Whether options that do something may stand behind what the run decides (`sort -"$v"o f`)."""
    found = [options.get(sign + letter) for letter in rest[:_MOST_LETTERS]]
    return any(option is not None and not option.idle for option in found)
