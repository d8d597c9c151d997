"""Programs are found under every name they are called by."""

from __future__ import annotations

import pytest

from interlock.effects.programs.lookup import base_name, find_program, is_address, main_name


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


@pytest.mark.parametrize(
    "text",
    [
        "github:a/b", "gitlab:a/b#v1", "gist:123", "git+https://h.example/x.git", "git+ssh://git@h/x",
        "https://h.example/x.tgz", "git@h.example:a/b.git", "x@github:a/b", "x@https://h.example/x.tgz",
        "x @ git+https://h.example/x.git", "HTTPS://h.example/x", "@scope/x@git+https://h.example/x",
    ],
)  # fmt: skip
@pytest.mark.parametrize("program", ["npx", "uvx", "pipx run"])
def test_an_address_is_one_for_every_program(text: str, program: str) -> None:
    """With a scheme or the name of a host."""
    assert is_address(text, program)


@pytest.mark.parametrize(
    "text",
    ["prettier", "create-vite@latest", "@scope/pkg", "@scope/pkg@1.2", "./bin/x", "../x", "/opt/x", "~/x",
     "requests==2.31", "x@npm:y@1", "file:./x", "black[d]", ""],
)  # fmt: skip
@pytest.mark.parametrize("program", ["npx", "uvx", "pipx run"])
def test_a_name_or_a_path_is_none(text: str, program: str) -> None:
    """Whatever else stands in it."""
    assert not is_address(text, program)


@pytest.mark.parametrize(("program", "short"), [("npx", True), ("pnpm dlx", True), ("uvx", False)])
def test_owner_and_name_are_a_repository_to_the_family_of_npm(program: str, short: bool) -> None:
    """To others they are a folder."""
    assert is_address("owner/name", program) is short
    assert is_address("owner/name#v1.2", program) is short
