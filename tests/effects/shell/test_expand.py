"""Laws of expansion: what a program gets, when that is settled, is what bash gives it."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effects.shell.bash import arguments
from tests.effects.shell.readings import HOME, command, kinds, ran, read

from interlock.effects.command import GapKind
from interlock.effects.effect import Word

VALUES = st.text("ab \t\n'\"\\$`{},~#;&|<>()!=-", max_size=7)
USES = st.lists(
    st.sampled_from(
        ["$x", '"$x"', "${x}", "'a'", "'b c'", "$y", '"$y"', "$x$y", "-$x-", '""', '"$x"$y', "$e", '"$e"']
    ),
    min_size=1,
    max_size=4,
).map("".join)


def words(text: str) -> tuple[Word, ...]:
    """The arguments of the last command `p`."""
    return command(text, "p").words[1:]


@pytest.mark.deep
@pytest.mark.req("case:C11")
@settings(max_examples=60, deadline=None)
@given(VALUES, VALUES, st.lists(USES, min_size=1, max_size=8))
def test_known_values_split_as_in_bash(x: str, y: str, uses: list[str]) -> None:
    """Quoted values stay whole, unquoted ones become words at their blanks."""
    before = f"x={shlex.quote(x)}; y={shlex.quote(y)}; e=''\n"
    real = arguments(uses, before)

    found = [words(f"{before}p {use}") for use in uses]

    assert all(word.fixed for line in found for word in line)
    assert [[word.text for word in line] for line in found] == real


@pytest.mark.req("case:C11")
def test_a_blank_from_a_variable_separates_words() -> None:
    """`$IFS` is the blank it is known to be."""
    assert ran("rm${IFS}-rf${IFS}x") == ["rm -rf x"]
    assert [word.fixed for word in words("IFS=,; x=a,b; p $x")] == [False]


@pytest.mark.parametrize(
    "use", ["$u", "${u}", "$1", "$@", "$?", "${u:-a}", "${#u}", "$((1+1))", "a*", "?", "[ab]", "$(q)"]
)
def test_what_only_the_run_decides_stands_as_written(use: str) -> None:
    """Unquoted, it may become several words."""
    (word,) = words(f"p {use}")

    assert (word.text, word.fixed, word.splits) == (use, False, True)


@pytest.mark.parametrize("use", ["$u", "${u:-a}", "$(q)"])
def test_what_is_quoted_never_splits(use: str) -> None:
    """Quotes keep even an unknown value one word."""
    (word,) = words(f'p "{use}"')

    assert (word.text, word.fixed, word.splits) == (use, False, False)
    assert all(word.splits for word in words('p "$@"'))


@given(st.sampled_from("*?["), st.sampled_from(["$x", '"$x"']))
def test_a_glob_in_a_value_is_a_glob_unless_quoted(sign: str, use: str) -> None:
    """A value with such a sign is settled only in quotes."""
    (word,) = words(f"x='a{sign}b]'; p {use}")

    assert word.fixed is (use[0] == '"')


@pytest.mark.parametrize(
    ("use", "value"),
    [("~", HOME), ("~/a", f"{HOME}/a"), ("$HOME/a", f"{HOME}/a"), ("'~'", "~"), ("a~", "a~"), ("\\~", "~")],
)
def test_a_tilde_is_the_home_where_it_means_one(use: str, value: str) -> None:
    """And a character everywhere else."""
    assert words(f"p {use}") == (Word(value),)


@pytest.mark.parametrize("use", ["~no-such-user-here", "~+", "~-", "a=~/b"])
def test_a_tilde_that_is_not_known_is_open(use: str) -> None:
    """Another person's home, the folder before, or what shells do differently."""
    assert [word.fixed for word in words(f"p {use}")] == [False]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(("p $(echo a b)", ["a", "b"]), ('p "$(echo a b)"', ["a b"]), ("p `echo a`", ["a"])),
        *(("x=$(printf '%s' a); p $x", ["a"]), ("p $(cat <<< a)", ["a"]), ("p x$(echo)y", ["xy"])),
    ],
)
def test_what_a_substitution_surely_prints_is_a_value(text: str, value: list[str]) -> None:
    """Only of programs that do nothing but print their words."""
    assert [word.text for word in words(text) if word.fixed] == value


@pytest.mark.parametrize(
    "inside", ["cat f", "date", "echo $u", "echo a; echo b", "echo a | tr a b", "echo 'a\\n'", "q"]
)
def test_what_any_other_prints_is_open(inside: str) -> None:
    """A file, a clock, a variable, two commands, an escape."""
    assert not any(word.fixed for word in words(f"p $({inside})"))


@pytest.mark.req("case:C17")
def test_too_many_words_are_one_open_word() -> None:
    """The work stays small, and the word says that it splits."""
    (word,) = words("p {1..99999}{1..99999}")

    assert (word.fixed, word.splits) == (False, True)


@pytest.mark.parametrize("use", ['"$*"', "$*", '"a$*b"', '"$@"', "$@"])
@pytest.mark.parametrize("repeated", [1, 2])
def test_all_parameters_are_never_taken_for_one_word(use: str, repeated: int) -> None:
    """How many there are is not known here, the first time as little as the second."""
    for word in words(f"p {use} {use};" * repeated):
        assert (word.fixed, word.splits) == (False, True)


def test_arguments_are_counted_however_they_are_written() -> None:
    """A command of more arguments than anyone writes is left unread."""
    assert "too many commands" in [gap.why for gap in read("x=1; p " + '"$x" ' * 20_001).gaps]


@pytest.mark.req("C02")
def test_words_are_expanded_once_in_order() -> None:
    """Each substitution is read once, where it stands."""
    assert [c.words[0].text for c in read('a $(b) "$(c)" > $(d)').commands] == ["b", "c", "d", "a"]


@pytest.mark.req("case:C11")
@pytest.mark.parametrize("nothing", ['"$@"', '"${x[@]}"', '"${x[@]}""$@"', "$@", "${x[@]}"])
def test_quoted_lists_of_nothing_are_no_argument(nothing: str) -> None:
    """Beside other text or an empty element they are what is left."""
    assert ran(f"set --; x=(); {nothing} rm -rf y")[-1] == "rm -rf y"
    assert [word.text for word in words(f"set --; x=(); p {nothing} a")] == ["a"]
    assert [word.text for word in words(f"set --; x=(); p b{nothing} a")] == ["b", "a"]
    assert [word.text for word in words("x=(''); p \"${x[@]}\" a")] == ["", "a"]


@pytest.mark.req("C08")
@pytest.mark.parametrize(
    ("text", "last"),
    [
        ('run() { "$@"; }; run npm test "$f"', "npm test ?$f"),
        ('run() { "$@"; }; run rm -rf $x y', "rm -rf ?$x y"),
        ('set -- ls "$x" a; "$@"', "ls ?$x a"),
        ('a=(ls "$x" src/*); "${a[@]}"', "ls ?$x ?src/*"),
        ("a=(ls 'a b'); ${a[@]}", "ls a b"),
        ('bash -c \'rm "$@"\' _ -rf "$d"', "rm -rf ?$d"),
        ('f() { ls "$2"; }; f "$x" a', "ls a"),
        ('f() { ls "$2"; }; f $x a', "ls ?$2"),
        ('f() { ls "$3"; }; f "$x" a', "ls "),
        ('f() { ls "$3"; }; f $x a', "ls ?$3"),
        ('f() { ls r"$@"; }; f $x b', "ls ?r$@"),
        ("bash -c 'ls \"$@\"' $x a b", "ls ?$@"),
    ],
)
def test_lists_are_the_words_they_were_made_of(text: str, last: str) -> None:
    """Known or not; where one of them may be none or several, places behind it are not told apart."""
    assert ran(text)[-1] == last


@pytest.mark.req("C04")
def test_an_open_word_of_a_list_decides_what_runs_as_any_other_does() -> None:
    """As the program itself, or as the words a wrapper is given."""
    assert GapKind.OPEN in kinds('a=("$x" rm); "${a[@]}" -rf y')
    assert GapKind.OPEN in kinds('f() { sudo "$@"; }; f $x')
