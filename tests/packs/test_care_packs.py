"""The packs `hygiene`, `reports` and `prompts`: sets of built-in hooks, each rule by its name."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.config.layers import load_policy
from interlock.config.packs import pack_named
from interlock.config.policy import Policy
from interlock.source import Layer


def under(tmp_path: Path, packs: str) -> Policy:
    """A policy of the user's that names packs."""
    file = tmp_path / "genesis.key"
    file.write_text(f'version: "2.0"\nsettings: {{packs: {packs}}}\n')
    return load_policy([(Layer.USER, file)], environ={"HOME": str(tmp_path)})


@pytest.mark.parametrize(
    ("pack", "rules"),
    [
        (
            "hygiene",
            ["plain-text", "resources", "secrets-out", "injection-scan", "format-output", "final-validation"],
        ),
        ("reports", ["flow-report"]),
        ("prompts", ["nudge", "local-context", "recall"]),
    ],
)
def test_a_pack_switches_its_set_on(tmp_path: Path, pack: str, rules: list[str]) -> None:
    """Under names that can be switched off one by one."""
    assert list(pack_named(pack).rules) == rules
    assert [hook.name for hook in under(tmp_path, f"[{pack}]").hooks] == [f"{pack}/{rule}" for rule in rules]
    left = under(tmp_path, f"{{{pack}: {{{rules[0]}: off}}}}")
    assert [hook.name for hook in left.hooks] == [f"{pack}/{rule}" for rule in rules[1:]]
