"""Laws of builtins: what they change is known afterwards, or known to be unknown."""

from __future__ import annotations

import pytest
from tests.effects.shell.readings import command, kinds

from interlock.effects.command import GapKind
from interlock.effects.effect import Word
from interlock.effects.shell.builtins import BUILTINS, evaluates_subscript
from interlock.effects.shell.scope import Scope


def after(*texts: str, before: Scope | None = None) -> Scope:
    """The scope after one builtin; a word that begins with `?` is not settled."""
    scope = before or started()
    words = tuple(Word(text.removeprefix("?"), fixed=not text.startswith("?")) for text in texts)
    BUILTINS[texts[0]](scope, words)
    return scope


def started() -> Scope:
    """A scope in one folder with one variable."""
    scope = Scope(("/p",), "/h")
    scope.assign("x", "1")
    return scope


@pytest.mark.req("case:C16")
@pytest.mark.parametrize("name", ["cd", "chdir", "pushd"])
@pytest.mark.parametrize(
    ("words", "folder"),
    [
        *((["a"], "/p/a"), (["/q"], "/q"), ([], "/h"), (["-P", "a"], "/p/a"), (["--", "a"], "/p/a")),
        *((["?$d"], None), (["-"], None), (["a", "b"], None)),
    ],
)
def test_a_move_leads_to_its_folder(name: str, words: list[str], folder: str | None) -> None:
    """Home without one, nowhere known when it is not settled."""
    assert after(name, *words).folder == folder


def test_going_back_leads_somewhere() -> None:
    """The stack of folders is not followed."""
    assert after("popd").folder is None


@pytest.mark.req("case:C10")
@pytest.mark.parametrize("name", ["export", "declare", "typeset", "local", "readonly"])
def test_a_declaration_sets_a_value(name: str) -> None:
    """When it is settled, and with no attribute that changes it."""
    assert after(name, "x=2").value("x") == "2"
    assert after(name, "?x=$y").value("x") is None


@pytest.mark.parametrize("option", ["-i", "-u", "-l", "-n", "-a", "-A"])
def test_attributes_make_a_value_unknown(option: str) -> None:
    """Now and for every later assignment."""
    scope = after("declare", option, "x=2")
    scope.assign("x", "3")

    assert scope.value("x") is None


def test_what_is_readonly_may_keep_its_value() -> None:
    """A later assignment may fail."""
    scope = after("readonly", "x")
    scope.assign("x", "3")

    assert scope.value("x") is None


@pytest.mark.parametrize(
    "name", ["read", "mapfile", "readarray", "getopts", "printf", "let", "unset", "wait"]
)
def test_what_sets_a_variable_makes_it_unknown(name: str) -> None:
    """Whichever of its words is the name."""
    assert after(name, "-v", "x").value("x") is None
    assert after(name, "?$n").lost


@pytest.mark.req("case:C12")
@pytest.mark.parametrize(
    "words", [["alias", "ls=rm"], ["hash", "-p", "/x", "ls"], ["enable", "-f", "x", "ls"]]
)
def test_a_name_that_may_mean_something_else_is_shadowed(words: list[str]) -> None:
    """It loses its allowance."""
    assert "ls" in after(*words).shadowed


@pytest.mark.parametrize("name", ["source", ".", "trap"])
def test_after_foreign_code_nothing_is_known(name: str) -> None:
    """Neither folder nor variables."""
    scope = after(name, "f")

    assert (scope.lost, scope.folder, scope.value("x")) == (True, None, None)


@pytest.mark.parametrize(
    "words", [["set", "--", "b"], ["set", "b"], ["shift"], ["set", "--", "?$x"], ["set", "--"]]
)
def test_new_parameters_take_the_place_of_the_old(words: list[str]) -> None:
    """What `$1` was before is not what it is now."""
    before = started()
    before.parameters = (Word("f"), Word("a"), Word("b"))

    assert after(*words, before=before).value("1") != "a"


@pytest.mark.parametrize(
    ("words", "evaluates"),
    [
        *((["test", "-v", "a[$(b)]"], True), (["[", "-v", "a[`b`]", "]"], True), (["read", "a[$(b)]"], True)),
        *(
            (["printf", "-v", "a[$(b)]", "c"], True),
            (["unset", "a[$(b)]"], True),
            (["compgen", "-W", "$(b)"], True),
        ),
        *((["echo", "a[$(b)]"], False), (["test", "-f", "$(b)"], False), (["test", "a[1]"], False)),
    ],
)
def test_a_subscript_that_is_evaluated_again_is_seen(words: list[str], evaluates: bool) -> None:
    """Only by builtins that do so, only where a substitution stands."""
    assert evaluates_subscript(words[0], list(words[1:]), " ".join(words[1:])) is evaluates


@pytest.mark.parametrize(
    "text",
    [
        *("declare -n r=v; r=rm", "local -gn r=v", "typeset -n p=PATH", "set -k; ls A=1", "set -o keyword"),
        *("set -H", "set -o history", "fc -s", "fc", "printf -v u '%s%s' 'b[' '$(c)]'", "bash -k -c ls"),
        *("read u <<< 'b[$(c)]'", "echo 'b[$(c)]' | while read u; do ((u)); done", "bash -O lastpipe -c ls"),
        *("echo 'b[$(c)]' > f; read u < f", "mapfile u < <(echo 'b[$(c)]')", "bash -c '((x=$1))' _ 'b[`c`]'"),
    ],
)
def test_what_makes_names_or_words_mean_others_is_a_gap(text: str) -> None:
    """Variables that stand for others, words that are assignments, commands of the history."""
    assert GapKind.OPEN in kinds(text) or GapKind.SYNTAX in kinds(text)


@pytest.mark.parametrize(
    "text",
    [
        *("export -n A", "readonly A=1", "declare -a a", "set -euo pipefail", "set -- -k", "fc -l", "set -x"),
        *("read -n 1 a", "printf -v a '%s' b", "printf '%s[%s]' a b", "echo 'b[$(c)]' | cat", "unset a[0]"),
    ],
)
def test_usual_settings_are_none(text: str) -> None:
    """Nothing of them is unread."""
    assert not kinds(text)


def test_some_options_of_the_shell_send_it_elsewhere() -> None:
    """With a pipe that ends in this shell, or a variable that `cd` may take for a folder."""
    assert command("shopt -s lastpipe; true | cd src; rm y", "rm").cwd is None
    assert command("s=src; shopt -s cdable_vars; cd s && rm y", "rm").cwd is None
