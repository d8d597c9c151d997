"""What a known program does with its options and operands, and the words of a command sorted by that."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from enum import StrEnum
from typing import Final

import msgspec

from interlock.effects.effect import Word


class Role(StrEnum):
    """What a word means to the program that gets it."""

    TEXT = "text"  # plain data
    READ = "read"  # a path it reads
    WRITE = "write"  # a path it creates or changes
    EDIT = "edit"  # a path it reads and writes
    DELETE = "delete"  # a path it removes
    MOVE = "move"  # a path it reads and removes
    MOUNT = "mount"  # HOST:PATH or src=HOST,…: a path that a container may read and write
    NETWORK = "network"  # a host, URL, user@host or host:path it talks to
    SHELL = "shell"  # text that a shell will run
    COMMAND = "command"  # this word and the following are a command
    CODE = "code"  # program text for an interpreter
    SCRIPT = "script"  # a file of program text that will be run
    ENV = "env"  # NAME=value or NAME
    FOLDER = "folder"  # the folder it works in
    MODULE = "module"  # a module run by name; the operands after it are its arguments (`python -m pip …`)
    PACKAGE = "package"  # a package whose program runs at once, given by name or address
    OPENER = "opener"  # text for a shell that gets file names appended (`git grep -O`)
    ASSIGNED = "assigned"  # NAME=TEXT, where a shell will run the text


# Words with these roles are run by something else.
HANDED_ON: Final = frozenset(
    {Role.SHELL, Role.CODE, Role.SCRIPT, Role.MODULE, Role.PACKAGE, Role.OPENER, Role.ASSIGNED}
)
OPTION_SIGNS: Final = frozenset("-+$`")  # first characters of words that are options or may expand to one


class Option(msgspec.Struct, frozen=True, kw_only=True):
    """One option under all its names; patterns compare the first."""

    names: tuple[str, ...]
    value: Role | None = None  # None: it takes no value
    attached: bool = False  # the value is optional and must be attached (`--color=always`, `-i.bak`)
    power: bool = False  # the program then does more than its name says: a plain allow does not cover it
    operands: Role | None = None  # gives the operands this role instead (`sed -i`)
    does: Role | None = None  # an effect of its own on an unnamed target (`tar -x` writes)
    then: tuple[Role, ...] = ()  # roles of the further values it takes (`find -fprintf FILE FORMAT`)
    late: bool = False  # its value is the first operand, wherever that stands (`bash -c -e TEXT`)
    closed: bool = False  # its command ends at `;` or `{} +` (`find -exec`)
    ends: bool = False  # only operands follow its value (`python -c CODE -x`)
    drops: bool = False  # the first operand loses its special role (`grep -e`)
    calms: bool = False  # the program has none of its unnamed effects (`unzip -l`)
    shows: bool = False  # the program shows something and changes nothing (`--help`, `git clean -n`)
    turns: tuple[tuple[str, Role], ...] = ()  # changes the role of other options' values (`tar -c`: -f)
    cases: tuple[
        tuple[str, Option], ...
    ] = ()  # what it is for values with this prefix (`ssh -o ProxyCommand`)
    # Computed once by `parse_spec`:
    idle: bool = False  # has no power and no effect of its own
    plain: bool = False  # takes no value and does not change other words


class Program(msgspec.Struct, frozen=True, kw_only=True):
    """One program, or one subcommand of it (`git push`)."""

    name: str
    options: dict[str, Option]  # by every name
    operands: tuple[Role, ...] = ()  # role per position
    rest: Role | None = Role.TEXT  # role of all operands in between; None: there are none
    last: tuple[Role, ...] = ()  # roles of the final operands (`cp a b DEST`), assigned from the end
    does: tuple[Role, ...] = ()  # effects it always has, on an unnamed target
    start: str = ""  # the path it works on when its operands name none (`find -delete`)
    style: str = "gnu"  # gnu: -abc clusters, --long, --long=v; single: -long only; none: no options at all;
    # pairs: name=value (`dd`); bundled: gnu, and the first word may be a cluster without a dash (`tar`)
    mixed: bool = True  # options may follow operands
    depth: int = 0  # how many of the first operands may select a subcommand
    runs: bool = False  # one of the operands begins a command
    transparent: bool = False  # a wrapper that changes nothing about the command it runs (`timeout`)
    interpreter: bool = False  # runs program text from standard input when its arguments give none
    shell: bool = False  # an interpreter whose program text we parse
    scripts: bool = False  # its first word names a script of the project or a program installed there
    fetches: bool = False  # the command it runs may be a package at an address (`npx github:a/b`)
    more: bool = False  # gives its command further arguments when it runs (`xargs`)
    device: bool = False  # it works on whole disks, or on image files of them
    decodes: bool = False  # it prints its input in another form (`base64 -d`, `rev`)
    # Computed once by `parse_spec`:
    longs: tuple[str, ...] = ()  # the long names, sorted, to find one by its prefix
    hands_on: bool = True  # it may give text, code or files to others to run
    passes_on: bool = False  # it runs code, or passes its arguments to what it runs
    unusual: bool = True  # it may run others, or works on disks
    even: bool = False  # all its operands have the same role
    signs: frozenset[str] = OPTION_SIGNS  # first characters of words that are options or may expand to one
    steady: bool = False  # no operand changes the meaning of the words after it


class Flag(msgspec.Struct, frozen=True, gc=False):
    """One option as given."""

    name: str  # the option's first name where it is known, else as written
    value: Word | None = None
    option: Option | None = None  # None: the table does not know it
    index: int = 0  # of the word that holds it


class Operand(msgspec.Struct, frozen=True, gc=False):
    """One operand and what it means to the program."""

    word: Word
    role: Role
    index: int = 0


class Arguments(msgspec.Struct, frozen=True, gc=False):
    """The words after a program, sorted."""

    program: Program | None  # the table entry that was used (of the subcommand, if there is one)
    name: str  # `git push`; the base name of a program that the table does not know
    flags: tuple[Flag, ...] = ()
    operands: tuple[Operand, ...] = ()  # without the subcommand
    commands: tuple[tuple[Word, ...], ...] = ()  # what it would run as commands (`sudo …`, `find -exec … ;`)


def words_with(roles: Collection[Role], operands: Iterable[Operand], flags: Iterable[Flag]) -> list[Word]:
    """Return the operands and the values of options that have one of these roles."""
    words = [operand.word for operand in operands if operand.role in roles]
    words += [flag.value for flag in flags if flag.value and flag.option and flag.option.value in roles]
    return words


def may_take_more(flag: Flag, words: tuple[Word, ...]) -> bool:
    """Return whether an option takes the next word if its attached value expands to nothing: `-u$x`."""
    value, word = flag.value, words[flag.index]
    if value is None or value.fixed or flag.option is None or flag.option.attached or value is word:
        return False
    return value.text.startswith(("$", "`")) and word.text.endswith(value.text) and word.text[:2] != "--"
