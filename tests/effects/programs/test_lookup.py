"""Programs are found under every name they are called by."""

from __future__ import annotations

import pytest

from interlock.effects.programs.lookup import base_name, find_program, main_name


@pytest.mark.req("case:C11", "X12")
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("rm", "rm"),
        ("/bin/rm", "rm"),
        ("./rm", "rm"),
        ("rm.exe", "rm"),
        (r"/c/bin/RM.EXE", None),
        ("grm", "rm"),
        ("gsed", "sed"),
        ("python3", "python"),
        ("python3.11", "python"),
        ("/usr/bin/python2.7", "python"),
        ("pip3", "pip"),
        ("pip3.12", "pip"),
        ("node18", "node"),
        ("nodejs", "node"),
        ("gcc-12", "gcc"),
        ("g++-12", "g++"),
        ("perl5.36.0", "perl"),
        ("lua5.4", "lua"),
        ("mkfs.ext4", "mkfs"),
        ("mkfs.vfat", "mkfs"),
        ("gawk", "awk"),
        ("nvim", "vim"),
        ("base64", "base64"),
        ("sha256sum", "sha256sum"),
        ("x86_64", "x86_64"),
        ("[", "["),
        ("git push", "git push"),
        ("npm i", "npm install"),
        ("git stash drop", "git stash drop"),
        ("git logout", None),
        ("nothing-we-know", None),
        ("", None),
        ("-rf", None),
        ("gzip", "gzip"),
        ("gosu", "gosu"),
    ],
)
def test_a_program_is_found_by_its_names(name: str, expected: str | None) -> None:
    """Folders, versions, `.exe` and the GNU `g` do not hide a program; other names stay unknown."""
    program = find_program(name)
    assert (program.name if program else None) == expected


def test_an_entry_is_parsed_once() -> None:
    """The same record comes back each time, whatever the spelling."""
    assert find_program("rm") is find_program("/bin/rm") is find_program("rm")


@pytest.mark.parametrize(
    ("name", "expected"), [("/a/b", "b"), ("b", "b"), ("b.exe", "b"), ("/", ""), ("", "")]
)
def test_the_base_name_has_no_folder(name: str, expected: str) -> None:
    """Only what stands behind the last slash counts."""
    assert base_name(name) == expected


@pytest.mark.parametrize(
    "name", ["rm", "/bin/rm", "grm", "python3.12", "pip3", "git", "git push", "unheard-of"]
)
def test_the_main_name_is_that_of_the_entry(name: str) -> None:
    """It is told without reading the entry, which is the slow part."""
    entry = find_program(name)

    assert main_name(name) == (entry.name if entry else None)
