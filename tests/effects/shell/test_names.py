"""Laws of variables: those that turn a harmless program into another need an allow."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.effects.shell.readings import command, effects, kinds, read

from interlock.effects.command import GapKind
from interlock.effects.effect import EffectKind
from interlock.effects.shell.names import is_run_later, is_sensitive

SENSITIVE = [
    *(
        "PATH",
        "LD_PRELOAD",
        "LD_LIBRARY_PATH",
        "DYLD_INSERT_LIBRARIES",
        "PAGER",
        "GIT_PAGER",
        "GIT_SSH_COMMAND",
    ),
    *(
        "BASH_ENV",
        "ENV",
        "PYTHONSTARTUP",
        "PYTHONPATH",
        "NODE_OPTIONS",
        "PERL5OPT",
        "RUBYOPT",
        "EDITOR",
        "IFS",
    ),
    *("HOME", "CC", "RUSTC_WRAPPER", "BASH_FUNC_ls%%"),
]
HARMLESS = [
    *("CI", "DEBUG", "x", "FOO", "LANG", "TZ", "NO_COLOR", "GIT_AUTHOR_NAME", "GIT_COMMITTER_DATE"),
    *("CARGO_TERM_COLOR", "PYTHONUNBUFFERED"),
]


@pytest.mark.req("case:C10")
@pytest.mark.parametrize("name", SENSITIVE)
def test_what_changes_other_programs_is_sensitive(name: str) -> None:
    """Search paths, preloaded code, helpers that are started."""
    assert is_sensitive(name)


@pytest.mark.parametrize("name", HARMLESS)
def test_what_only_informs_is_not(name: str) -> None:
    """Names, dates and colours."""
    assert not is_sensitive(name)


@pytest.mark.req("case:C10")
@pytest.mark.parametrize(
    "text", ["PAGER=x timeout 5 git branch", "env PAGER=x git branch", "PAGER=x", "export PAGER=x"]
)
def test_setting_one_needs_an_allow(text: str) -> None:
    """A wrapper or an assignment that sets it is not transparent, and the variable is an effect."""
    assert not read(text).commands[0].transparent
    assert "env PAGER" in effects(text, EffectKind.ENV)


def test_a_command_knows_what_is_set_before_it() -> None:
    """With the values, also through `env`."""
    found = command("A=1 env B=$c git log", "git")

    assert [(name, value.text, value.fixed) for name, value in found.environment] == [
        ("A", "1", True),
        ("B", "$c", False),
    ]


@given(st.sampled_from(["PS1", "PS4"]), st.sampled_from(["$(rm x)", "`rm x`", "a$(b)", "${x@P}"]))
def test_what_a_shell_runs_later_is_run(name: str, value: str) -> None:
    """A prompt that holds a substitution is code."""
    assert is_run_later(name, value, fixed=True)
    assert is_run_later(name, "plain", fixed=False)
    assert not is_run_later(name, "plain", fixed=True)
    assert not is_run_later("x", value, fixed=True)
    assert kinds(f"{name}='{value}'") == {GapKind.OPEN}


@pytest.mark.parametrize(
    "text",
    [
        "PROMPT_COMMAND='rm -rf x' bash -i",
        "PROMPT_COMMAND=('rm -rf x')",
        "export PROMPT_COMMAND='rm -rf x'",
        "BASH_ENV=f bash -c true",
        "env BASH_ENV=f bash -c true",
        "env 'BASH_FUNC_ls%%=() { rm -rf x; }' bash -c ls",
        "BASH_CMDS[ls]=/bin/rm; ls -rf x",
        "declare 'BASH_CMDS[ls]=/bin/rm'; ls -rf x",
        "BASH_ALIASES[ls]='rm -rf x'",
        "PS4='$'; PS4+='(rm -rf x)'; set -x; true",
        "printf -v PS4 '%s' '$(rm -rf x)'; set -x; true",
        "read -r PS4 <<< '$(rm -rf x)'; set -x; true",
        "for PS4 in '$(rm -rf x)'; do set -x; true; done",
    ],
)
def test_variables_that_are_run_or_rename_programs_are_a_gap(text: str) -> None:
    """However they are set, all of what they hold is run, or it says what other names mean."""
    assert GapKind.OPEN in kinds(text)
    assert not kinds("unset PS4 PROMPT_COMMAND; export PS1; PS4='+ ${LINENO}: ' bash -x f")
