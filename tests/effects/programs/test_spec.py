"""The notation of the program tables."""

from __future__ import annotations

import pytest

from interlock.effects.effect import Word
from interlock.effects.programs.lookup import SpecError, parse_spec
from interlock.effects.programs.program import Option, Role
from interlock.effects.programs.roles import special_case


def option(entry: str, name: str) -> Option:
    return parse_spec("it", entry).options[name]


def test_names_of_one_option_are_one_option() -> None:
    """Every name leads to the same option and the first name is its own."""
    options = parse_spec("it", "-r -R --recursive | -f --force").options
    assert options["-r"] is options["-R"] is options["--recursive"]
    assert options["-r"] is not options["-f"]
    assert options["--force"].names == ("-f", "--force")


@pytest.mark.parametrize(
    ("entry", "name", "expected"),
    [
        ("-n --lines=", "-n", Option(names=("-n", "--lines"), value=Role.TEXT, idle=True)),
        ("-f=read", "-f", Option(names=("-f",), value=Role.READ)),
        (
            "--color=?",
            "--color",
            Option(names=("--color",), value=Role.TEXT, attached=True, idle=True),
        ),
        ("-c=^shell>text", "-c", Option(names=("-c",), value=Role.SHELL, late=True, operands=Role.TEXT)),
        ("-exec=command;!", "-exec", Option(names=("-exec",), value=Role.COMMAND, closed=True, power=True)),
        ("-delete!>delete", "-delete", Option(names=("-delete",), power=True, operands=Role.DELETE)),
        ("-e=code drops", "-e", Option(names=("-e",), value=Role.CODE, drops=True)),
        ("-x does:write", "-x", Option(names=("-x",), does=Role.WRITE, plain=True)),
        ("-l calms", "-l", Option(names=("-l",), calms=True, plain=True)),
        ("-m=text ends", "-m", Option(names=("-m",), value=Role.TEXT, ends=True)),
        ("-p=write,text", "-p", Option(names=("-p",), value=Role.WRITE, then=(Role.TEXT,))),
        ("-c turns:-f=write", "-c", Option(names=("-c",), turns=(("-f", Role.WRITE),), idle=True)),
        ("!", "!", Option(names=("!",), plain=True, idle=True)),
        ("-v!", "-v", Option(names=("-v",), power=True, plain=True)),
    ],
)
def test_an_entry_says_what_an_option_does(entry: str, name: str, expected: Option) -> None:
    """Each mark of the notation sets its one field."""
    assert option(entry, name) == expected


@pytest.mark.parametrize(
    ("entry", "operands", "rest", "last"),
    [
        ("", (), Role.TEXT, ()),
        ("operands:read*", (), Role.READ, ()),
        ("operands:text read*", (Role.TEXT,), Role.READ, ()),
        ("operands:read* write", (), Role.READ, (Role.WRITE,)),
        ("operands:env* command", (), Role.ENV, (Role.COMMAND,)),
        ("operands:text command", (Role.TEXT, Role.COMMAND), None, ()),
        ("operands:none", (), None, ()),
    ],
)
def test_operands_have_roles_by_place(
    entry: str, operands: tuple[Role, ...], rest: Role | None, last: tuple[Role, ...]
) -> None:
    """Before the star from the front, after it from the back."""
    program = parse_spec("it", entry)
    assert (program.operands, program.rest, program.last) == (operands, rest, last)


def test_a_subcommand_keeps_options_that_hold_everywhere() -> None:
    """What the parent takes anywhere is known after the subcommand too; what only stands before it is not."""
    everywhere = parse_spec("it", "-n= | does:network | style:single")
    before = parse_spec("it", "-n= | options-first")

    child = parse_spec("it sub", "-x", everywhere)

    assert set(child.options) == {"-n", "-x"}
    assert child.does == (Role.NETWORK,)
    assert child.style == "single"
    assert set(parse_spec("it sub", "-x", before).options) == {"-x"}


def test_a_case_is_an_option_for_some_values() -> None:
    """A beginning of the value gives the option another role."""
    found = option("-o= | case:-o proxycommand shell!", "-o")
    assert [start for start, _ in found.cases] == ["proxycommand"]
    assert found.cases[0][1].value is Role.SHELL
    assert found.cases[0][1].power
    assert not found.power


def test_a_case_has_the_power_that_it_says() -> None:
    """A value that is known to be harmless takes that of the option away."""
    found = option("-p=shell! | case:-p # text", "-p")
    assert found.power
    assert not found.cases[0][1].power


@pytest.mark.parametrize(
    ("start", "value", "meets"),
    [
        ("#", Word("3.12"), True),
        ("#", Word("cpython3.12"), True),
        ("#", Word("3./../x"), False),
        ("#", Word("python"), False),
        ("#", Word("3.12", fixed=False), False),
        ("=dot", Word("dot"), True),
        ("=dot", Word("dots"), False),
        ("=dot", Word("./dot"), False),
    ],
)
def test_a_case_may_ask_for_the_whole_value(start: str, value: Word, meets: bool) -> None:
    """A version, or one word."""
    given = option(f"-p=shell! | case:-p {start} text", "-p")
    assert (special_case(given, value)[0].value is Role.TEXT) == meets


@pytest.mark.parametrize(
    "entry",
    [
        "operands:",
        "operands:file",
        "operands:read* write*",
        "operand:read",
        "style:bsd",
        "-n=number",
        "-n= --lines",
        "recursive",
        "does:harm",
        "case:-o x shell",
        "-o= | case:-o x",
        "drops",
    ],
)
def test_a_slip_in_the_notation_is_told(entry: str) -> None:
    """Nothing is guessed: an entry that does not follow the notation is an error that names the program."""
    with pytest.raises(SpecError, match="`it`"):
        parse_spec("it", entry)
