"""Trust is kept in private files, and believed only from there."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from tests.policy.project import project

from interlock.errors import InterlockError
from interlock.policy.trust import Trust, TrustRecord, TrustStore

RECORD = TrustRecord(root="/srv/app", files=())


def test_the_folder_and_its_files_are_private(tmp_path: Path) -> None:
    """Nobody else can read or write what a person trusts, and no half file is left."""
    store = TrustStore(tmp_path / "state" / "trust")
    store.write(RECORD)

    # The state folder too, which may not be there before: the daemon refuses one that is open.
    assert [stat.S_IMODE(one.stat().st_mode) for one in (store.folder, store.folder.parent)] == [0o700] * 2
    assert [stat.S_IMODE(file.stat().st_mode) for file in store.folder.iterdir()] == [0o600]
    assert store.read("/srv/app") == RECORD
    assert store.read("/srv") is None


def test_a_folder_open_to_others_is_refused(tmp_path: Path) -> None:
    """A list that others could have written to proves nothing."""
    store = TrustStore(tmp_path / "trust")
    store.folder.mkdir(mode=0o755)

    with pytest.raises(InterlockError, match="chmod 700"):
        store.write(RECORD)


@pytest.mark.parametrize("fault", ["mode", "link", "garbage", "version", "other"])
def test_a_record_that_cannot_be_believed_counts_for_nothing(tmp_path: Path, fault: str) -> None:
    """Open to others, a link, no record, of another format or of another project: untrusted."""
    app = project(tmp_path)
    app.confirm()
    file = app.trust.store.file_of(str(app.root))
    text = file.read_text()
    match fault:
        case "mode":
            file.chmod(0o644)
        case "link":
            file.rename(tmp_path / "elsewhere")
            file.symlink_to(tmp_path / "elsewhere")
        case "garbage":
            file.write_text(text[:-9])
        case "version":
            file.write_text(text.replace('"version":1', '"version":2'))
        case _:
            file.write_text(text.replace(f'"root":"{app.root}"', '"root":"/other"'))

    assert app.status is Trust.PENDING


def test_known_projects_follow_the_folder(tmp_path: Path) -> None:
    """Another process's confirmation is seen at the next question."""
    reading, writing = TrustStore(tmp_path / "trust"), TrustStore(tmp_path / "trust")
    assert reading.roots() == frozenset()
    writing.write(RECORD)
    assert reading.roots() == {"/srv/app"}
    assert writing.remove("/srv/app")
    assert reading.roots() == frozenset()
