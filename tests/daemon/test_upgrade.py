"""An older daemon makes way for the version that was installed under it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from tests.daemon.home import PATIENCE

from interlock.daemon.process import installed_version, watch_for_upgrade
from interlock.version import __version__


@pytest.mark.req("D12")
async def test_it_is_drained_once_another_version_is_on_disk(tmp_path: Path) -> None:
    """Its own version, a file half written or gone change nothing."""
    file, ended = tmp_path / "version.py", asyncio.Event()
    file.write_text(f'__version__ = "{__version__}"\n')
    watch = asyncio.create_task(watch_for_upgrade(ended.set, file=file, seconds=0.01))
    for text in ("", "__version__ = "):
        file.write_text(text)
        await asyncio.sleep(0.03)
    file.unlink()
    await asyncio.sleep(0.03)
    assert not ended.is_set()

    file.write_text('__version__ = "99.0"\n')
    await asyncio.wait_for(ended.wait(), PATIENCE)
    await watch


def test_the_version_on_disk_is_the_one_that_runs() -> None:
    """What is read is the package's own file."""
    assert installed_version() == __version__
