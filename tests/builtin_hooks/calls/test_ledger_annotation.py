"""Labels and facts beside what is recorded anyway."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.builtin_hooks.making import bash, made, prompt

from interlock.errors import ConfigError
from interlock.events.event import Event
from interlock.events.names import EventName
from interlock.events.tool import ToolCall

TICKET = {"take": {"ticket": "[A-Z]+-[0-9]+"}}


def noted(event: Event, config: dict[str, Any], at: str = "pre_tool_use") -> dict[str, Any] | None:
    """What the ledger would get; None: nothing."""
    found = made("ledger_annotation", at, config).decide_sync(event).evidence
    assert all(one.kind == "annotation" and one.ledger for one in found)
    return found[0].data if found else None


@pytest.mark.req("M5")
def test_labels_and_facts_stand_beside_a_call() -> None:
    """At whatever moment the entry stands."""
    config = {"labels": ["deploy"], "data": {"team": "shop"}}
    after = Event(name=EventName.POST_TOOL_USE, tool=ToolCall(name="Bash", input={"command": "x"}))

    assert noted(after, config, "post_tool_use") == {"labels": ["deploy"], "team": "shop"}
    assert noted(Event(name=EventName.STOP), config, "stop") == {"labels": ["deploy"], "team": "shop"}


def test_a_ticket_is_taken_from_the_prompt_the_call_or_the_branch(tmp_path: Path) -> None:
    """The first place that has one wins."""
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/fix/SHOP-7-cart\n")

    assert noted(prompt("do OPS-1 now", tmp_path), TICKET, "user_prompt_submit") == {"ticket": "OPS-1"}
    assert noted(bash("git commit -m 'OPS-2'", tmp_path), TICKET) == {"ticket": "OPS-2"}
    assert noted(bash("ls", tmp_path), TICKET) == {"ticket": "SHOP-7"}
    assert noted(bash("ls OPS-3", tmp_path), {**TICKET, "where": ["branch"]}) == {"ticket": "SHOP-7"}


def test_the_branch_is_found_from_a_folder_below_the_repository(tmp_path: Path) -> None:
    """In any script."""
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/größe/SHOP-8\n", encoding="utf-8")
    (tmp_path / "src").mkdir()

    assert noted(bash("ls", tmp_path / "src"), {**TICKET, "where": ["branch"]}) == {"ticket": "SHOP-8"}


def test_the_branch_of_a_worktree_is_found(tmp_path: Path) -> None:
    """Its `.git` is a file."""
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "HEAD").write_text("ref: refs/heads/A-1\n")
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / ".git").write_text("gitdir: ../own\n")

    assert noted(bash("ls", tree), TICKET) == {"ticket": "A-1"}


def test_a_group_is_what_is_taken() -> None:
    """As everywhere."""
    assert noted(bash("deploy --to=live"), {"take": {"to": "--to=(\\w+)"}}) == {"to": "live"}


def test_where_nothing_is_found_nothing_is_noted_unless_there_are_labels() -> None:
    """An entry that says nothing is noise; `always: false` keeps labels to what was found."""
    assert noted(bash("ls"), TICKET) is None
    assert noted(bash("ls"), {**TICKET, "labels": ["a"]}) == {"labels": ["a"]}
    assert noted(bash("ls"), {**TICKET, "labels": ["a"], "always": False}) is None


@pytest.mark.parametrize("odd", [None, 3, {"a": "OPS-9"}])
def test_a_command_that_is_no_text_is_looked_at_as_it_is_written(odd: Any) -> None:
    """Nothing breaks."""
    assert noted(bash(odd), TICKET) == ({"ticket": "OPS-9"} if isinstance(odd, dict) else None)


def test_mistakes_are_told_where_they_stand() -> None:
    """Nothing to note, and a pattern that cannot be read."""
    with pytest.raises(ConfigError, match="there is nothing to add"):
        made("ledger_annotation", "stop", {})
    with pytest.raises(
        ConfigError, match=r"take\.x.*is not a regular expression that RE2 supports; correct it"
    ):
        made("ledger_annotation", "stop", {"take": {"x": "("}})
