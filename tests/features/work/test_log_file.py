"""Laws of an effort's log: the time in the first heading, at the end of the file, and into no other file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from interlock.features.work.files import LONGEST, append_entry, stamp_entry
from interlock.features.work.records import Code, RefusedError


@pytest.mark.req("E78")
@pytest.mark.parametrize(
    ("text", "entry"),
    [
        ("tests pass", "## [T] tests pass\n"),
        ("## Done\n* one", "## [T] Done\n* one\n"),
        ("##Done", "## [T] Done\n"),
        ("intro\n\n## A\n## B", "intro\n\n## [T] A\n## B\n"),
        ("### Deeper\nx", "## [T]\n\n### Deeper\nx\n"),
        ("```\n## no\n```\n## Yes", "```\n## no\n```\n## [T] Yes\n"),
        ("~~~~\n```\n## no\n~~~~\nx", "## [T]\n\n~~~~\n```\n## no\n~~~~\nx\n"),
        ("  one\ntwo  ", "## [T]\n\none\ntwo\n"),
    ],
)
def test_the_first_heading_gets_the_time(text: str, entry: str) -> None:
    """An entry without one gets one; what stands in a fence is an example."""
    assert stamp_entry(text, "T") == entry


@pytest.mark.parametrize("text", ["", " \n\t", "x" * (LONGEST + 1)])
def test_an_entry_says_something_and_not_everything(text: str) -> None:
    """Nothing, and more than a log should hold, are refused."""
    with pytest.raises(RefusedError) as caught:
        stamp_entry(text, "T")

    assert caught.value.code == Code.VALIDATION_ERROR


@pytest.mark.req("E78")
def test_entries_stand_one_after_the_other(tmp_path: Path) -> None:
    """In a folder that is made when it is missing, with a line between them."""
    log = tmp_path.resolve() / "deep" / "task" / "1_FIX_LOG.md"
    append_entry(log, "## one\n")
    append_entry(log, "## two\n")

    assert log.read_text() == "## one\n\n## two\n"


@pytest.mark.parametrize("kind", ["link", "hard link", "folder", "pipe", "linked folder"])
def test_a_log_is_a_plain_file_of_its_own(tmp_path: Path, kind: str) -> None:
    """Whoever puts another file in its place does not have us write into that one."""
    tmp_path = tmp_path.resolve()
    policy = tmp_path / "genesis.key"
    policy.write_text("version: 2\n")
    log = tmp_path / "task" / "1_FIX_LOG.md"
    log.parent.mkdir()
    if kind == "link":
        log.symlink_to(policy)
    elif kind == "hard link":
        log.hardlink_to(policy)
    elif kind == "folder":
        log.mkdir()
    elif kind == "pipe":
        os.mkfifo(log)
    else:
        (tmp_path / "other").symlink_to(log.parent)
        log = tmp_path / "other" / log.name

    with pytest.raises(RefusedError, match="cannot be written"):
        append_entry(log, "## pwned\n")
    assert policy.read_text() == "version: 2\n"
    assert not (tmp_path / "task" / "1_FIX_LOG.md").is_file() or kind in {"link", "hard link"}
