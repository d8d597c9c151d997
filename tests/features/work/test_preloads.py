"""Files are read for a new window within bounds, and none that a rule might have kept from it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from interlock.features.work.recovery_text import MOST_FILES, Preload, read_preloads


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.md").write_text("alpha")
    (tmp_path / "in" / "b.md").write_text("beta" * 10)
    (tmp_path / "in" / ".env").write_text("SECRET=1")
    (tmp_path / "out.md").write_text("outside")
    return tmp_path / "in"


def test_files_are_read_in_order_until_the_bytes_are_spent(folder: Path) -> None:
    """The rest is counted, not lost without a word."""
    a, b = read_preloads(["a.md", str(folder / "b.md")], within=[str(folder)], most=15)

    assert a == Preload(path="a.md", content="alpha")
    assert b == Preload(path=str(folder / "b.md"), content="betabetabe", left_out=30)
    (ending,) = read_preloads(["b.md"], within=[str(folder)], most=5, end=True)
    assert ending.content == "abeta"


@pytest.mark.parametrize(
    "path", ["../out.md", "/etc/hostname", ".env", "link.md", "secret.md", "pipe.md", "none.md", "a\0.md"]
)
def test_what_lies_elsewhere_or_is_no_text_is_not_read(folder: Path, path: str) -> None:
    """Neither by its name nor through a link: nobody has judged this reading."""
    (folder / "link.md").symlink_to("../out.md")
    (folder / "secret.md").symlink_to(".env")
    os.mkfifo(folder / "pipe.md")

    assert read_preloads([path], within=[str(folder)]) == (Preload(path=path),)
    assert read_preloads([path], within=[]) == (Preload(path=path),)


def test_each_file_is_read_once_and_only_so_many(folder: Path) -> None:
    """A list is no way to fill the window."""
    paths = ["a.md", "a.md", *(f"{n}.md" for n in range(100))]

    assert len(read_preloads(paths, within=[str(folder)])) == MOST_FILES


def test_bytes_that_are_no_text_are_shown_as_such(folder: Path) -> None:
    """The window is given text, whatever the file holds."""
    (folder / "a.md").write_bytes(b"\xff\0ok")

    (found,) = read_preloads(["a.md"], within=[str(folder)])
    assert found.content == "\ufffd\ufffdok"
