"""The files of an effort are known by their ordinal."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.features.work.files import artifact_name, artifacts_in, ordinal_of


@pytest.mark.req("E45")
def test_a_file_is_named_by_ordinal_skill_and_kind() -> None:
    """As in the documents."""
    assert artifact_name(1, "brainstorm") == "1_BRAINSTORM_LOG.md"
    assert artifact_name(12, "write-tests", "plan") == "12_WRITE_TESTS_PLAN.md"


@settings(deadline=None)
@given(
    ordinal=st.integers(1, 999_999_999),
    skill=st.text() | st.sampled_from(["../../x", "a/b", "a\0b", "\n"]),
    kind=st.text(),
)
def test_no_skill_leads_to_another_folder(ordinal: int, skill: str, kind: str) -> None:
    """Its name is part of a file's name and nothing more, and it tells its ordinal."""
    name = artifact_name(ordinal, skill, kind)

    assert os.path.basename(name) == name
    assert name.isascii()
    assert name.isprintable()
    assert len(name) < 200
    assert ordinal_of(name) == ordinal


def test_the_first_effort_does_not_own_the_files_of_the_tenth() -> None:
    """The whole number counts."""
    names = ["1_A_LOG.md", "10_A_LOG.md", "1_A_PLAN.md", "01_A.md", "README.md", "1_A.txt", "x1_A.md"]

    assert [name for name in names if ordinal_of(name) == 1] == ["1_A_LOG.md", "1_A_PLAN.md"]
    assert [name for name in names if ordinal_of(name) == 10] == ["10_A_LOG.md"]


def test_the_files_of_an_effort_come_newest_first(tmp_path: Path) -> None:
    """Plain files alone; a link could lead anywhere."""
    for age, name in enumerate(("1_A_LOG.md", "1_A_PLAN.md", "2_B_LOG.md")):
        (tmp_path / name).write_text("x")
        os.utime(tmp_path / name, (1_000 - age, 1_000 - age))
    (tmp_path / "1_A_LINK.md").symlink_to("/etc/passwd")
    (tmp_path / "1_A_FOLDER.md").mkdir()
    os.utime(tmp_path / "1_A_PLAN.md", (5_000, 5_000))

    found = artifacts_in(str(tmp_path), 1)
    assert [Path(one.path).name for one in found] == ["1_A_PLAN.md", "1_A_LOG.md"]
    assert artifacts_in(str(tmp_path / "missing"), 1) == ()
    assert artifacts_in("a\0b", 1) == ()
