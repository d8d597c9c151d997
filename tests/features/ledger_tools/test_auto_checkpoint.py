"""Laws of checkpoints that are made by themselves."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from tests.features.ledger_tools.test_ledger_admin import AdminSetup
from tests.ledger.records import record

from interlock.errors import ConfigError
from interlock.events.hook import Layer
from interlock.features.ledger_tools.service import AutoCheckpointer
from interlock.ledger.ends import read_checkpoint
from interlock.ledger.reader import LedgerReader
from interlock.ledger.verify import verify
from interlock.policy.load import load_policy
from interlock.policy.settings.ledger import CHECKPOINTS, Checkpoints


class Marked:
    """A marker on a real ledger, and the folder it writes to."""

    def __init__(self, tmp_path: Path) -> None:
        self.admin = AdminSetup(tmp_path / "state" / "interlock.db")
        self.folder = tmp_path / "elsewhere"
        self.settings: Checkpoints | None = Checkpoints(folder=str(self.folder), every=10)
        self.marker = AutoCheckpointer(
            self.admin.connection,
            lambda: self.admin.keeper.checkpoint({}),
            self.admin.committer,
            settings=lambda: self.settings,
            head=lambda: self.admin.ledger.head.seq,
        )

    def ops(self) -> list[str]:
        """What was recorded beside decisions."""
        self.admin.committer.commit()
        found = LedgerReader(self.admin.connection).after(0)
        return [entry.op for entry in found if entry.op != "decision"]


@pytest_asyncio.fixture
async def marked(tmp_path: Path) -> AsyncIterator[Marked]:
    """One of them, inside the running loop."""
    made = Marked(tmp_path)
    yield made
    made.admin.keeper.close()
    made.admin.connection.close()


@pytest.mark.req("L02")
async def test_every_so_many_entries_one_is_put_elsewhere(marked: Marked) -> None:
    """None before enough was recorded, and each holds against the ledger."""
    marked.folder.mkdir()
    for _ in range(4):
        record(marked.admin.ledger, *range(6))
        marked.marker.look()
        marked.marker.look()
    kept = [read_checkpoint(file) for file in sorted(marked.folder.iterdir())]

    assert [one.seq for one in kept] == [12, 25]
    assert verify(marked.admin.connection, checkpoints=kept).broken is None
    assert marked.ops() == ["checkpoint"] * 2


async def test_a_folder_that_is_not_there_is_an_alarm_once(marked: Marked) -> None:
    """It is not made: below the place of a disk that is away it would be on this one."""
    record(marked.admin.ledger, *range(20))
    for _ in range(3):
        marked.marker.look()

    assert not marked.folder.exists()
    assert marked.ops() == ["alarm"]
    marked.folder.mkdir()
    marked.marker.look()
    assert marked.ops() == ["alarm", "checkpoint"]


async def test_without_the_setting_nothing_is_made(marked: Marked) -> None:
    """Nobody's disk is written to unasked."""
    marked.settings = None
    record(marked.admin.ledger, *range(20))
    marked.marker.look()

    assert marked.ops() == []


@pytest.mark.parametrize(
    ("layer", "text", "message"),
    [
        (Layer.USER, "{every_entries: 5}", "the key `folder` is missing"),
        (Layer.USER, "{folder: here}", "depends on the current folder"),
        (Layer.USER, "{folder: /x, every_entries: 0}", "must be greater than 0"),
        (Layer.USER, "{folders: /x}", "did you mean `folder`"),
        (Layer.PROJECT, "{folder: /x}", "only the managed or user layer"),
    ],
)
def test_a_mistake_in_the_setting_is_named(tmp_path: Path, layer: Layer, text: str, message: str) -> None:
    """At its place, with the next step."""
    path = tmp_path / "genesis.key"
    path.write_text(f'version: "2.0"\nsettings:\n  checkpoints: {text}\n')

    with pytest.raises(ConfigError) as raised:
        load_policy([(layer, path)], environ={})
    assert message in str(raised.value)


def test_the_setting_is_read(tmp_path: Path) -> None:
    """With a number of its own, or a thousand."""
    path = tmp_path / "genesis.key"
    path.write_text('version: "2.0"\nsettings:\n  checkpoints: {folder: ~/kept}\n')

    found = CHECKPOINTS.get(load_policy([(Layer.USER, path)], environ={}))
    assert found == Checkpoints(folder=str(Path("~/kept").expanduser()), every=1_000)
