"""A command's words lead to files; what they are is known by path and digest."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest

from interlock.errors import InterlockError
from interlock.policy.named_files import (
    MAX_KEPT,
    MAX_LOOKED_AT,
    MAX_NAMED,
    UNREADABLE,
    Named,
    absolute,
    dynamic_words,
    find_named,
)

SEARCH = "/usr/bin:/bin"


def found(root: Path, command: str) -> set[str]:
    """The project's files that a command names."""
    prefix = f"{root}/"
    return {
        one.path.removeprefix(prefix)
        for one in find_named([command], str(root), SEARCH)
        if one.digest and one.path
    }


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in ("run.sh", "check.py", "a b.sh", "conf.json", "tools/lint"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(name)
    return tmp_path


@pytest.mark.req("T03", "T09")
@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("./run.sh", {"run.sh"}),
        ("cd tools && ./lint", {"tools/lint"}),
        ("cd ./tools; ./lint", {"tools/lint"}),
        ("sh -c 'cd -- tools && ./lint'", {"tools/lint"}),
        ("cd tools && cd .. && ./run.sh", {"run.sh"}),
        ("run.sh", {"run.sh"}),
        ("tools/lint --fix", {"tools/lint"}),
        ("python3 -I check.py", {"check.py"}),
        ("cd tools && ./run.sh; python3 check.py|tools/lint", {"run.sh", "check.py", "tools/lint"}),
        ("sh -c 'exec ./run.sh \"$@\"'", {"run.sh"}),
        ("'./a b.sh' x", {"a b.sh"}),
        ("./a\\ b.sh", {"a b.sh"}),
        ("lint --config=conf.json", {"conf.json"}),
        ("X=1 ./tools/../run.sh <check.py", {"run.sh", "check.py"}),
        ("tools", set()),
        ("echo 'it", set()),
        ("./run.sh > conf.json 2>>check.py", {"run.sh"}),
    ],
)
def test_every_file_of_the_project_that_a_command_names_is_found(
    root: Path, command: str, files: set[str]
) -> None:
    """Programs, scripts after an interpreter, files in arguments; not folders, not what is only written."""
    assert found(root, command) == files


def test_a_file_is_known_by_its_digest_and_kept_while_it_is_small(root: Path) -> None:
    """The content of a script is kept to show later what changed; a large one has only its digest."""
    big = b"x" * (MAX_KEPT + 1)
    (root / "big").write_bytes(big)
    script, large = (
        next(one for one in find_named([c], str(root), SEARCH) if one.digest) for c in ("run.sh", "big")
    )

    assert (script.digest, script.content) == (sha256(b"run.sh").hexdigest(), b"run.sh")
    assert (large.digest, large.content) == (sha256(big).hexdigest(), None)


@pytest.mark.req("T09")
def test_a_bare_name_is_a_program_of_the_path_given(root: Path) -> None:
    """It has the absolute path of the file that would run; outside the project only the path counts."""
    programs = [one for one in find_named(["sh x"], str(root), SEARCH) if one.program]

    assert programs[0] == Named(word="sh", program=True, path=str(Path("/bin/sh").resolve()))
    assert programs[1] == Named(word="x", program=True)


@pytest.mark.req("T09")
def test_a_link_is_known_by_what_it_leads_to(root: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A script that is a link is compared by the content behind the link, wherever that lies."""
    outside = tmp_path_factory.mktemp("outside") / "real.sh"
    outside.write_text("real")
    (root / "link.sh").symlink_to(outside)
    one = find_named(["./link.sh"], str(root), SEARCH)[0]

    assert (one.path, one.digest) == (str(outside), sha256(b"real").hexdigest())


def test_a_file_that_would_take_long_to_read_is_not_read(root: Path) -> None:
    """The daemon looks at it again whenever it changes, and others wait meanwhile."""
    with (root / "run.sh").open("ab") as file:
        file.truncate(MAX_LOOKED_AT + 1)
    one = find_named(["./run.sh"], str(root), SEARCH)[0]

    assert (one.digest, one.content) == (UNREADABLE, None)


def test_words_the_shell_decides_about_are_told() -> None:
    """Variables, globs and home folders cannot be followed."""
    assert dynamic_words("$X/run.sh *.py ~/bin/x ./plain") == ["$X/run.sh", "*.py", "~/bin/x"]


def test_odd_words_are_no_files(root: Path) -> None:
    """A word that is too long for a path, or holds a zero byte, names nothing."""
    assert found(root, f"{'x' * 5000} a\0b") == set()


def test_too_many_words_are_refused(root: Path) -> None:
    """Each word is looked at whenever something changes; there is an end to that."""
    with pytest.raises(InterlockError, match="move them into a script"):
        find_named([" ".join(f"w{n}" for n in range(MAX_NAMED + 1))], str(root), SEARCH)


@pytest.mark.req("T09")
def test_a_path_keeps_only_folders_that_are_not_the_projects(root: Path) -> None:
    """No repository supplies the programs that are searched."""
    assert absolute(f".::bin:{root}:{root}/bin:/usr/bin:{root}-other", str(root)) == f"/usr/bin:{root}-other"
