"""The list of commands: help, JSON, completion."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer.main
from jsonschema import Draft202012Validator
from tests.cli.typed import Interlock, typed_for_real

from interlock.cli.app import make_app

_GROUPS = {("hooks",), ("packs",), ("genesis",), ("commitment",)}
_JSON_ITSELF = {("schema",)}
# These answer in a form of their own: a host's protocol, a log, lines of a ledger, what a method answers,
# colours of panes, and whatever the agent says that is watched.
_OTHER_WORDS = frozenset(
    {("hook",), ("daemon", "run"), ("ledger", "export"), ("mcp",), ("rpc",), ("fleet", "tmux"), ("watch",)}
    | {("status-line",), ("file-suggestion",), ("run",), ("help",)}
)


def _below(command: object, words: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    below: dict[str, object] = getattr(command, "commands", {})
    if not below:
        yield words
    for name, inner in below.items():
        yield from _below(inner, (*words, name))


def _commands() -> list[tuple[str, ...]]:
    """Every command there is, by the words that are typed."""
    return list(_below(typer.main.get_command(make_app())))


COMMANDS = _commands()


def test_the_promised_commands_exist() -> None:
    """The list a new user finds."""
    promised = {
        ("genesis", "validate"),
        ("hooks", "test-pattern"),
        ("hooks", "simulate"),
        ("hooks", "list"),
        ("paths",),
        ("init",),
        ("schema",),
    }

    assert promised <= set(COMMANDS)


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_the_help_of_every_command_has_an_example(interlock: Interlock, words: tuple[str, ...]) -> None:
    """Help is exit 0, under both spellings, and shows how the command is used."""
    typed = interlock(*words, "--help")

    assert (typed.code, typed.err) == (0, "")
    assert f"Example: interlock {' '.join(words)}" in typed.out
    assert typed.out == interlock(*words, "-h").out


@pytest.mark.parametrize("words", [c for c in COMMANDS if c not in _OTHER_WORDS], ids=" ".join)
def test_every_command_speaks_json(interlock: Interlock, words: tuple[str, ...]) -> None:
    """A command takes `--json` or prints JSON anyway."""
    if words in _JSON_ITSELF:
        assert isinstance(interlock(*words).document, dict)
    else:
        assert "--json" in interlock(*words, "--help").out


@pytest.mark.parametrize("words", sorted(_GROUPS), ids=" ".join)
def test_a_group_lists_its_commands(interlock: Interlock, words: tuple[str, ...]) -> None:
    """Help of a group is exit 0; the bare group prints the same to whoever did not know what to type."""
    helped = interlock(*words, "--help")

    assert helped.code == 0
    for command in COMMANDS:
        if command[: len(words)] == words:
            assert command[len(words)] in helped.out
    says_it_lists = "Without a command it runs `list`." in helped.out
    assert says_it_lists == ((*words, "list") in COMMANDS)
    if not says_it_lists:
        assert interlock(*words).out.strip() == helped.out.strip()


@pytest.mark.parametrize("group", ["hooks", "packs"])
def test_a_bare_group_lists(interlock: Interlock, group: str) -> None:
    """`interlock packs` is `interlock packs list`, also with its options."""
    assert interlock(group).out == interlock(group, "list").out
    assert interlock(group, "--json").document == interlock(group, "list", "--json").document


@pytest.mark.parametrize(
    ("words", "nearest"),
    [
        (("hoks",), "hooks"),
        (("aprove", "ap_7"), "`approve`?"),
        (("effort", "strat"), "`start`?"),
        (("ledger", "team", "lst"), "`list`?"),
        (("help", "leger"), "`ledger`?"),
        (("hooks", "simulat"), "simulate"),
        (("hooks", "simulate", "--tol", "x"), "--tool"),
        (("hooks", "test-pattern", "Bash", "Bash", "x", "--as", "alow"), "allow"),
        (("schema", "genesi"), "genesis"),
    ],
)
def test_a_mistyped_word_is_answered_with_the_nearest(
    interlock: Interlock, words: tuple[str, ...], nearest: str
) -> None:
    """Mistakes in words and options are exit 2 and name what was probably meant."""
    typed = interlock(*words)

    assert (typed.code, typed.out) == (2, "")
    assert nearest in typed.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("deny",), "ID is missing; see `interlock deny --help`"),
        (("explain",), "COMMAND is missing; see `interlock explain --help`"),
        (("explain", "rm", "-rf", "x"), "quote the command: `interlock explain 'rm -rf x'`"),
        (("install",), "AGENT is missing; see `interlock install --help`"),
        (("install", "claude"), "`claude` is not a value of AGENT; did you mean `claude-code`?"),
        (("ledger", "stats", "--by", "tol"), "`tol` is not a value of --by; did you mean `tool`?"),
        (("ledger", "list", "--limit"), "`--limit` needs a value; see `interlock ledger list --help`"),
        (("log", "-n", "abc"), "--lines must be a whole number; see `interlock log --help`"),
        (("log", "-n", "-1"), "--lines must be at least 0; see `interlock log --help`"),
        (("deny", "ap_1", "-x"), "`interlock deny` has no option `-x`; see `interlock deny --help`"),
        (
            ("paths", "x"),
            "`x` is not expected here; quote a value that has spaces, or see `interlock paths --help`",
        ),
    ],
)
def test_wrong_use_is_one_sentence_with_the_next_step(
    interlock: Interlock, words: tuple[str, ...], said: str
) -> None:
    """What is missing or too much is named, and where to read on."""
    typed = interlock(*words)

    assert (typed.code, typed.out, typed.err) == (2, "", f"interlock: {said}\n")


@pytest.mark.parametrize("kind", ["genesis", "hooks"])
def test_the_schemas_are_json_schemas(interlock: Interlock, kind: str) -> None:
    """An editor can use what is printed."""
    Draft202012Validator.check_schema(interlock("schema", kind).document)


def test_the_default_schema_is_that_of_genesis(interlock: Interlock) -> None:
    """The full format is what most people want to complete."""
    assert interlock("schema").document == interlock("schema", "genesis").document


@pytest.mark.deep
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_completion_of_a_shell_is_printed(shell: str) -> None:
    """The script a shell sources names the program."""
    typed = typed_for_real(_INTERLOCK_COMPLETE=f"source_{shell}")

    assert typed.code == 0
    assert "interlock" in typed.out
    assert "_INTERLOCK_COMPLETE" in typed.out


@pytest.mark.deep
def test_a_shell_completes_commands_and_options(tmp_path: Path) -> None:
    """What the shell asks with its completion variables is answered."""
    for words, wanted in (("interlock hooks si", "simulate"), ("interlock hooks simulate --ba", "--batch")):
        position = str(len(words.split()) - 1)
        typed = typed_for_real(
            _INTERLOCK_COMPLETE="complete_bash",
            COMP_WORDS=words,
            COMP_CWORD=position,
            HOME=os.fspath(tmp_path),
        )
        assert typed.out.split() == [wanted]
