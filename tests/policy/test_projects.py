"""A folder belongs to the nearest project, and stays under every policy around it."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.policy.locations import inside, marked_root, policy_folders, project_root


@pytest.mark.req("T10")
@pytest.mark.parametrize("mark", [".git", ".interlock"])
def test_the_nearest_marked_folder_is_the_project(tmp_path: Path, mark: str) -> None:
    """A repository or a policy of its own makes a project; without one the folder stands for itself."""
    inner = tmp_path / "a" / "b" / "c"
    inner.mkdir(parents=True)
    (tmp_path / ".git").mkdir()
    (tmp_path / "a" / "b" / mark).touch()

    assert project_root(str(inner)) == str(tmp_path / "a" / "b")
    assert project_root(str(tmp_path / "a")) == str(tmp_path)
    assert project_root(str(inner), {str(inner)}) == str(inner)
    assert (project_root(""), project_root("/"), marked_root("/")) == ("", "/", None)
    assert project_root("relative/folder") == "relative/folder"


@pytest.mark.req("T10")
def test_a_new_project_inside_does_not_lead_out_of_the_one_around_it(tmp_path: Path) -> None:
    """Every policy at or above a folder counts, the outermost first, also one whose files were removed."""
    inner = tmp_path / "a" / "b"
    (inner / ".git").mkdir(parents=True)
    (inner / ".interlock").mkdir()
    (tmp_path / ".interlock").mkdir()

    assert policy_folders(str(inner)) == [str(tmp_path), str(inner)]
    assert policy_folders(str(inner), {str(tmp_path / "a")}) == [
        str(tmp_path),
        str(tmp_path / "a"),
        str(inner),
    ]


def test_inside_is_by_whole_names() -> None:
    """`/a/bc` does not lie in `/a/b`."""
    assert inside("/a/b", "/a/b")
    assert inside("/a/b/c", "/a/b")
    assert inside("/a", "/")
    assert not inside("/a/bc", "/a/b")
