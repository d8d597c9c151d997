"""Laws of files that a text makes itself: what is in them runs when they are run, by whatever name."""

from __future__ import annotations

import pytest
from tests.reading.shell.told import ELSEWHERE, kinds, ran

WRITTEN = "printf 'rm -rf y' > x.sh"


@pytest.mark.req("C08")
@pytest.mark.parametrize("name", ["cp", "mv", "ln -s", "install -m 755", "cp -f --suffix .b"])
def test_a_copy_is_remembered_by_its_origin(name: str) -> None:
    """A file made here stays what it was, a program keeps its name."""
    assert "rm -rf y" in ran(f"{name} /bin/rm q; ./q -rf y")
    assert "rm -rf y" in ran(f"{WRITTEN}; {name} x.sh q; sh q")
    assert "rm -rf y" in ran(f"{WRITTEN}; {name} x.sh q; {name} q p; ./p")


@pytest.mark.req("C08")
@pytest.mark.parametrize(
    "text",
    [
        f"{WRITTEN}; cp x.sh sub; sh sub/x.sh",
        f"{WRITTEN}; cp x.sh y.sh sub/; sh sub/x.sh",
        f"{WRITTEN}; mv -t sub x.sh; sh sub/x.sh",
        f"{WRITTEN}; cp *.sh sub; sh sub/x.sh",
        "echo rm -rf y > sub/x.sh; cp -r sub other; sh other/x.sh",
        "echo rm -rf y > sub/x.sh; mv sub other; sh other/sub/x.sh",
        f"{WRITTEN}; dd if=x.sh of=z; sh z",
        f"{WRITTEN}; cat x.sh > z; ./z",
    ],
)
def test_what_is_put_into_a_folder_is_found_there(text: str) -> None:
    """Whether the target is a folder or a name is only known when it runs: it is both."""
    assert "rm -rf y" in ran(text)


@pytest.mark.req("C08")
@pytest.mark.parametrize(
    "text",
    [
        f"{WRITTEN}; pushd sub; popd; sh x.sh",
        f"{WRITTEN}; sh $there/x.sh",
        f"{WRITTEN}; $there/x.sh",
        "cat <<< 'rm -rf y' > $there/x.sh; bash $there/x.sh",
        f"{WRITTEN}; cd sub; sh $OLDPWD/x.sh",
        f"ln -s . l; {WRITTEN}; sh l/x.sh",
        "echo rm -rf y > //tmp/x.sh; sh /tmp/x.sh",
    ],
)
def test_a_folder_that_is_not_known_may_be_the_one(text: str) -> None:
    """A file of the same name is taken for the file that was made."""
    assert "rm -rf y" in ran(text)


@pytest.mark.req("C08")
@pytest.mark.parametrize(
    "text",
    [
        f"{WRITTEN}; sh *.sh",
        f"{WRITTEN}; find . -name x.sh -exec sh {{}} \\;",
        "{ echo rm -rf y; } > x.sh; sh x.sh",
        "for i in 1; do echo rm -rf y; done > x.sh; sh x.sh",
        "mkfifo p; sh < p & echo rm -rf y > p",
        "sh < p & echo rm -rf y > p",
        "for i in 1 2; do sh x.sh; echo rm -rf y > x.sh; done",
        "trap 'sh x.sh' EXIT; echo rm -rf y > x.sh",
        "cp $(command -v rm) q; ./q -rf y",
        "cat /bin/rm > q; ./q -rf y",
        "cp /bin/rm /usr/local/bin/q; q -rf y",
        "sort -o x.sh <<< 'rm -rf y'; sh x.sh",
        "exec > x.sh; echo rm -rf y; sh x.sh",
    ],
)
def test_what_may_be_in_such_a_file_is_a_gap_where_nobody_knows_it(text: str) -> None:
    """It runs text from somewhere else in the command."""
    assert kinds(text) & ELSEWHERE


@pytest.mark.req("case:C23")
@pytest.mark.parametrize(
    "text",
    [
        "chmod +x build.sh && ./build.sh",
        "cp a.sh b.sh && sh b.sh",
        "cp target/release/tool ~/.local/bin/ && tool --version",
        "./run.sh > log.txt; cat log.txt",
        "for f in a b; do ./run.sh $f > $f.log; done",
        "gcc -o a a.c && ./a",
        "sh one.sh; echo hi > two.sh",
    ],
)
def test_files_that_nobody_has_written_here_are_programs_like_any_other(text: str) -> None:
    """Everyday commands stay read."""
    assert not kinds(text)
