"""The mark by which the shim knows that prompts are judged."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.daemon.offline_files import NAME, PromptsMark
from interlock.events.hook import Hook, Layer
from interlock.policy.load import load_policy


def hooks(folder: Path, section: str, entry: str) -> tuple[Hook, ...]:
    file = folder / "genesis.key"
    file.write_text(f'version: "2.0"\nhooks:\n  {section}:\n    - {entry}\n')
    return load_policy([(Layer.USER, file)], environ={"PATH": "/usr/bin:/bin"}).hooks


@pytest.mark.req("F04")
def test_the_mark_is_there_while_any_project_judges_prompts(tmp_path: Path) -> None:
    """It comes with the first such policy and goes with the last."""
    mark, file = PromptsMark(tmp_path), tmp_path / NAME
    judging = hooks(tmp_path, "user_prompt_submit", "{type: deny, if: 'event.prompt == \"x\"'}")
    other = hooks(tmp_path, "pre_tool_use", "{type: deny, matcher: Bash}")

    mark.follow("/a", judging)
    mark.follow("/b", other)
    assert file.exists()
    assert file.stat().st_mode & 0o077 == 0

    mark.follow("/a", other)
    assert not file.exists()


def test_a_hook_that_only_observes_prompts_leaves_no_mark(tmp_path: Path) -> None:
    """What cannot vote holds nothing back."""
    observing = hooks(
        tmp_path, "user_prompt_submit", "{type: command, observe: true, config: {command: 'true'}}"
    )
    PromptsMark(tmp_path).follow("/a", observing)

    assert not (tmp_path / NAME).exists()
