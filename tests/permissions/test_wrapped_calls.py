"""An allow looks through a wrapper that only says how to run, and through none that does more."""

from __future__ import annotations

import pytest
from tests.builders import bash, enforcing, entry

from interlock.engine.engine import Engine
from interlock.events.verdict import Vote
from interlock.permissions.judge import PermissionTable


def vote(command: str, *allow: str) -> Vote:
    lists = PermissionTable([entry("agent:main", allow=list(allow))])
    return Engine(enforcing(lists)).decide_sync(bash(command)).vote


@pytest.mark.parametrize(
    "command",
    [
        "time ls -l",
        "time -p ls -l",
        "/usr/bin/time -v ls -l",
        "/usr/bin/time -f %e ls -l",
        "env ls -l",
        "env -i ls -l",
        "env -u COLOR ls -l",
        "env -u PATH ls -l",  # as `env -i` above: what is taken away loads nothing
        "env --unset=HOME ls -l",
        "env -- ls -l",
        "timeout -k 5 5 ls -l",
        "nice -5 ls -l",
        "nohup ls -l",
        "stdbuf -oL ls -l",
        "exec -a name ls -l",
        "sh -c 'ls -l'",
        "bash -lc 'ls -l'",
        "bash --norc -o pipefail -c 'ls -l'",
    ],
)
def test_a_plain_wrapper_needs_no_allow_of_its_own(command: str) -> None:
    """How long, how nicely, by which shell: what runs is what is allowed."""
    assert vote(command, "Bash(ls *)") is Vote.ALLOW


@pytest.mark.parametrize(
    "command",
    [
        "time -o /etc/x ls -l",
        "/usr/bin/time -o /etc/x ls -l",
        "/usr/bin/time -o/etc/x ls -l",
        "/usr/bin/time -ao /etc/x ls -l",
        "/usr/bin/time --output=/etc/x ls -l",
        "/usr/bin/time --out /etc/x ls -l",
        "command time -o /etc/x ls -l",
        "nice /usr/bin/time -o /etc/x ls -l",
        "ls -l | /usr/bin/time -o /etc/x ls -l",
        "env -C /etc ls -l",
        "env -C/etc ls -l",
        "env -iC /etc ls -l",
        "env --chdir=/etc ls -l",
        "env --chdir /etc ls -l",
        "env -C $FOLDER ls -l",
        "timeout 5 env -C /etc ls -l",
        "env -C /etc bash -c 'ls -l'",
        "bash -c 'env -C /etc ls -l'",
        "ls -l; (env -C /etc ls -l)",
        "env -P /other ls -l",
        "env A=1 ls -l",
        "bash --rcfile x -ic 'ls -l'",
        "bash --rcfile=x -i -c 'ls -l'",
        "bash --init-file x -c 'ls -l'",
        "bash --debugger -c 'ls -l'",
    ],
)
def test_what_the_allowance_does_not_name_does_not_ride_along(command: str) -> None:
    """A file that is written or run, another folder, a variable that changes what programs do."""
    assert vote(command, "Bash(ls *)") > Vote.ALLOW


@pytest.mark.parametrize(
    ("command", "named", "plain"),
    [
        ("/usr/bin/time -o out ls -l", "Bash(/usr/bin/time -o out *)", "Bash(/usr/bin/time *)"),
        ("bash --rcfile x -ic 'ls -l'", "Bash(bash --rcfile x *)", "Bash(bash *)"),
        ("env -C src ls -l", "Bash(env -C src *)", "Bash(env ls *)"),
    ],
)
def test_a_list_that_names_the_option_allows_it(command: str, named: str, plain: str) -> None:
    """The wrapper and what it runs are two parts, and each needs its pattern."""
    assert vote(command, "Bash(ls *)", named) is Vote.ALLOW
    assert vote(command, named) > Vote.ALLOW
    assert vote(command, "Bash(ls *)", plain) > Vote.ALLOW
