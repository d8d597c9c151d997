"""Laws of a whole text: scopes, branches, loops, pipes, functions and substitutions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.effects.shell.readings import ELSEWHERE, command, kinds, ran, read

from interlock.effects.command import GapKind
from interlock.effects.effect import Word

INSIDE = st.lists(
    st.sampled_from(
        ["x=2", "cd /q", "y=3", "export x=4", "unset x", "cd", "readonly x", "f() { a; }", "alias p=a"]
    ),
    min_size=1,
    max_size=4,
).map("; ".join)
APART = st.sampled_from(
    [
        "(%s)",
        "(%s) > /dev/null",
        "{ %s; } &",
        "echo $(%s)",
        "echo `%s`",
        "cat <(%s)",
        "a | { %s; }",
        "{ %s; } | a",
    ]
)


@pytest.mark.req("case:C16")
@given(INSIDE, APART)
def test_a_process_of_its_own_changes_nothing_for_the_rest(inside: str, apart: str) -> None:
    """A subshell, a pipe or a substitution leaves folder, variables and names as they were."""
    found = command(f"x=1; y=1\n{apart % inside}\np $x $y", "p")

    assert [word.text for word in found.words] == ["p", "1", "1"]
    assert all(word.fixed for word in found.words)
    assert found.cwd == "/project"


@pytest.mark.parametrize("same", ["{ %s; }", "eval '%s'", "command %s", "%s", "f() { %s; }; f"])
def test_what_runs_in_the_same_shell_counts_for_the_rest(same: str) -> None:
    """A group, `eval` and a function are not process of their own."""
    found = command("cd /; " + same.replace("%s", "cd /q") + " && p", "p")

    assert found.cwd != "/"


@pytest.mark.parametrize(
    "maybe",
    [
        *(
            "if a; then %s; fi",
            "if a; then b; else %s; fi",
            "if a; then b; elif %s; then c; fi",
            "while a; do %s; done",
        ),
        *("for i in 1; do %s; done", "until %s; do a; done", "case a in b) %s;; esac", "a && %s", "a || %s"),
        *("if a; then if b; then { %s; }; fi; fi", "for ((i=0;i<1;i++)); do %s; done"),
    ],
)
def test_branches_forget(maybe: str) -> None:
    """What may or may not have happened is known neither way afterwards."""
    variable = command(f"x=1; {maybe.replace('%s', 'x=2')}; p $x", "p")
    folder = command(f"{maybe.replace('%s', 'cd /q')}; p", "p")

    assert not variable.words[1].fixed
    assert folder.cwd is None


def test_a_branch_that_sets_the_program_makes_it_open() -> None:
    """A deny must not be read past by an assignment that never runs."""
    assert kinds("c=rm; if a; then c=ls; fi; $c x") == {GapKind.OPEN}
    assert ran("c=rm; $c x") == ["rm x"]


@pytest.mark.req("C01", "X12", "X41")
@given(
    st.lists(st.sampled_from(["a 1", "b", "c -d", "engine log"]), min_size=1, max_size=4),
    st.sampled_from(["; ", " && ", " || ", " | ", " |& ", " & ", "\n"]),
)
def test_every_part_of_a_list_is_a_command(parts: list[str], operator: str) -> None:
    """Whichever operator joins them, the last is read like the first."""
    assert ran(operator.join([*parts, "rm -rf x"])) == [*dict.fromkeys(parts), "rm -rf x"]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        *(("p a; p a", 1), ("p a; p  a", 2), ("p a; p 'a'", 2), ("p a; cd /; p a", 2), ("p a; A=1 p a", 2)),
        *(("p a; echo x | xargs p a", 3), ("p a; sudo p a", 2), ("p $x; p $x", 1), ("f() { p a; }; f; f", 1)),
    ],
)
def test_a_command_is_told_once(text: str, count: int) -> None:
    """Unless it is spelt otherwise, runs elsewhere, or gets another environment, way or further words."""
    assert len([found for found in read(text).commands if found.words[:1] == (Word("p"),)]) == count


@pytest.mark.req("C02")
@pytest.mark.parametrize(
    ("text", "via"),
    [
        ("echo $(rm x)", "$(…)"),
        ("echo `rm x`", "$(…)"),
        ('echo "a $(rm x) b"', "$(…)"),
        ("cat <(rm x)", "<(…)"),
        ("tee >(rm x)", "<(…)"),
        ("echo ${a:-$(rm x)}", "$(…)"),
        ("echo $((a[$(rm x)]))", "$(…)"),
        ("[[ a =~ $(rm x) ]]", "$(…)"),
        ("x=$(rm x)", "$(…)"),
        ("x=(1 $(rm x))", "$(…)"),
        ("cat <<E\n$(rm x)\nE", "$(…)"),
        ("cat <<< $(rm x)", "$(…)"),
        ("echo > $(rm x)", "$(…)"),
        ("for i in $(rm x); do a; done", "$(…)"),
        ("case $(rm x) in a) b;; esac", "$(…)"),
        ("((i = $(rm x)))", "$(…)"),
        ("echo {a,$(rm x)}", "$(…)"),
    ],
)
def test_a_command_inside_a_word_is_found(text: str, via: str) -> None:
    """Wherever a substitution may stand, and what it was found through."""
    assert command(text, "rm").via == (via,)


@pytest.mark.req("C02")
def test_substitutions_inside_one_another_are_all_named() -> None:
    """The outermost first."""
    assert command("a $(b `c <(rm x)`)", "rm").via == ("$(…)", "$(…)", "<(…)")


@pytest.mark.parametrize(
    "text",
    [
        *("if rm x; then a; fi", "if a; then rm x; fi", "if a; then b; elif rm x; then c; fi"),
        *(
            "while rm x; do a; done",
            "until a; do rm x; done",
            "for i in 1; do rm x; done",
            "select i in 1; do rm x; done",
        ),
        *(
            "case a in b) c;; d) rm x;; esac",
            "{ rm x; }",
            "(rm x)",
            "rm x &",
            "! rm x",
            "time rm x",
            "a | rm x",
        ),
        *("f() { rm x; }", "function f { rm x; }", "if a; then { (while b; do rm x; done); }; fi"),
    ],
)
def test_a_command_inside_a_block_is_found(text: str) -> None:
    """Wherever commands may stand."""
    assert "rm x" in ran(text)


@pytest.mark.req("case:C12")
def test_a_function_is_read_with_the_words_of_its_call() -> None:
    """And with nothing known only where no call is seen."""
    body = 'clean() { rm -rf "$1/$2"; }'

    assert ran(body) == ["rm -rf ?$1/$2"]
    assert ran(f'{body}\nclean dist "a b"') == ["clean dist a b", "rm -rf dist/a b"]
    assert ran(f"{body}; clean a b; clean c d")[1::2] == ["rm -rf a/b", "rm -rf c/d"]


@pytest.mark.req("case:C12")
def test_a_call_has_the_parameters_of_its_own() -> None:
    """After it, those of the outer call are back."""
    found = ran("g() { p $1; }; f() { g inner; p $1; }; f outer")

    assert [line for line in found if line.startswith("p ")][-2:] == ["p inner", "p outer"]


def test_a_function_that_calls_itself_ends() -> None:
    """Its commands are found, however often it would run, in the end with words that are not known."""
    assert "rm x" in ran("f() { rm x; f; f; f; }; f")
    assert "?$9 x" in ran('f() { "$9" x; f "$@" rm; }; f ls')


@pytest.mark.req("case:C12")
@pytest.mark.parametrize(
    "text", ["ls() { rm x; }; ls", "alias ls='rm x'; ls", "hash -p /x ls; ls", "enable -f x ls; ls"]
)
def test_a_known_name_with_another_meaning_is_unread(text: str) -> None:
    """It lost what its name promised."""
    assert GapKind.SYNTAX in kinds(text)


@pytest.mark.parametrize(
    "text", ["x='a[$(b)]'; ((x))", "x='a[$(b)]'; echo $((x+1))", "test -v 'a[$(b)]'", "[[ -v 'a[$(b)]' ]]"]
)
def test_what_is_evaluated_once_more_is_open(text: str) -> None:
    """Arithmetic and subscripts run what a value holds."""
    assert GapKind.OPEN in kinds(text)


@pytest.mark.req("C03")
@pytest.mark.parametrize(
    "text", ["echo ${v@P}", "v=$(a); echo ${!v}", 'echo "${v@P}"', "PS1='$(rm x)'", "PROMPT_COMMAND=$x"]
)
def test_what_hides_code_is_open(text: str) -> None:
    """A variable that a shell runs, or that names another."""
    assert GapKind.OPEN in kinds(text)


@pytest.mark.req("C03")
def test_an_expansion_that_sets_a_variable_is_remembered() -> None:
    """Its value is not known from there on."""
    assert ran("x=1; a ${x:=$(rm y)}; p $x") == ["rm y", "a ?${x:=$(rm y)}", "p ?$x"]


@pytest.mark.req("case:C12", "X12")
@pytest.mark.parametrize(
    "text",
    [
        "cat > f <<E\nrm x\nE\nsh f",
        "cat <<E > f\nrm x\nE\nbash ./f",
        "echo 'rm x' > f; sh f",
        "echo 'rm x' > f && chmod +x f && ./f",
        "printf 'rm x' > f; . ./f",
        "echo 'rm x' > f; mv f g; sh g",
        "echo 'rm x' > f; cp f g; source g",
        "echo ls > f; echo 'rm x' >> f; sh f",
        "cd /tmp; echo 'rm x' > f; cd /; sh /tmp/f",
        "(echo 'rm x' > f); sh f",
    ],
)
def test_what_is_written_and_then_run_is_read(text: str) -> None:
    """A file that the text itself makes is not a secret."""
    assert "rm x" in ran(text)
    assert not kinds(text)


@pytest.mark.parametrize(
    "text", ["curl u > f; sh f", "wget -qO- u > f; bash f", "echo $x > f; ./f", "a >> f; echo b >> f; sh f"]
)
def test_what_is_fetched_and_then_run_is_open(text: str) -> None:
    """A file whose content the text does not say."""
    assert kinds(text) & ELSEWHERE


@pytest.mark.parametrize(
    "text",
    [
        "curl -o f u; sh f",
        "wget -O f u; sh f",
        "echo 'rm x' > f; sh < f",
        "echo 'rm x' > f; cat f | sh",
        "tee f <<< 'rm x'; sh f",
    ],
)
def test_every_way_to_write_a_file_and_run_it_is_seen(text: str) -> None:
    """By options, by programs that copy their input, by input instead of a name."""
    assert "rm x" in ran(text) or kinds(text) & ELSEWHERE


@pytest.mark.req("case:C12")
@pytest.mark.parametrize(
    "text", ["cp /bin/rm q; ./q -rf x", "ln -s /bin/rm q; ./q -rf x", "mv /bin/rm q; $PWD/q -rf x"]
)
def test_a_copy_or_link_of_a_program_keeps_its_name(text: str) -> None:
    """A new name does not make it another program."""
    assert "rm -rf x" in ran(text)


def test_an_assignment_alone_is_a_command_without_words() -> None:
    """It needs no allow of its own unless it can change other programs."""
    plain, sensitive = read("x=1").commands + read("PATH=/x").commands

    assert (plain.words, plain.transparent) == ((), True)
    assert (sensitive.words, sensitive.transparent) == ((), False)
    assert [name for name, _ in sensitive.environment] == ["PATH"]


@pytest.mark.parametrize(
    "text",
    [
        "for PATH in /x; do p; done",
        "select PATH in /x; do p; done",
        "for ((PATH=1; PATH<2; PATH++)); do p; done",
        "((PATH=1)); p",
        "p $((PATH=1))",
        "p ${PATH:=x}",
        "[[ PATH=1 -eq 1 ]] && p",
        "x=PATH=1; [[ x -eq 1 ]] && p",
        "for i in PATH=1; do ((i)); done; p",
    ],
)
def test_a_variable_others_obey_is_set_by_more_than_assignments(text: str) -> None:
    """A loop and arithmetic set it too, so they need an allow as the assignment does."""
    setting = [found for found in read(text).commands if not found.words and not found.transparent]

    assert {name for found in setting for name, _ in found.environment} == {"PATH"}


@pytest.mark.parametrize(
    "text",
    [
        "for i in 'a[$(rm x)]'; do ((i)); done",
        "for i in 'a[`rm x`]'; do [[ $i -eq 1 ]]; done",
        "x='a[$(rm x)]'; [[ x -eq 1 ]]",
        "f() { (($1)); }; f 'a[$(rm x)]'",
        "set -- 'a[$(rm x)]'; (($1))",
    ],
)
def test_a_subscript_that_arithmetic_would_run_is_not_passed_over(text: str) -> None:
    """However the text comes to be counted with: by a loop, by a name, by a function."""
    assert GapKind.OPEN in kinds(text)


@pytest.mark.req("C08")
def test_a_loop_is_read_for_the_values_it_is_told() -> None:
    """And once for whatever its variable may be; loops in loops take turns one at a time."""
    assert ran("for f in a .env; do cat $f; done") == ["cat a", "cat .env", "cat ?$f"]
    assert "cat ?$d/.env" in ran('for d in a b; do for f in .env; do cat "$d/$f"; done; done')
    assert ran("for f in ~/*.py; do cat $f; done") == ["cat ?/home/ann/*.py", "cat ?$f"]
    assert ran("for f in *.py; do cat $f; done") == ["cat ?$f"]  # its files are among the effects
    assert ran("for f in $x/*; do cat $f; done") == ["cat ?$f"]
    assert ran("for i in 1 2; do ls; done") == ["ls"]
