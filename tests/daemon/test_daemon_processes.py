"""Laws of the process table: parents, and numbers that are used again."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import pairwise

import pytest

from interlock.daemon import process_tree as processes
from interlock.daemon.process_tree import ancestors, command_line, process

pytestmark = pytest.mark.deep


def test_the_line_of_parents_begins_here_and_ends_at_the_first() -> None:
    """Each is the parent of the one before."""
    line = list(ancestors(os.getpid()))

    assert [one.pid for one in line[:2]] == [os.getpid(), os.getppid()]
    assert all(below.parent == above.pid for below, above in pairwise(line))


@pytest.mark.parametrize("name", ["plain", "a) R 1 (b", "two words"])
def test_a_name_with_anything_in_it_is_read_whole(
    tmp_path_factory: pytest.TempPathFactory, name: str
) -> None:
    """Brackets and blanks in a program's name do not move the fields behind it."""
    program = tmp_path_factory.mktemp("named") / name
    program.symlink_to(sys.executable)
    code = "import sys; print(flush=True); sys.stdin.read()"
    running = subprocess.Popen([program, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert running.stdout is not None
    running.stdout.readline()  # it runs
    try:
        found = process(running.pid)
        words = command_line(running.pid)
    finally:
        running.communicate()

    assert found is not None
    assert (found.parent, found.name) == (os.getpid(), name)
    assert words.startswith(os.fsencode(program) + b"\0-c\0")


def test_what_is_gone_is_nothing() -> None:
    """No process, no parents, no words."""
    ended = subprocess.Popen(["true"])
    ended.wait()

    assert process(ended.pid) is None
    assert list(ancestors(ended.pid)) == []
    assert list(ancestors(0)) == []
    assert command_line(ended.pid) == b""


def test_the_time_of_the_start_stays_and_names_the_start_of_the_machine() -> None:
    """Asked twice it is the same; after another start of the machine it cannot be."""
    one, other = process(os.getpid()), process(os.getpid())

    assert one is not None
    assert one == other
    assert len(one.started.partition("/")[0]) == 36


def test_without_a_table_of_files_the_program_ps_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """It knows the same parents."""
    expected = process(os.getpid())
    monkeypatch.setattr(processes, "_PROC", processes._PROC / "nowhere")
    found = process(os.getpid())

    assert expected is not None
    if (
        found is not None
    ):  # a machine without `ps` knows nothing, which is answer could not be read that opens anything
        assert (found.pid, found.parent) == (expected.pid, expected.parent)
        assert found.started
