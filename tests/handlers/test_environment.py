"""The environment of a hook's process."""

from __future__ import annotations

import pytest
from tests.handlers.view import bash_event

from interlock.handlers.environment import check_pass_env, hook_environment

BASE = {
    "PATH": "/elsewhere",
    "HOME": "/home/u",
    "USER": "u",
    "LANG": "C.UTF-8",
    "TMPDIR": "/tmp/u",
    "SECRET": "s",
    "TOKEN": "t",
    "LD_PRELOAD": "/evil.so",
    "PYTHONPATH": "/evil",
    "GIT_DIR": "/evil",
    "BASH_ENV": "/evil",
}


@pytest.mark.req("C30")
def test_the_environment_is_built_fresh() -> None:
    """Only the basics, the event and what was named get through."""
    env = hook_environment(BASE, bash_event(), ("TOKEN", "ABSENT"), "/usr/bin:/bin")

    assert env == {
        "PATH": "/usr/bin:/bin",
        "HOME": "/home/u",
        "USER": "u",
        "LANG": "C.UTF-8",
        "TMPDIR": "/tmp/u",
        "TOKEN": "t",
        "PYTHONSAFEPATH": "1",
        "HOOK_EVENT": "PreToolUse",
        "HOOK_SESSION_ID": "s1",
        "HOOK_TOOL_NAME": "Bash",
    }


@pytest.mark.req("C30")
def test_relative_path_entries_are_dropped() -> None:
    """No directory of the project can supply a hook's programs."""
    assert (
        hook_environment({}, bash_event(), (), ".:/usr/bin::node_modules/.bin:/bin")["PATH"]
        == "/usr/bin:/bin"
    )


@pytest.mark.req("C30")
@pytest.mark.parametrize(
    "name",
    [
        "LD_PRELOAD",
        "LD_LIBRARY_PATH",
        "DYLD_INSERT_LIBRARIES",
        "BASH_ENV",
        "ENV",
        "PYTHONPATH",
        "PYTHONSTARTUP",
        "NODE_OPTIONS",
        "GIT_DIR",
        "GIT_SSH_COMMAND",
    ],
)
def test_variables_that_change_what_runs_are_never_passed(name: str) -> None:
    """Naming such a variable is an error that names it, not a silent omission."""
    with pytest.raises(ValueError, match=f"`{name}` in `pass_env` would change what a hook runs"):
        check_pass_env((name,))
    with pytest.raises(ValueError, match=name):
        hook_environment(BASE, bash_event(), (name,), "/bin")


@pytest.mark.req("C30")
@pytest.mark.parametrize("name", ["", "A=B", "$A", "A B", "A\0", "1A", "A\n"])
def test_what_is_no_variable_name_is_refused(name: str) -> None:
    """A name that no environment can hold is a mistake in the policy."""
    with pytest.raises(ValueError, match="not a variable name"):
        check_pass_env((name,))


@pytest.mark.req("C30")
@pytest.mark.parametrize("name", ["PATH", "HOOK_EVENT"])
def test_variables_of_ours_cannot_be_passed_over(name: str) -> None:
    """What we set ourselves is not taken from outside."""
    with pytest.raises(ValueError, match="Interlock sets"):
        check_pass_env((name,))
