"""Laws of what a path may turn out to be that begins where nobody knows."""

from __future__ import annotations

import pytest

from interlock.effects.paths.wild import DeniedFolders, with_home


@pytest.mark.parametrize(
    ("target", "met"),
    [
        ("$x/.ssh/id", ["/h/.ssh/id"]),
        ("${d%/}/.ssh", ["/h/.ssh"]),
        ("$x/ssh/id", []),
        ("$x/.sshd/id", []),
        ("$x", []),
    ],
)
def test_a_hidden_name_says_where_it_belongs(target: str, met: list[str]) -> None:
    """Whatever the variable before it may be."""
    assert list(DeniedFolders(["/h/.ssh", "/etc"]).holding(target, known=False)) == met


@pytest.mark.parametrize(
    ("target", "meant"), [("~", "/h"), ("~/a", "/h/a"), ("$HOME/a", "/h/a"), ("~b/a", "~b/a"), ("$x", "$x")]
)
def test_a_home_is_put_in_where_a_path_names_it(target: str, meant: str) -> None:
    """By a tilde or by its variable; another person's stays as it is written."""
    assert with_home(target, "/h") == meant
