"""Every pack in the package is sound."""

from __future__ import annotations

import pytest

from interlock.policy.extensions import genesis_key
from interlock.policy.format.genesis_key import Permissions
from interlock.policy.format.kind_entry import KindEntry
from interlock.policy.packs import find_pack, pack_names, pack_problems

PACKS = pack_names()


def test_the_baseline_is_shipped() -> None:
    """The pack that the starter policy names is there."""
    assert "baseline" in PACKS


@pytest.mark.req("T06")
@pytest.mark.parametrize("name", PACKS)
def test_a_shipped_pack_loads_and_its_examples_hold(name: str) -> None:
    """What a daemon does not check at its start is checked here."""
    assert pack_problems(find_pack(name), {"PATH": "/usr/bin:/bin", "HOME": "/home/someone"}) == ()


@pytest.mark.parametrize("name", PACKS)
def test_a_shipped_pack_has_rules_and_nothing_else(name: str) -> None:
    """Each rule has a name of its own, and a pack brings no actors, permissions or other packs."""
    pack = find_pack(name)
    entries = [entry for entries in pack.record.hooks.values() for entry in entries]

    assert len(pack.rules) == len(entries)
    assert pack.record.permissions == Permissions()
    assert pack.record.settings == genesis_key()().settings
    assert all(_is_a_rule(entry) for entry in entries)
    assert pack.about


# What some are there for: to change a call or what it printed, or to write a report among our own files.
_CHANGING = frozenset({"redirect", "schema_guard", "secrets_out", "format_output", "flow_report"})


def _is_a_rule(entry: KindEntry) -> bool:
    """Nothing that runs a program of anybody's choice or calls out."""
    return entry.builtin.tightens or entry.builtin.kind in _CHANGING
