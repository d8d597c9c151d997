"""What a person's shell gives to hooks is kept in one private file."""

from __future__ import annotations

import re
import stat
from pathlib import Path

import pytest

from interlock.errors import InterlockError
from interlock.events.hook import Layer
from interlock.policy.hook_variables import (
    names_used,
    read_hook_environment,
    save_hook_environment,
    secret_patterns,
)
from interlock.policy.load import load_policy

POLICY = """version: "2.0"
hooks:
  post_tool_use:
    - type: webhook
      config: {url: "https://example.com", headers: {Authorization: "Bearer ${HOOK_API_KEY} ${HOOK_EVENT}"}}
    - {type: command, config: {command: "true"}, pass_env: [TOKEN, HOOK_API_KEY]}
    - {type: deny}
"""


@pytest.mark.req("C57")
def test_the_names_are_those_of_headers_and_of_pass_env(tmp_path: Path) -> None:
    """Each with the first place that asks; what every hook is given is not a wish."""
    file = tmp_path / "genesis.key"
    file.write_text(POLICY)
    found = names_used(load_policy([(Layer.USER, file)], environ={}).hooks)

    assert [(name, source.line) for name, source in found.items()] == [("HOOK_API_KEY", 4), ("TOKEN", 6)]


def test_values_are_kept_until_nobody_asks_for_them(tmp_path: Path) -> None:
    """What is set now replaces what was; what is not set now stays; the file is the person's alone."""
    file = tmp_path / "variables.json"

    assert save_hook_environment(file, ["A", "B", "C"], {"A": "1", "B": "2", "X": "9"}) == ("C",)
    assert save_hook_environment(file, ["A", "B"], {"A": "3"}) == ()
    assert read_hook_environment(file) == {"A": "3", "B": "2"}
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    save_hook_environment(file, [], {})
    assert read_hook_environment(file) == {}


def test_no_file_is_no_variable(tmp_path: Path) -> None:
    """And none is written where no hook asks."""
    file = tmp_path / "variables.json"

    assert save_hook_environment(file, [], {"A": "1"}) == ()
    assert not file.exists()
    assert read_hook_environment(file) == {}


@pytest.mark.parametrize("fault", ["shared", "link", "damaged"])
def test_a_file_that_others_may_have_written_gives_nothing(tmp_path: Path, fault: str) -> None:
    """The error says what to do."""
    file = tmp_path / "variables.json"
    file.write_text('{"A": 1}' if fault == "damaged" else '{"A": "1"}')
    file.chmod(0o644 if fault == "shared" else 0o600)
    if fault == "link":
        file = tmp_path / "link"
        file.symlink_to("variables.json")

    with pytest.raises(InterlockError, match="interlock daemon start"):
        read_hook_environment(file)


def test_values_long_enough_to_be_secrets_are_found_to_the_letter() -> None:
    """A short one would take ordinary words out of records."""
    (pattern,) = secret_patterns({"A": "s3cr.t+word", "B": "yes"})

    assert re.fullmatch(pattern, "s3cr.t+word")
    assert not re.fullmatch(pattern, "s3crxt+word")
