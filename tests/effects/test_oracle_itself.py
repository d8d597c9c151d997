"""The oracle can fail: it sees what runs, it compares strictly, and it runs nothing without its sandbox."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.effects.oracle.corpus import Row, parse
from tests.effects.oracle.law import misses, says
from tests.effects.oracle.mutation import mutate
from tests.effects.oracle.portable import is_portable
from tests.effects.oracle.sandbox import FOLDER, Ran, Run, Sandbox, SandboxError, open_sandbox
from tests.effects.oracle.shell_texts import Texts
from tests.effects.oracle.trial import shortest, well_formed

from interlock.effects.command import Command, Gap, GapKind, Script
from interlock.effects.effect import Word


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    """One build of the stubs for all texts."""
    with open_sandbox() as opened:
        yield opened


def ran(sandbox: Sandbox, text: str, shell: str = "bash") -> list[str]:
    """The calls of one text, in order of their names."""
    (run,) = sandbox.run([text], shell)
    return sorted(" ".join(one.words) for one in run.ran)


def command(*words: str | Word, more: bool = False, cwd: str | None = None) -> Command:
    """A command of fixed words unless a word says otherwise."""
    known = tuple(word if isinstance(word, Word) else Word(word) for word in words)
    return Command(words=known, written="", more=more, cwd=cwd)


@pytest.mark.deep
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("rm -rf x", ["rm -rf x"]),
        ("/bin/rm x", ["rm x"]),
        ("git log | cat", ["cat", "git log"]),
        ("exec -a ls rm x", ["rm x"]),
        ("rm a & rm b", ["rm a", "rm b"]),
        ("bash -c 'rm x'", ["bash -c rm x", "rm x"]),
        ("sudo -u me A=1 rm x", ["rm x", "sudo -u me A=1 rm x"]),
        ("sudo --user=me -s rm x", ["rm x", "sudo --user=me -s rm x"]),
        ("doas rm x", ["doas rm x", "rm x"]),
        ("env -i /bin/rm x", ["env -i /bin/rm x", "rm x"]),
        ("timeout 5 nice rm x", ["nice rm x", "rm x", "timeout 5 nice rm x"]),
        ("xargs rm < f", ["rm : one two", "xargs rm"]),
        ("find f -exec rm {} +", ["find f -exec rm {} +", "rm f"]),
        ("rm *.txt", ["rm a.txt b.txt c d.txt"]),
        ("nosuch -a b", ["nosuch -a b"]),
        ("awk 'BEGIN{system(\"rm x\")}'", ['awk BEGIN{system("rm x")}', "rm x", "sh -c rm x"]),
        ("cp /bin/rm y; ./y z", ["cp /bin/rm y", "y z"]),
        ("ssh h 'rm x'", ["rm x", "ssh h rm x"]),
    ],
)  # fmt: skip - one row, one line
def test_every_program_that_starts_is_noted(sandbox: Sandbox, text: str, expected: list[str]) -> None:
    """By its file, whatever it was called, with its arguments, also behind other programs."""
    assert ran(sandbox, text) == expected


@pytest.mark.deep
def test_dash_is_really_dash(sandbox: Sandbox) -> None:
    """The two shells differ where they should."""
    assert ran(sandbox, "rm {a,b}") == ["rm a b"]
    assert ran(sandbox, "rm {a,b}", "dash") == ["rm {a,b}"]


@pytest.mark.deep
def test_texts_do_not_see_each_other(sandbox: Sandbox) -> None:
    """Files and processes of one text are gone before the next."""
    texts = ["(while :; do git x; done) & echo y > new", "cat new; rm -- *", "sh < new"]

    first, second, third = sandbox.run(texts)
    assert first.ran
    assert {one.words[0] for one in (*second.ran, *third.ran)} == {"cat", "rm"}  # no `sh`: the file is gone
    assert not any("new" in one.words for one in second.ran if one.words[0] == "rm")


@pytest.mark.deep
def test_the_folder_a_program_runs_in_is_noted(sandbox: Sandbox) -> None:
    """Relative paths can be told apart by it."""
    (run,) = sandbox.run(["cd src; rm x"])

    assert run.ran == (Ran(("rm", "x"), f"{FOLDER}/src"),)


@pytest.mark.deep
@pytest.mark.parametrize(
    "text", ["while :; do :; done", ":(){ :|:& };:", "while git x; do :; done", "cat /dev/zero > f"]
)
def test_a_text_without_end_is_ended(sandbox: Sandbox, text: str) -> None:
    """Loops, forks and endless files stop at their limits, and the next text runs."""
    assert [" ".join(one.words) for one in sandbox.run([text, "rm x"])[1].ran] == ["rm x"]


@pytest.mark.deep
def test_nothing_of_the_machine_is_inside(sandbox: Sandbox) -> None:
    """No home, no folder of the repository, no network, nothing writable that stays."""
    places = ["/root", str(Path(__file__).resolve().parent), str(Path.home()), "/etc/ssl", "/var"]
    text = "; ".join(f"rm {place}/*" for place in places) + "; exec 3<>/dev/tcp/127.0.0.1/22 && rm net"

    assert ran(sandbox, text) == sorted(f"rm {place}/*" for place in places)
    assert ran(sandbox, "touch /usr/bin/y /etc/y; ls /usr/bin/y /etc/y > /dev/null && rm y") == [
        "ls /usr/bin/y /etc/y",
        "touch /usr/bin/y /etc/y",
    ]


@pytest.mark.parametrize("missing", ["bwrap", "dash"])
def test_without_its_sandbox_it_fails_and_says_what_to_install(
    missing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It neither skips nor runs anything in the open."""
    for tool in {"bwrap", "bash", "dash", "cc"} - {missing}:
        (tmp_path / tool).symlink_to("/bin/sh")
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(SandboxError, match=f"needs `{missing}` .* apt-get install"):
        open_sandbox()


SPLITS = Word("$x", fixed=False, splits=True)
ONE = Word('"$x"', fixed=False)


@pytest.mark.parametrize(
    ("said", "given", "expected"),
    [
        (command("rm", "-rf", "x"), "rm -rf x", True),
        (command("/bin/rm", "x"), "rm x", True),
        (command("rm", "x"), "rm y", False),
        (command("rm", "x"), "rm x y", False),
        (command("rm", "x", "y"), "rm x", False),
        (command("rm", "x"), "git x", False),
        (command("rm", ONE), "rm a", True),
        (command("rm", ONE), "rm", False),
        (command("rm", ONE), "rm a b", False),
        (command("rm", SPLITS), "rm", True),
        (command("rm", SPLITS, "z"), "rm a b z", True),
        (command("rm", SPLITS, "z"), "rm a b", False),
        (command(SPLITS, "rm", "z"), "rm z", True),
        (command("rm", "x", more=True), "rm x y z", True),
        (command("rm", "x", more=True), "rm y", False),
        (command("rm", "{}", more=True), "rm y z", True),
        (command("rm", "{}"), "rm y", False),
        (command(), "rm", False),
    ],
)
def test_a_command_says_exactly_what_its_words_can_become(said: Command, given: str, expected: bool) -> None:
    """A fixed word is itself, an open one is one argument, a splitting one any number."""
    assert says(said, Ran(tuple(given.split()), FOLDER)) is expected


def test_a_reader_that_leaves_something_out_is_caught() -> None:
    """One unnamed program is a miss; a gap, or the name, makes it none."""
    run = Run(ran=(Ran(("git", "log"), FOLDER), Ran(("rm", "x"), FOLDER)), status=0)
    gap = Gap(kind=GapKind.SYNTAX, why="", text="")
    some = Script(commands=(command("git", "log"),))

    assert [miss.what for miss in misses("t", some, run)] == ["ran ['rm', 'x']"]
    assert not misses("t", Script(commands=some.commands, gaps=(gap,)), run)
    assert not misses("t", Script(commands=(*some.commands, command("rm", "x"))), run)


def test_a_wrong_folder_is_caught() -> None:
    """A folder that is said must be the right one; none said is not a claim."""
    run = Run(ran=(Ran(("rm", "x"), f"{FOLDER}/src"),), status=0)

    assert misses("t", Script(commands=(command("rm", "x", cwd=FOLDER),)), run)
    assert not misses("t", Script(commands=(command("rm", "x", cwd=f"{FOLDER}/src"),)), run)
    assert not misses("t", Script(commands=(command("rm", "x"),)), run)


@pytest.mark.deep
def test_a_miss_is_made_short(sandbox: Sandbox) -> None:
    """What has nothing to do with it is taken away."""
    found = shortest(sandbox, lambda text: Script(), "true && { echo a b c; rm -rf x | cat; }")

    assert found is not None
    assert len(found.text) <= 8


@pytest.mark.deep
def test_random_texts_are_the_same_for_a_seed_and_mostly_well_formed(sandbox: Sandbox) -> None:
    """A miss can be had again by its seed, and most texts get past the grammar."""
    one, two, other = Texts(3), Texts(3), Texts(4)
    texts = [one.text() for _ in range(300)]

    assert texts == [two.text() for _ in range(300)]
    assert texts != [other.text() for _ in range(300)]
    assert len(well_formed(sandbox, texts)) > 270


def test_a_changed_text_differs_mostly() -> None:
    """A change that gives the same text again is rare."""
    rng = random.Random(1)

    assert sum(mutate("git log 'a b' | cat", rng) != "git log 'a b' | cat" for _ in range(200)) > 150
    assert isinstance(mutate("", rng), str)


def test_a_corpus_page_is_read_as_it_says() -> None:
    """Reasons, lines, blocks and JSON strings."""
    page = '%% why\nls -l\n\n%{\na\n\nb\n%}\n%"x\\ty"\n%% other\n # kept\n'

    assert list(parse(page)) == [
        Row("ls -l", "why"),
        Row("a\n\nb", "why"),
        Row("x\ty", "why"),
        Row(" # kept", "other"),
    ]


@pytest.mark.parametrize("text", ["rm -rf x", "a && b | c", "for x in a; do b; done", "echo $(a) ${v:-x}"])
def test_common_texts_are_portable(text: str) -> None:
    """What every shell reads the same way may go to dash."""
    assert is_portable(text)


@pytest.mark.parametrize(
    "text", ["[[ a && b ]]", "a &> f", "cat <<< x", "rm {a,b}", "echo $'x'", "a=(b)", "${v/a/b}"]
)
def test_texts_only_bash_reads_are_not_portable(text: str) -> None:
    """They stay away from dash."""
    assert not is_portable(text)
