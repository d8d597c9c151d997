"""Files are checked before they are parsed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from interlock.errors import ConfigError, Problem
from interlock.policy.files.read import MAX_BYTES, FileKind, document_of, kind_of, read_bytes


def refused(path: Path, kind: FileKind = FileKind.GENESIS) -> Problem:
    with pytest.raises(ConfigError) as caught:
        document_of(read_bytes(path), path, kind)
    (problem,) = caught.value.problems
    assert problem.file == str(path)
    return problem


@pytest.mark.req("M16")
def test_a_file_of_ten_megabytes_is_one_clear_problem(tmp_path: Path) -> None:
    """Size is told before anything is parsed."""
    path = tmp_path / "genesis.key"
    path.write_bytes(b"a" * 10_000_000)

    assert refused(path).message == "10,000,000 bytes is too large; a policy file has at most 1,048,576"


def test_a_file_of_exactly_the_limit_is_read(tmp_path: Path) -> None:
    """The limit itself is still allowed."""
    path = tmp_path / "genesis.key"
    path.write_bytes(b"#" * MAX_BYTES)

    assert len(read_bytes(path)) == MAX_BYTES


@pytest.mark.parametrize(
    ("content", "line", "words"),
    [
        (b"\x7fELF\n\0\0", 2, "a binary file is not a policy"),
        (b"version: '2'\nx: \xff\xfe", 2, "this line is not UTF-8"),
        (b"", 1, "empty policy file"),
        (b"# nothing\n", 1, "empty policy file"),
        (b"---\n...\n", 1, "empty policy file"),
    ],
)
def test_what_is_no_text_or_empty_is_said(tmp_path: Path, content: bytes, line: int, words: str) -> None:
    """Binary, wrongly encoded and empty files each have their own words."""
    path = tmp_path / "genesis.key"
    path.write_bytes(content)
    problem = refused(path)

    assert (problem.line, problem.path) == (line, "")
    assert words in problem.message


def test_an_empty_hooks_toml_has_no_hooks(tmp_path: Path) -> None:
    """An empty `hooks.toml` is a file without hooks."""
    path = tmp_path / "hooks.toml"

    assert document_of(b"", path, FileKind.HOOKS).root.plain() == {}


def test_a_byte_order_mark_is_tolerated(tmp_path: Path) -> None:
    """Editors of some systems write one; it means nothing."""
    document = document_of(b"\xef\xbb\xbfversion: '2.0'\n", tmp_path / "g", FileKind.GENESIS)

    assert document.root.plain() == {"version": "2.0"}


@pytest.mark.req("C62")
def test_what_cannot_be_read_is_a_problem(tmp_path: Path) -> None:
    """Missing files, folders and pipes are named; a pipe is never waited for."""
    os.mkfifo(tmp_path / "pipe")

    assert "unreadable: no such file" in refused(tmp_path / "missing").message
    assert "not a regular file" in refused(tmp_path).message
    assert "not a regular file" in refused(tmp_path / "pipe").message


@pytest.mark.parametrize(
    ("name", "kind"),
    [("hooks.toml", FileKind.HOOKS), ("genesis.key", FileKind.GENESIS), ("a.yaml", FileKind.GENESIS)],
)
def test_the_ending_tells_the_format(name: str, kind: FileKind) -> None:
    """`.toml` is hooks.toml, everything else a genesis key."""
    assert kind_of(Path(name)) is kind


def test_json_is_refused_with_a_hint() -> None:
    """A settings file of another program is not a policy."""
    with pytest.raises(ConfigError, match=r"JSON is not a policy format; write a `genesis.key`"):
        kind_of(Path("settings.json"))
