"""One form for all spellings of a command, and what a denied pattern means by it."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.effects.canonical_form import filed_under, form_of, pattern_form
from interlock.effects.effect import Word
from interlock.effects.programs.arguments import sort_arguments
from interlock.patterns.glob import GlobSet


def form(command: str) -> str:
    return form_of(sort_arguments([Word(word) for word in shlex.split(command)]))


def meets(glob: str, command: str) -> bool:
    expression = pattern_form(glob)
    return expression is not None and GlobSet([("it", expression)]).hits(form(command)) == ["it"]


@pytest.mark.req("X12")
@pytest.mark.parametrize(
    "command",
    [
        "rm -rf x",
        "rm -fr x",
        "rm -r -f x",
        "rm -Rf x",
        "rm --recursive --force x",
        "rm --recurs --forc x",
        "/bin/rm -rfv x",
        "rm x -rf",
        "rm -v x -r y -f",
        "rm -rf -- -x",
        "rm -rf",
        "rm -rf $HOME",
    ],
)
def test_flags_meet_in_any_order_and_spelling(command: str) -> None:
    """Clusters, long names, beginnings of long names and places make no difference."""
    assert meets("rm -rf *", command)


@pytest.mark.req("X12", "case:C13")
@pytest.mark.parametrize(
    ("glob", "command", "expected"),
    [
        ("rm -rf *", "rm -r x", False),
        ("rm -rf *", "rmdir -rf x", False),
        ("rm -rf *", "rm -- -rf x", False),
        ("rm -rf /*", "rm -fr /etc", True),
        ("rm -rf /*", "rm -fr etc", False),
        ("git push", "git push", True),
        ("git push", "git push -v", True),
        ("git push", "git push origin", False),
        ("git push *", "git push", True),
        ("git push *", "git -C x push origin main", True),
        ("git push *", "git pushx", False),
        ("git push * --force", "git push", False),
        ("git push * --force", "git push -f", True),
        ("git push * --force", "git push origin --force main", True),
        ("git push * --force", "git pull --force", False),
        ("git push --force", "git push origin -f", True),
        ("git push --force*", "git push --force-with-lease origin", True),
        ("git push --force*", "git push origin -f", True),
        ("git push --force*", "git push origin", False),
        ("git log", "git logout", False),
        ("git log *", "git logout", False),
        ("git * --hard", "git reset --hard HEAD~1", True),
        ("git * --hard", "git reset --soft", False),
        ("* --force", "git push origin -f", True),
        ("* --force", "anything --force=yes x", True),
        ("* --force", "anything --forced x", False),
        ("* --force", "echo x", False),
        ("npm publish", "npm publish --dry-run", True),
        ("npm test", "npm testx", False),
        ("curl*", "curl -s x", True),
        ("curl*", "/usr/bin/curl-config --x", True),
        ("curl*", "xcurl", False),
        ("* install", "npm -s install", True),
        ("* install", "npm run -s install", True),
        ("* install", "npm install x", False),
        ("*rm -rf*", "rm  -r -f x", True),
        ("'rm' \"-rf\" *", "rm -fr x", True),
        ("sudo rm -rf *", "sudo -u me rm -fr x", True),
        ("sudo rm -rf *", "sudo rm -r x", False),
        ("sudo *", "sudo -u me rm x", True),
        ("sudo *", "sudo", True),
        ("find * -exec *", "find . -name x -exec rm {} +", True),
        ("* -exec *", "find . -name x -exec rm {} +", True),
        ("find * -del*", "find . -delete", True),
        ("kill -9 *", "kill -9 1", True),
        ("git commit -m x*", "git commit -a -m xyz", True),
        ("git commit -m x*", "git commit -a -m abc", False),
        ("git commit -a*  --am*", "git commit --amend -a", True),
    ],
)
def test_a_pattern_means_its_program_flags_and_operands(glob: str, command: str, expected: bool) -> None:
    """Its flags must be among the command's, its operands must be all there are unless it ends open."""
    assert meets(glob, command) is expected


@pytest.mark.parametrize(
    "glob", ["*", "* *", "**", "?", "*secret*", "curl * | sh", "a && b", "X=1 npm *", "x > y"]
)
def test_a_pattern_about_the_text_alone_has_no_form(glob: str) -> None:
    """Joints, assignments and bare wildcards speak of the text as it stands."""
    assert pattern_form(glob) is None


@pytest.mark.parametrize(
    ("glob", "key"),
    [
        ("rm -rf *", "rm"),
        ("/bin/rm *", "rm"),
        ("'rm' *", "rm"),
        ("* --force", "--force"),
        ("* --force *", ""),
        ("cur? *", ""),
        ("curl*", ""),
        ("rm", "rm"),
    ],
)
def test_a_pattern_is_filed_under_what_a_command_must_have(glob: str, key: str) -> None:
    """Its program, else the flag it is about, else nothing."""
    assert filed_under(glob) == key


_FLAGS = st.lists(st.sampled_from(["-r", "-f", "-v", "-i", "--recursive", "--force"]), max_size=5)
_OPERANDS = st.lists(st.sampled_from(["x", "y/z", "$a", "a b"]), max_size=3)


@settings(max_examples=200, deadline=None)
@given(_FLAGS, _OPERANDS, st.randoms(use_true_random=False))
def test_order_and_clusters_never_matter(flags: list[str], operands: list[str], order: object) -> None:
    """However flags stand between operands and however they are joined, the form is the same."""
    plain = [Word("rm"), *map(Word, flags), *map(Word, operands)]
    shorts = "".join(dict.fromkeys(flag[1] if flag[1] != "-" else flag[2] for flag in flags))
    clustered = [*([f"-{shorts}"] if shorts else [])]
    where = getattr(order, "randrange")(len(operands) + 1)  # noqa: B009 - hypothesis types it as an object
    mixed = [
        Word("/usr/bin/rm"),
        *map(Word, operands[:where]),
        *map(Word, clustered),
        *map(Word, operands[where:]),
    ]

    assert form_of(sort_arguments(plain)) == form_of(sort_arguments(mixed))


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(["push", "x", "-f", "--force", "-v", "--", "*", "?", "-*"]), max_size=4))
def test_a_pattern_meets_the_command_it_spells(words: list[str]) -> None:
    """Read as a command, a pattern is denied by itself."""
    glob = " ".join(["git", *words])

    assert meets(glob, glob)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.text("a\x1e\x1f\x02 -=*", min_size=1, max_size=6), min_size=1, max_size=4))
def test_no_argument_forges_a_flag(words: list[str]) -> None:
    """The signs that part a form are taken out of names and flags."""
    arguments = sort_arguments([Word("rm"), *map(Word, words)])
    head, _, _ = form_of(arguments).partition("\x1e")
    names = {
        name for flag in arguments.flags for name in (flag.option.names if flag.option else (flag.name,))
    }
    values = sum(flag.value is not None for flag in arguments.flags)

    assert head.split("\x1f")[0] == "\x02rm"
    assert len(head.split("\x1f")) - 1 <= len(names) + 4 * values


def test_a_wrapper_in_a_wrapper_ends_somewhere() -> None:
    """Ten thousand of them are still one text."""
    assert form(" ".join(["sudo"] * 10_000)).startswith("\x02sudo")
