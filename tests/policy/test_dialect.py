"""Whose rules a hook that asks a program follows."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.engine.failure import can_fail_open, choose
from interlock.errors import ConfigError, FailureKind
from interlock.events.hook import Dialect, Layer, OnFailure
from interlock.policy.load import load_policy
from interlock.policy.policy import Policy


def loaded(folder: Path, entry: str, event: str = "pre_tool_use") -> Policy:
    """The policy of one entry."""
    file = folder / "genesis.key"
    file.write_text(f'version: "2.0"\nhooks:\n  {event}:\n    - {entry}\n')
    return load_policy([(Layer.USER, file)], environ={"PATH": "/usr/bin:/bin"})


@pytest.mark.parametrize(
    "entry",
    [
        "{type: command, dialect: claude, config: {command: 'true'}}",
        "{type: webhook, dialect: claude, config: {url: 'https://hooks.example'}}",
    ],
)
def test_the_clients_dialect_fails_open_and_that_is_said(tmp_path: Path, entry: str) -> None:
    """A failure lets pass, as it does there; whoever validates the policy is told."""
    [hook] = loaded(tmp_path, entry).hooks

    assert hook.dialect is Dialect.CLAUDE
    assert choose(hook, "PreToolUse", FailureKind.EXIT) is OnFailure.OPEN
    assert can_fail_open(hook)


def test_without_a_word_the_dialect_is_the_files_own(tmp_path: Path) -> None:
    """And a failure before an action is closed."""
    [hook] = loaded(tmp_path, "{type: command, config: {command: 'true'}}").hooks

    assert hook.dialect is Dialect.GENESIS
    assert choose(hook, "PreToolUse", FailureKind.EXIT) is OnFailure.CLOSED


@pytest.mark.parametrize(("dialect", "events"), [("genesis", 2), ("claude", 1)])
def test_only_our_own_dialect_hears_of_both_endings(tmp_path: Path, dialect: str, events: int) -> None:
    """The client's hooks were written for success alone."""
    entry = f"{{type: command, dialect: {dialect}, config: {{command: 'true'}}}}"

    assert len(loaded(tmp_path, entry, "post_tool_use").hooks[0].events) == events


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("{type: command, dialect: cluade, config: {command: x}}", "did you mean `claude`"),
        ("{type: deny, dialect: claude}", "unknown key `dialect`"),
    ],
)
def test_a_dialect_nobody_has_is_refused(tmp_path: Path, entry: str, message: str) -> None:
    """A misspelt one, or one where no program is asked."""
    with pytest.raises(ConfigError, match=message):
        loaded(tmp_path, entry)


def test_a_project_cannot_choose_rules_by_which_a_failure_passes(tmp_path: Path) -> None:
    """The hook stays, under its file's own rules, and the place is named."""
    file = tmp_path / "genesis.key"
    entry = "{type: command, dialect: claude, config: {command: 'true'}}"
    file.write_text(f'version: "2.0"\nhooks:\n  pre_tool_use:\n    - {entry}\n')
    policy = load_policy([(Layer.PROJECT, file)], environ={"PATH": "/usr/bin:/bin"})

    assert [hook.dialect for hook in policy.hooks] == [Dialect.GENESIS]
    assert [notice.path for notice in policy.notices] == ["hooks.pre_tool_use[0].dialect"]
