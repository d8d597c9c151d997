"""Laws of the daemon's log."""

from __future__ import annotations

import logging
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from interlock.daemon.log import open_log


@contextmanager
def logging_to(path: Path) -> Iterator[logging.Logger]:
    """The logger of the package, writing to a file for as long as the block lasts."""
    logger = logging.getLogger("interlock")
    before = (logger.level, logger.propagate)
    mask = os.umask(0)
    handler = open_log(path)
    try:
        yield logger
    finally:
        os.umask(mask)
        logger.removeHandler(handler)
        handler.close()
        logger.setLevel(before[0])
        logger.propagate = before[1]


def test_every_file_of_it_is_private_and_there_are_four_at_most(tmp_path: Path) -> None:
    """However much is logged, four files of about a megabyte are all, each of mode 0600."""
    with logging_to(tmp_path / "interlock.log") as logger:
        for number in range(60):
            logger.info("%d %s", number, "x" * 100_000)

    files = sorted(tmp_path.iterdir())
    assert [file.name for file in files] == ["interlock.log", *(f"interlock.log.{n}" for n in (1, 2, 3))]
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    assert all(file.stat().st_size <= 1024 * 1024 for file in files)
    assert " INFO 59 xxx" in files[0].read_text()


def test_a_link_in_its_place_is_refused(tmp_path: Path) -> None:
    """Nobody can make the daemon append to another file."""
    (tmp_path / "interlock.log").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(OSError, match="symbolic link"):
        open_log(tmp_path / "interlock.log")
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.req("L06")
def test_no_secret_is_logged(tmp_path: Path) -> None:
    """Neither in a message, nor in an argument, nor in the text of an exception."""
    path = tmp_path / "interlock.log"
    with logging_to(path) as logger:
        logger.warning("%s failed", "curl -u bob:hunter2 https://h/")
        logger.error("token=hunter2-hunter2 in vain", exc_info=ValueError("PASSWORD=hunter2"))

    text = path.read_text()
    assert "hunter2" not in text
    assert text.count("[secret:") == 3
