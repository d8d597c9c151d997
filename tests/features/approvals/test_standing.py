"""Laws of the grants that stand in a policy file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.builders import bash, write

from interlock.errors import ConfigError
from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.hook import Layer
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.events.verdict import Vote
from interlock.features.approvals.settings import APPROVAL, POLICY, ApprovalRules, standing_answer
from interlock.policy.load import load_policy
from interlock.policy.policy import Policy

ASKED = Decision(vote=Vote.ASK, reason="sure?", decided_by="careful")


def policy(tmp_path: Path, *patterns: str, actor: str = "agent:main", folder: str | None = None) -> Policy:
    """A user's file with these grants for a folder."""
    file = tmp_path / "genesis.key"
    grants = {folder or str(tmp_path): {"grants": {actor: list(patterns)}}}
    file.write_bytes(b'version: "2.0"\nsettings: ' + msgspec.json.encode({"projects": grants}))
    return load_policy([(Layer.USER, file)], environ={})


def answer(loaded: Policy, event: Event, decision: Decision = ASKED, **rules: Any) -> Decision | None:
    approval = msgspec.structs.replace(APPROVAL.get(loaded), **rules)
    policy = Policy(settings={**loaded.settings, "approval": approval})
    return standing_answer(event, decision, policy, STANDARD_TOOLS)


def test_a_granted_call_is_not_asked_about(tmp_path: Path) -> None:
    """It is allowed, and the reason names the line."""
    loaded = policy(tmp_path, "Bash(git push origin main)")
    found = answer(loaded, bash("git push origin main", cwd=str(tmp_path)))

    assert found is not None
    assert (found.vote, found.approval) == (Vote.ALLOW, POLICY)
    assert f"{tmp_path}/genesis.key:2" in (found.reason or "")


@pytest.mark.parametrize(
    "command",
    [
        "git push origin dev --force",
        "git push origin --force",
        "git push origin +main",
        "git push origin :main",
        "git push origin ../x",
        "git push origin a/b",
        "git push origin .hidden",
        "git push origin ~",
        "git push origin $BRANCH",
        "git push origin dev extra",
        "git push origin 'dev --force'",
        "git push origin dev; git fetch",
        "git push origin dev > out",
        "X=1 git push origin dev",
        "sudo git push origin dev",
        "git push other dev",
        "git push origin `id`",
    ],
)
def test_a_star_is_one_plain_argument_and_nothing_else(tmp_path: Path, command: str) -> None:
    """No option, no other folder, no expansion, no second command comes in by it."""
    loaded = policy(tmp_path, "Bash(git push origin *)")

    assert answer(loaded, bash("git push origin dev", cwd=str(tmp_path))) is not None
    assert answer(loaded, bash(command, cwd=str(tmp_path))) is None


@pytest.mark.parametrize(
    "command",
    [
        "env -C /other make test",
        "env -u HOME make test",
        "/usr/bin/time -o out make test",
        "bash --rcfile evil -ic 'make test'",
        "DATABASE=other; make test",
        "for PATH in /evil; do make test; done",
        "((PATH=1)); make test",
    ],
)
def test_what_stands_around_a_granted_call_makes_it_another(tmp_path: Path, command: str) -> None:
    """A wrapper, a variable or a loop that nobody has seen is not covered by what somebody has."""
    loaded = policy(tmp_path, "Bash(make test)")

    assert answer(loaded, bash("make test && (make test)", cwd=str(tmp_path))) is not None
    assert answer(loaded, bash(command, cwd=str(tmp_path))) is None


def test_every_command_of_a_text_needs_its_own_grant(tmp_path: Path) -> None:
    """Together they may be granted, one of them alone does not cover the other."""
    both = policy(tmp_path, "Bash(git add -A)", "Bash(git commit -m x)")

    assert answer(both, bash("git add -A && git commit -m x", cwd=str(tmp_path))) is not None
    assert answer(both, bash("git add -A && git commit -m y", cwd=str(tmp_path))) is None


def test_it_holds_for_its_folder_and_its_actor_alone(tmp_path: Path) -> None:
    """The same words elsewhere are another call."""
    loaded = policy(tmp_path, "Bash(make deploy)")
    (tmp_path / "below").mkdir()

    assert answer(loaded, bash("make deploy", cwd=str(tmp_path / "below"))) is None
    assert answer(loaded, bash("make deploy", cwd=str(tmp_path), actor="agent:Explore")) is None
    assert answer(loaded, bash("make deploy", cwd=f"{tmp_path}/below/..")) is not None


def test_a_line_in_a_file_does_not_answer_for_somebody_who_is_named(tmp_path: Path) -> None:
    """Neither where the hook names approvers nor where the settings do."""
    loaded = policy(tmp_path, "Bash(make deploy)")
    event = bash("make deploy", cwd=str(tmp_path))
    named = msgspec.structs.replace(ASKED, approvers=(("human:rashid",),))

    assert answer(loaded, event, named) is None
    assert answer(loaded, event, scopes=({"human:rashid": None},)) is None
    assert answer(loaded, event, msgspec.structs.replace(ASKED, vote=Vote.DENY)) is None


def test_what_leaves_the_sandbox_is_another_call(tmp_path: Path) -> None:
    """The command alone does not say what was approved."""
    loaded = policy(tmp_path, "Bash(make deploy)")
    event = bash("make deploy", cwd=str(tmp_path))

    assert (
        answer(loaded, event.with_input({"command": "make deploy", "dangerouslyDisableSandbox": True}))
        is None
    )


def test_files_of_one_folder(tmp_path: Path) -> None:
    """A `*` in a path stays in its folder."""
    loaded = policy(tmp_path, "Write(docs/*.md)")
    where = {"cwd": str(tmp_path), "project": str(tmp_path)}

    assert answer(loaded, write(f"{tmp_path}/docs/a.md", **where)) is not None
    for path in ("docs/x/a.md", "docs/../a.md", "docs/.hidden.md", "src/a.md"):
        assert answer(loaded, write(f"{tmp_path}/{path}", **where)) is None, path


@pytest.mark.parametrize(
    ("pattern", "folder", "actor", "said"),
    [
        ("Bash", None, "agent:main", "covers too much"),
        ("Bash(*)", None, "agent:main", "covers too much"),
        ("write(src/*)", None, "agent:main", "covers too much"),
        ("Bash(make x)", "app", "agent:main", "is not an absolute path"),
        ("Bash(make x)", None, "nobody", "nobody"),
    ],
)
def test_a_grant_that_says_too_much_or_nothing_is_a_mistake(
    tmp_path: Path, pattern: str, folder: str | None, actor: str, said: str
) -> None:
    """The file does not load, and the message says what to write."""
    with pytest.raises(ConfigError, match=said):
        policy(tmp_path, pattern, folder=folder, actor=actor)


def test_a_project_may_not_grant(tmp_path: Path) -> None:
    """A repository that answers its own questions would need no person."""
    file = tmp_path / "genesis.key"
    file.write_text('version: "2.0"\nsettings: {projects: {/w: {grants: {agent:main: ["Bash(make x)"]}}}}\n')

    with pytest.raises(ConfigError, match="only the managed or user layer"):
        load_policy([(Layer.PROJECT, file)], environ={})
    assert ApprovalRules().scopes == ()
