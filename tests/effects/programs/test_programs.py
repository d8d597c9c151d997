"""The tables themselves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

from interlock.effects.programs.lookup import find_program
from interlock.effects.programs.program import Program, Role
from interlock.effects.programs.tables import every_table


def names() -> Iterator[str]:
    for table in every_table():
        for key in table:
            above, space, last = key.rpartition(" ")
            for name in last.replace("=", ",").split(","):
                yield above + space + name


def found(name: str) -> Program:
    program = find_program(name)
    assert program is not None, name
    return program


def test_every_entry_can_be_parsed() -> None:
    """No slip in the notation waits for the day somebody uses that program."""
    assert len([found(name) for name in names()]) > 1000


def test_no_program_is_described_twice() -> None:
    """Two descriptions of one program would hide each other."""
    assert [name for name, times in Counter(names()).items() if times > 1] == []


def test_names_are_names() -> None:
    """A stray blank, comma or equals sign in a key would make an entry nobody finds."""
    assert [name for name in names() if name.strip() != name or "" in name.split(" ")] == []


def test_every_subcommand_can_be_reached() -> None:
    """Whoever has an entry for a subcommand says that it has subcommands."""
    above = {name.rpartition(" ")[0] for name in names() if " " in name}
    assert [name for name in above if not found(name).depth] == []


@pytest.mark.req("C05", "C07", "C09", "case:C14", "X12")
@pytest.mark.parametrize(
    ("name", "option", "role"),
    [
        ("find", "-exec", Role.COMMAND),
        ("find", "-execdir", Role.COMMAND),
        ("find", "-ok", Role.COMMAND),
        ("find", "-okdir", Role.COMMAND),
        ("find", "-delete", None),
        ("find", "-fprint", Role.WRITE),
        ("find", "-fprint0", Role.WRITE),
        ("find", "-fprintf", Role.WRITE),
        ("find", "-fls", Role.WRITE),
        ("fd", "-x", Role.COMMAND),
        ("sed", "-i", Role.TEXT),
        ("sed", "-f", Role.SCRIPT),
        ("sort", "-o", Role.WRITE),
        ("sort", "--compress-program", Role.SHELL),
        ("tar", "--to-command", Role.SHELL),
        ("tar", "--checkpoint-action", Role.TEXT),
        ("tar", "-I", Role.SHELL),
        ("tar", "--use-compress-program", Role.SHELL),
        ("rg", "--pre", Role.SHELL),
        ("rg", "--hostname-bin", Role.SHELL),
        ("man", "-P", Role.SHELL),
        ("man", "-H", Role.SHELL),
        ("rsync", "-e", Role.SHELL),
        ("rsync", "--rsh", Role.SHELL),
        ("rsync", "--delete", None),
        ("zip", "-TT", Role.SHELL),
        ("git", "-c", Role.TEXT),
        ("git", "--exec-path", Role.SCRIPT),
        ("git fetch", "--upload-pack", Role.SHELL),
        ("git push", "--receive-pack", Role.SHELL),
        ("git log", "--ext-diff", None),
        ("git log", "--output", Role.WRITE),
        ("git diff", "--textconv", None),
        ("git grep", "-O", Role.OPENER),
        ("git rebase", "-x", Role.SHELL),
        ("git difftool", "-x", Role.OPENER),
        ("vim", "-c", Role.CODE),
        ("vim", "+", Role.CODE),
        ("env", "-S", Role.SHELL),
        ("curl", "-o", Role.WRITE),
        ("curl", "-K", Role.READ),
        ("curl", "-T", Role.READ),
        ("wget", "--use-askpass", Role.SHELL),
        ("wget", "--post-file", Role.READ),
        ("openssl enc", "-out", Role.WRITE),
        ("time", "-o", Role.WRITE),
        ("enable", "-f", Role.SCRIPT),
        ("hash", "-p", Role.READ),
        ("npm exec", "-c", Role.SHELL),
        ("docker run", "--privileged", None),
        ("docker run", "-v", Role.MOUNT),
        ("split", "--filter", Role.SHELL),
        ("awk", "-i", Role.SCRIPT),
        ("less", "-o", Role.WRITE),
        ("go build", "-toolexec", Role.SHELL),
    ],
)
def test_options_that_do_more_than_the_name_says_are_powers(
    name: str, option: str, role: Role | None
) -> None:
    """A plain allow for the program does not cover them."""
    entry = found(name).options[option]
    assert entry.power
    assert entry.value is role


@pytest.mark.parametrize(
    ("name", "option"),
    [
        ("rm", "-r"),
        ("rm", "-f"),
        ("ls", "-l"),
        ("grep", "-r"),
        ("git log", "--oneline"),
        ("git log", "--grep"),
        ("find", "-name"),
        ("sed", "-n"),
        ("sed", "-e"),
        ("sort", "-k"),
        ("tar", "-x"),
        ("cp", "-r"),
        ("curl", "-s"),
        ("git push", "-f"),
        ("npm install", "-D"),
        ("bash", "-c"),
        ("python", "-c"),
    ],
)
def test_what_the_name_says_is_no_power(name: str, option: str) -> None:
    """An everyday option needs no word of its own in an allow."""
    assert not found(name).options[option].power


@pytest.mark.req("C08")
@pytest.mark.parametrize(
    "name", ["timeout", "nice", "nohup", "time", "command", "builtin", "stdbuf", "setsid", "ionice", "exec"]
)
def test_wrappers_that_change_nothing_are_transparent(name: str) -> None:
    """They need no allow of their own."""
    assert found(name).transparent


@pytest.mark.req("C08")
@pytest.mark.parametrize(
    "name", ["sudo", "doas", "su", "ssh", "chroot", "xargs", "parallel", "find", "docker exec"]
)
def test_wrappers_that_change_who_or_where_are_not(name: str) -> None:
    """Running as another user, elsewhere or many times is a thing of its own."""
    assert not found(name).transparent


@pytest.mark.req("C06")
@pytest.mark.parametrize(
    "name",
    [
        "base64",
        "xxd",
        "gunzip",
        "zcat",
        "bzcat",
        "xzcat",
        "openssl enc",
        "rev",
        "tr",
        "iconv",
        "uudecode",
        "gpg",
    ],
)
def test_decoders_are_known(name: str) -> None:
    """What they print may hide what it was."""
    assert found(name).decodes


@pytest.mark.req("C04", "C05", "C06")
@pytest.mark.parametrize(
    ("name", "shell"),
    [
        ("bash", True),
        ("sh", True),
        ("zsh", True),
        ("dash", True),
        ("python", False),
        ("node", False),
        ("perl", False),
        ("ruby", False),
        ("php", False),
        ("at", True),
        ("su", True),
        ("psql", False),
    ],
)
def test_interpreters_read_programs_from_their_input(name: str, shell: bool) -> None:
    """Those of them that read shell text are told apart."""
    assert found(name).interpreter
    assert found(name).shell is shell
