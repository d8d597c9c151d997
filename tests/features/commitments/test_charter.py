"""What policy files say about commitments, layer by layer."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.events.hook import Layer
from interlock.features.commitments.compile import COMMITMENTS
from interlock.features.commitments.policy import (
    WINDOW_SECONDS,
    CommitmentPolicy,
    MatchEntry,
    Tier,
    actor_fits,
    fits,
)
from interlock.policy.files.read import PolicyText
from interlock.policy.load import load_policy
from interlock.policy.policy import Policy

HEAD = 'version: "2.0"\n'
TIERS = """\
settings:
  tiers: {rules: [{tags: [easy], tier: tier_1}, {tags: [hard], tier: tier_3}], default: tier_1}
permissions:
  actors:
    agent:x: {operations: [capture]}
"""


def loaded(folder: Path, text: str, layer: Layer = Layer.USER, *, tightening_only: bool = False) -> Policy:
    """A policy of one file."""
    content = (HEAD + text).encode()
    file = PolicyText(shown=folder / "genesis.key", content=content, tightening_only=tightening_only)
    return load_policy([(layer, file)], environ={"PATH": "/usr/bin:/bin"})


def test_without_a_word_about_commitments_everything_has_its_default(tmp_path: Path) -> None:
    """Tier 2, closed at once, reopened for a day, nobody restricted."""
    found = COMMITMENTS.get(loaded(tmp_path, ""))

    assert found.tier(("x",), "a", None) is Tier.TIER_2
    assert not found.waits(Tier.TIER_2)
    assert found.waits(Tier.TIER_3)
    assert found.window == WINDOW_SECONDS == 86_400
    assert not any(part.speaks for part in found.parts)
    assert CommitmentPolicy().tier((), "a", None) is Tier.TIER_2


@pytest.mark.req("M70")
def test_only_the_user_says_who_they_are(tmp_path: Path) -> None:
    """A project's word is ignored, and that is said."""
    text = "settings:\n  default_actor: human:ada\n"
    own, project = loaded(tmp_path, text), loaded(tmp_path, text, Layer.PROJECT)

    assert COMMITMENTS.get(own).default_actor == "human:ada"
    assert COMMITMENTS.get(project).default_actor is None
    assert any("may say who acts" in notice.message for notice in project.notices)


def test_a_changed_project_keeps_what_forbids(tmp_path: Path) -> None:
    """Operations stay restricted and tier 3 stays; what closes more easily is gone."""
    found = COMMITMENTS.get(loaded(tmp_path, TIERS, Layer.PROJECT, tightening_only=True))

    assert found.tier(("hard",), "a", None) is Tier.TIER_3
    assert found.tier(("easy",), "a", None) is Tier.TIER_2
    assert found.tier((), "a", None) is Tier.TIER_2
    assert found.parts[0].speaks


@pytest.mark.req("X45")
def test_operations_alone_bring_no_enforcement_of_tools(tmp_path: Path) -> None:
    """Nor count as an actor with lists; beside lists they do."""
    assert loaded(tmp_path, TIERS).hooks == ()
    both = "permissions:\n  actors:\n    agent:x: {operations: [capture], deny: ['Bash(rm *)']}\n"
    assert [hook.name for hook in loaded(tmp_path, both).hooks] == ["genesis_enforcement"]


@pytest.mark.parametrize(
    ("pattern", "actor", "fits"),
    [
        ("agent:*", "agent:x", True),
        ("agent:*", "human:x", False),
        ("*", "anybody at all", True),
        ("a*b*c", "aXbYc", True),
        ("a.c", "abc", False),
        ("a?c", "abc", False),
    ],
)
def test_a_pattern_of_actors_knows_one_wildcard(pattern: str, actor: str, fits: bool) -> None:
    """`*` is any run; everything else is itself."""
    assert actor_fits(pattern, actor) is fits


def test_a_match_needs_everything_it_says() -> None:
    """All tags, or any where that is meant; and the rest."""
    assert fits(MatchEntry(tags=["a", "b"]), ("a", "b", "c"), "x", None)
    assert not fits(MatchEntry(tags=["a", "b"]), ("a",), "x", None)
    assert fits(MatchEntry(tags=["a", "b"]), ("b",), "x", None, any_tag=True)
    assert not fits(MatchEntry(tags=["a"], actor="y"), ("a",), "x", None, any_tag=True)
    assert fits("all", (), "x", None)
    assert not fits(MatchEntry(), (), "x", None)
