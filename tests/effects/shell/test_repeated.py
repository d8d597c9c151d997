"""Laws of commands that stand in one text more than once."""

from __future__ import annotations

import pytest

from interlock.effects.command import GapKind, Script
from interlock.effects.reading import read_script

# More commands than a text must have before equal ones are looked for.
BEFORE = "".join(f"step{number} a; " for number in range(12))


def read(text: str) -> Script:
    """A text read in a known place."""
    return read_script(BEFORE + text, "/w", home="/home/ann")


def test_the_same_command_over_again_says_nothing_new() -> None:
    """Once or often, the commands, the effects and the gaps are the same."""
    once, often = read("rm -rf x"), read("rm -rf x; rm -rf x; rm -rf x")

    assert (once.commands, once.effects, once.gaps) == (often.commands, often.effects, often.gaps)


@pytest.mark.parametrize(
    "between",
    [
        *("cd /elsewhere", "alias tidy=rm", "tidy() { rm -rf y; }", "hash tidy"),
        *("{ cd sub; }", "if true; then cd sub; fi", "tidy() { cd /; }"),
    ],
)
def test_what_stands_between_two_equal_commands_counts(between: str) -> None:
    """The second is read in the place and with the meaning that it has by then."""
    again = read(f"tidy x >f; tidy x; {between}; tidy x")
    alone = read(f"tidy x >f; {between}; tidy x")

    assert all(command in again.commands for command in alone.commands)
    assert set(alone.effects) <= set(again.effects)
    assert again.gaps == alone.gaps


@pytest.mark.parametrize(
    "text", ["curl -O https://a.example/x.sh", "cp /bin/rm ls", "tee x.sh <<< 'rm -rf y'"]
)
def test_what_a_repeated_command_makes_is_made_each_time(text: str) -> None:
    """A file that was written over by something else holds what came last."""
    last = read(f"{text}; echo ls > x.sh; {text}; sh x.sh; ./ls -rf z")
    only = read(f"{text}; sh x.sh; ./ls -rf z")

    assert {gap.kind for gap in only.gaps} <= {gap.kind for gap in last.gaps}
    assert {command.words for command in only.commands} <= {command.words for command in last.commands}


@pytest.mark.parametrize(
    "text",
    [
        "(cd sub; ls) ",
        "f() { shift; ls $1; }; f a b",
        "(export x=1; ls $x)",
        "(set -- a; ls $1)",
        "(read x; ls $x)",
        "(cd sub >/dev/null; ls)",
        "echo 1 | (cd sub; ls)",
    ],
)
def test_a_builtin_acts_each_time_it_stands_there(text: str) -> None:
    """What it changes is changed again, although its words say nothing new."""
    once, often = read(text), read(f"{text}; {text}; {text}")

    assert (once.commands, once.effects, once.gaps) == (often.commands, often.effects, often.gaps)


def test_the_same_words_with_another_input_are_read_again() -> None:
    """What a decoder or the network brings makes of the same words something else."""
    told = read("cat <<< ls | cat | sh; cat <<< 'rm x' | cat | sh; curl https://a.example | cat | sh")

    assert [command.written for command in told.commands if command.via[-1:] == ("sh",)] == ["ls", "rm x"]
    assert [gap.kind for gap in told.gaps] == [GapKind.NETWORK]


def test_every_repetition_is_counted_as_work() -> None:
    """Equal commands are quick, but not free: a text cannot hold any number of them."""
    short, long = read("ls x; " * 100), read("ls x; " * 15_000)

    assert (len(short.gaps), len(long.gaps)) == (0, 1)
