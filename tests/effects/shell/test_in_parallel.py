"""Laws of GNU parallel: lines that it is given are words of what it runs, as with `xargs`."""

from __future__ import annotations

import pytest
from tests.effects.shell.readings import kinds, ran, read

from interlock.effects.command import GapKind


@pytest.mark.parametrize(
    "text",
    [
        "ls | parallel rm -rf",
        "ls | parallel -j4 -k rm -rf",
        "parallel rm -rf :::: list",
        "parallel -a list rm -rf",
        "parallel rm -rf",
        "ls | parallel 'rm -rf'",
    ],
)
def test_lines_become_words_behind_the_command(text: str) -> None:
    """Of the input, of a file, in one word or in several."""
    last = read(text).commands[-1]

    assert ran(text)[-1] == "rm -rf"
    assert last.more


def test_lines_that_are_written_out_are_put_in() -> None:
    """As they stand there."""
    assert ran("printf '%s\\n' /a | parallel rm -rf")[-1] == "rm -rf /a"


@pytest.mark.parametrize(
    "text",
    [
        "cat list | parallel",
        "parallel < list",
        "parallel :::: list",
        "parallel -a list",
        "cat list | parallel bash -c {}",
        "ls | parallel sudo",
    ],
)
def test_lines_that_are_commands_are_unread(text: str) -> None:
    """Nobody knows what they say."""
    assert GapKind.OPEN in kinds(text)


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("parallel rm {} ::: a b", "rm b"),
        ("parallel -k rm {} ::: a b", "rm b"),
        ("parallel rm {1}/{2} ::: a ::: b c", "rm a/c"),
        ("parallel cp {} {.}.png ::: x/a.jpg", "cp x/a.jpg x/a.png"),
        ("parallel cp {} {/} {//} {/.} ::: x/a.jpg", "cp x/a.jpg a.jpg x a"),
        ("ls | parallel 'cd x && rm'", "rm {}"),
        ("ls | parallel 'cd x && rm {}'", "rm {}"),
        ("cat x | parallel --pipe grep a", "grep a"),
    ],
)
def test_a_text_is_read_as_it_will_run(text: str, last: str) -> None:
    """With what is listed in its place, or with the mark where a line will stand."""
    assert ran(text)[-1] == last
    assert not read(text).commands[-1].more
