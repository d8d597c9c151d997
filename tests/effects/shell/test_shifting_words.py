"""Laws of the words before a command: open ones may bring a command of their own, or move where it begins."""

from __future__ import annotations

import pytest
from tests.effects.shell.readings import kinds, ran

from interlock.effects.command import GapKind


def test_a_program_whose_folder_alone_is_open_is_known() -> None:
    """`$HOME/bin/rm` is `rm` wherever the home is."""
    assert ran("$dir/bin/rm -rf x") == ["rm -rf x"]
    assert not kinds('"$dir"/bin/rm -rf x')
    assert not kinds('"$(a b)/bin/rm" -rf x')


@pytest.mark.parametrize(
    "text", ["$dir/bin/rm x", "$(a b)/bin/rm x", "`a`/rm x", "python $dir/a.py", ". $dir/a"]
)
def test_a_folder_that_may_fall_apart_decides_what_runs(text: str) -> None:
    """With a blank in it, its first word is the program."""
    assert GapKind.OPEN in kinds(text)


@pytest.mark.req("C08")
@pytest.mark.parametrize(
    "text",
    [
        "timeout $t ls",
        "timeout $(a) ls",
        "nice -n $n ls",
        "sudo -u $u ls",
        "env A=$b ls",
        "xargs -n $n ls",
        "xargs -P $(nproc) 1 rm",
        "xargs -I$(nproc) ls rm",
        "xargs -I $(nproc) ls rm",
        "xargs -P4 -I$(nproc) ls rm",
        "xargs -P $(nproc) infinity rm",
        "IFS=1; timeout $((11)) ls",
        "PATH=.; xargs -P$(nproc) ls",
        "parallel -j$(nproc) ls ::: a",
    ],
)
def test_an_open_word_before_a_command_may_be_part_of_it(text: str) -> None:
    """It may be none, or several of which the last ones are a command."""
    assert kinds(text) & {GapKind.OPEN, GapKind.SYNTAX}


@pytest.mark.parametrize(
    "text",
    [
        'timeout "$t" ls',
        "timeout $((60 * n)) ls",
        "timeout ${#a} ls",
        'sudo -u "$u" ls',
        "xargs -P$(nproc) -n1 ls",
        "xargs -P $(nproc) ls",
        'xargs -rP"$(nproc)" ls',
        "xargs -P $(nproc || echo 4) ./a",
        "docker exec $(docker ps -q) ls",
    ],
)
def test_a_word_that_is_one_decides_nothing(text: str) -> None:
    """Neither a quoted one nor a number, without which the wrapper ends in an error."""
    assert not kinds(text)
