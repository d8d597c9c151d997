"""What Interlock itself starts comes from the system, and a PATH that projects can write is named."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from interlock.files.system_programs import FOLDERS, search_faults, system_program, without_faults


def program(folder: Path, name: str = "git") -> str:
    """An executable file."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / name
    file.write_text("#!/bin/sh\n")
    file.chmod(0o755)
    return str(file)


def test_the_first_folder_that_has_it_counts(tmp_path: Path) -> None:
    """In the order given, and what cannot be run is passed over."""
    first, second = program(tmp_path / "a"), program(tmp_path / "b")
    folders = [str(tmp_path / one) for one in ("a", "b")]
    assert system_program("git", folders) == first

    Path(first).chmod(0o644)
    assert system_program("git", folders) == second
    assert system_program("no-such-program", folders) is None


@pytest.mark.parametrize("opened", ["program", "folder", "above"])
def test_what_others_can_change_is_not_run(tmp_path: Path, opened: str) -> None:
    """The file, its folder, or any folder above them."""
    folder = tmp_path / "above" / "bin"
    file = Path(program(folder))
    assert system_program("git", [str(folder)]) == str(file)

    {"program": file, "folder": folder, "above": tmp_path / "above"}[opened].chmod(0o777)
    assert system_program("git", [str(folder)]) is None


def test_a_link_is_as_good_as_what_it_leads_to(tmp_path: Path) -> None:
    """A safe folder may hold a link to a place that is not."""
    elsewhere = tmp_path / "open"
    target = program(elsewhere)
    elsewhere.chmod(0o777)
    safe = tmp_path / "bin"
    safe.mkdir()
    (safe / "git").symlink_to(target)

    assert system_program("git", [str(safe)]) is None


def test_git_is_found_whatever_path_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folders are fixed."""
    monkeypatch.setenv("PATH", str(Path(program(tmp_path)).parent))
    found = system_program("git")

    assert found is not None
    assert str(Path(found).parent) in FOLDERS


def test_each_folder_of_a_path_that_an_agent_or_others_can_write_is_named(tmp_path: Path) -> None:
    """A virtual environment, a project, packages of a project, one open to all, and one that moves along."""
    environment = tmp_path / "env"
    (environment / "bin").mkdir(parents=True)
    (environment / "pyvenv.cfg").touch()
    project = tmp_path / "app"
    (project / ".git").mkdir(parents=True)
    (project / "bin").mkdir()
    packages = tmp_path / "web" / "node_modules" / ".bin"
    packages.mkdir(parents=True)
    everybody = tmp_path / "open"
    everybody.mkdir()
    everybody.chmod(0o777)
    link = tmp_path / "link"
    link.symlink_to(project / "bin")
    own = tmp_path / "own"
    own.mkdir()
    bad = [environment / "bin", project / "bin", packages, everybody, link, Path("bin")]
    search = os.pathsep.join(map(str, [*bad, own, "/usr/bin", "/bin"]))

    faults = list(search_faults(search))

    assert [fault.split("`")[1] for fault in faults] == [str(one) for one in bad]
    assert "virtual environment" in faults[0]
    assert f"the project `{project}`" in faults[1]
    assert without_faults(search) == f"{own}:/usr/bin:/bin"
