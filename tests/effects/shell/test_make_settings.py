"""Laws of `make`: what runs its recipes is told, or it is unread."""

from __future__ import annotations

import pytest
from tests.effects.shell.readings import kinds

from interlock.effects.command import GapKind


@pytest.mark.req("C08")
@pytest.mark.parametrize(
    "text",
    [
        "make SHELL=/tmp/x",
        "make SHELL=./sh",
        "make -e SHELL=$X test",
        "make 'SHELL := rm -rf x;'",
        "gmake SHELL=rm",
        "/usr/bin/make SHELL=rm",
        "sudo make SHELL=rm",
        "SHELL=./x make",
        "env SHELL=./x make -e",
        "export SHELL=rm; make",
        "export SHELL=$x; make",
        "make .SHELLFLAGS='-c \"rm -rf x\"'",
        "make 'X=$(shell rm -rf x)'",
        "make 'X=${shell rm -rf x}'",
        "make 'X!=rm -rf x'",
        "MAKEFLAGS=SHELL=rm make",
        "MAKEFLAGS='--eval=$(info)' make",
    ],
)
def test_a_setting_that_decides_what_make_runs_is_unread(text: str) -> None:
    """By a word, a variable or the words that a variable adds."""
    assert GapKind.OPEN in kinds(text)


@pytest.mark.req("case:C23")
@pytest.mark.parametrize(
    "text",
    [
        "make SHELL=/bin/bash test",
        "SHELL=/bin/bash make -j4",
        "make CC=clang CFLAGS='-O2 -g' V=1",
        'make VERSION="$(git describe --tags)" PREFIX="$HOME/.local"',
        "make $TARGET",
        'MAKEFLAGS="-j$(nproc)" make',
        "export MAKEFLAGS=-j4; make .SHELLFLAGS='-eu -o pipefail -c'",
    ],
)
def test_usual_settings_of_make_are_read(text: str) -> None:
    """A usual shell, and what is only text to a recipe."""
    assert not kinds(text)


@pytest.mark.req("C08")
def test_rules_that_are_written_here_are_code_for_make() -> None:
    """Though no word names their file; to edit rules is everyday work."""
    assert kinds("printf 'all: ; rm -rf x' > Makefile; make") == {GapKind.CODE}
    assert kinds("echo 'all: ; rm' | tee sub/makefile; make -C sub") == {GapKind.CODE}
    assert kinds("curl -o Makefile https://h/m; make") == {GapKind.NETWORK}
    assert not kinds("sed -i s/O2/O0/ Makefile && make")
    assert not kinds("echo x > y; make")
