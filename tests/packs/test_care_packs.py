"""The packs `hygiene`, `reports`, `tools` and `prompts`: sets of built-in hooks, each rule by its name."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.events.hook import Layer
from interlock.policy.load import load_policy
from interlock.policy.packs import find_pack, pack_names
from interlock.policy.policy import Policy


def under(tmp_path: Path, packs: str) -> Policy:
    """A policy of the user's that names packs."""
    file = tmp_path / "genesis.key"
    file.write_text(f'version: "2.0"\nsettings: {{packs: {packs}}}\n')
    return load_policy([(Layer.USER, file)], environ={"HOME": str(tmp_path)})


def test_all_packs_stand_together(tmp_path: Path) -> None:
    """Nobody has to choose, and each rule keeps its name."""
    names = pack_names()
    hooks = [hook.name for hook in under(tmp_path, f"[{', '.join(names)}]").hooks]

    assert len(hooks) == len(set(hooks))
    assert {name.partition("/")[0] for name in hooks} == set(names)


@pytest.mark.parametrize(
    ("pack", "rules"),
    [
        (
            "hygiene",
            ["plain-text", "resources", "secrets-out", "injection-scan", "format-output", "final-validation"],
        ),
        ("reports", ["flow-report"]),
        ("tools", ["schema-guard", "loops", "schema-hint", "failure-hints"]),
        ("prompts", ["nudge", "local-context", "recall"]),
    ],
)
def test_a_pack_switches_its_set_on(tmp_path: Path, pack: str, rules: list[str]) -> None:
    """Under names that can be switched off one by one."""
    assert list(find_pack(pack).rules) == rules
    assert [hook.name for hook in under(tmp_path, f"[{pack}]").hooks] == [f"{pack}/{rule}" for rule in rules]
    left = under(tmp_path, f"{{{pack}: {{{rules[0]}: off}}}}")
    assert [hook.name for hook in left.hooks] == [f"{pack}/{rule}" for rule in rules[1:]]
