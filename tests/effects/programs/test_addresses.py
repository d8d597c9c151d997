"""Packages by their address: what a runner would fetch from elsewhere is told from a name in an index."""

from __future__ import annotations

import pytest

from interlock.effects.programs.addresses import is_address


@pytest.mark.parametrize(
    "text",
    [
        "github:a/b", "gitlab:a/b#v1", "gist:123", "git+https://h.example/x.git", "git+ssh://git@h/x",
        "https://h.example/x.tgz", "git@h.example:a/b.git", "x@github:a/b", "x@https://h.example/x.tgz",
        "x @ git+https://h.example/x.git", "HTTPS://h.example/x", "@scope/x@git+https://h.example/x",
    ],
)  # fmt: skip
@pytest.mark.parametrize("program", ["npx", "uvx", "pipx run"])
def test_an_address_is_one_for_every_program(text: str, program: str) -> None:
    """With a scheme or the name of a host."""
    assert is_address(text, program)


@pytest.mark.parametrize(
    "text",
    ["prettier", "create-vite@latest", "@scope/pkg", "@scope/pkg@1.2", "./bin/x", "../x", "/opt/x", "~/x",
     "requests==2.31", "x@npm:y@1", "file:./x", "black[d]", ""],
)  # fmt: skip
@pytest.mark.parametrize("program", ["npx", "uvx", "pipx run"])
def test_a_name_or_a_path_is_none(text: str, program: str) -> None:
    """Whatever else stands in it."""
    assert not is_address(text, program)


@pytest.mark.parametrize(("program", "short"), [("npx", True), ("pnpm dlx", True), ("uvx", False)])
def test_owner_and_name_are_a_repository_to_the_family_of_npm(program: str, short: bool) -> None:
    """To others they are a folder."""
    assert is_address("owner/name", program) is short
    assert is_address("owner/name#v1.2", program) is short
